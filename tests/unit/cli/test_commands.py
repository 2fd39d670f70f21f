"""What holds for every command: help, documents, errors, pipes, locales."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from daemon import __version__
from daemon.cli import main
from daemon.cli.running import EXIT_CODES
from tests.unit.cli.small import clean_environ, command, sprintd, sprintd_process

PAGE = Path(__file__).parents[3] / "docs" / "cli.md"
CONTEXT = click.Context(main)
TOP = main.list_commands(CONTEXT)


def find(name: str) -> click.Command:
    """A command by the words that start it."""
    found: click.Command = main
    for word in name.split():
        assert isinstance(found, click.Group)
        inner = found.get_command(CONTEXT, word)
        assert inner is not None
        found = inner
    return found


def leaves(name: str) -> list[str]:
    found = find(name)
    if not isinstance(found, click.Group):
        return [name]
    return [f"{name} {inner}" for inner in found.list_commands(CONTEXT)]


GROUPS = [name for name in TOP if isinstance(find(name), click.Group)]
NAMES = [leaf for name in TOP for leaf in leaves(name)]
ANYWHERE = ("init", "quality check", "quality eval", "map diff")
"""What needs no workspace."""


def options(found: click.Command) -> Iterator[click.Option]:
    return (p for p in found.params if isinstance(p, click.Option) and not p.hidden)


def section(name: str) -> str:
    match = re.search(rf"^## sprintd {name}$(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S)
    assert match, f"docs/cli.md has no section for {name}"
    return match[1]


@pytest.mark.parametrize("name", NAMES)
def test_every_command_and_option_is_documented(name: str) -> None:
    """docs/cli.md has a section for each command, with each of its options and no others."""
    text = section(name)
    listed = set(re.findall(r"^\| `(--[a-z-]+)", text, re.M))
    assert listed == {option.opts[0] for option in options(find(name))}


def test_no_section_is_about_a_command_that_is_gone() -> None:
    """The page and the program name the same commands."""
    assert sorted(re.findall(r"^## sprintd (\S.*)$", PAGE.read_text(), re.M)) == sorted(NAMES)
    shared = re.findall(r"`(--[a-z]+)", PAGE.read_text().partition("## sprintd run")[0])
    assert {"--workspace", "--version", "--help"} <= set(shared)


def test_the_exit_codes_are_documented() -> None:
    """Every code that `sprint` ends with stands in its table."""
    for state, code in EXIT_CODES.items():
        assert re.search(rf"^\| .*`{state}`.* \| {code} \|$", section("sprint"), re.M)


@pytest.mark.parametrize("name", [*NAMES, *GROUPS])
def test_every_help_has_examples_and_the_listed_words(name: str) -> None:
    """The one-line help of the list is the first line of the command's own help."""
    found = find(name)
    words = inspect.cleandoc(found.help or "")
    assert "Examples:\n  sprintd " in words
    *above, own = name.split()
    listed = {row[0]: row[1] for row in re.findall(r"^  (\S+) {2,}(.*(?:\n {8,}.*)*)$",
              sprintd(None, *above, "--help").stdout, re.M)}  # fmt: skip
    assert " ".join(listed[own].split()) == words.splitlines()[0]
    assert sprintd(None, *name.split(), "--help").returncode == 0


def test_every_command_but_run_has_json() -> None:
    """Machines can read everything that ends."""
    without = [n for n in NAMES if not any("--json" in o.opts for o in options(find(n)))]
    assert without == ["run"]


def test_the_version_is_the_packages() -> None:
    assert sprintd(None, "--version").stdout == f"sprintd {__version__}\n"


def test_the_workspace_may_stand_after_the_command_or_in_the_environment(small: Path) -> None:
    """Three ways to name it; the nearest to the command wins."""
    chosen = {"SPRINTD_WORKSPACE": str(small)}
    for done in (
        sprintd(None, "status", "--workspace", str(small)),
        sprintd(None, "status", environ=chosen),
        sprintd(small.parent, "status", "--workspace", str(small)),
        sprintd(small, "status", environ={"SPRINTD_WORKSPACE": "/nowhere"}),
    ):
        assert f"Workspace: {small}" in done.stdout, done.stderr


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ANYWHERE])
def test_a_folder_that_is_no_workspace_is_refused_untouched(name: str, tmp_path: Path) -> None:
    """No command makes a state folder in somebody's home; the message says what to do."""
    more = {"show": ["T01"], "unblock": ["T01"], "reopen": ["T01"],
            "approve": ["A1"], "reject": ["A1"], "backup": ["x.db"], "notion setup": ["0" * 32],
            "ledger prove": ["1"], "ledger export": ["x"], "memory find": ["x"], "map why": ["q"], "map replay": ["x"],
            "quality learn": ["T01", "--defect", "d", "--text", "t"]}  # fmt: skip
    words = [*name.split(), *more.get(name, [])]
    done = sprintd(tmp_path, *words)
    assert done.returncode == 1
    assert "is not a workspace" in done.stderr
    assert "sprintd init" in done.stderr
    assert not list(tmp_path.iterdir())
    assert "is not a folder" in sprintd(tmp_path / "gone", *words).stderr


def test_an_error_as_json_is_on_stdout_and_for_people_on_stderr(tmp_path: Path) -> None:
    """Standard output holds exactly one object, whatever happens."""
    done = sprintd(tmp_path, "status", "--json")
    error = json.loads(done.stdout)["error"]
    assert (error["kind"], error["exit_code"]) == ("SprintdError", 1)
    assert error["message"] in done.stderr
    assert "faults" not in error


def test_a_mistyped_command_has_a_suggestion() -> None:
    """Usage errors exit with 2, on standard error."""
    done = sprintd(None, "stauts")
    assert done.returncode == 2
    assert "Did you mean 'status'?" in done.stderr
    assert sprintd(None, "nonsense").returncode == 2


def test_a_reader_that_leaves_is_no_error(small: Path) -> None:
    """`sprintd plan | head -1` prints one line and no complaint."""
    with subprocess.Popen(
        command(small, "plan"), env=clean_environ(), stdout=-1, stderr=-1
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_no_locale_makes_it_crash(small: Path, encoding: str) -> None:
    """Letters that the terminal does not know come out as ?, and JSON stays whole."""
    path = small / "backlog.yaml"
    path.write_text(
        path.read_text("utf-8").replace("The lighthouse", "El faro “Ñandú” 灯台"), "utf-8"
    )
    environ = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    for words in (["backlog"], ["show", "B02"], ["plan"]):
        done = subprocess.run(
            command(small, *words), env=clean_environ(environ), capture_output=True, check=False
        )
        assert done.returncode == 0
        assert b"El faro" in done.stdout
        done.stdout.decode("utf-8" if encoding == "ascii" else encoding)  # click's own choice
    whole = sprintd_process(small, "show", "B02", "--json", environ=environ)
    assert json.loads(whole.stdout)["title"] == "El faro “Ñandú” 灯台"


def test_a_fault_of_ours_is_logged_without_secrets_and_ends_with_70(tmp_path: Path) -> None:
    """A bug: the log has the traceback, without the key; the message is one line."""
    key = "sk-ant-" + "q" * 40
    code = (
        "import sys, click, logging\n"
        "from daemon.cli.group import Command\n"
        "from daemon.config.redaction import configure_logging\n"
        f"configure_logging(level='INFO', secrets=['{key}'], stream=sys.stderr)\n"
        "@click.command(cls=Command)\n"
        f"def broken(): raise ZeroDivisionError('{key}')\n"
        "broken([])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path,
        env=clean_environ({"PYTHONPATH": str(PAGE.parents[1])}),
    )  # fmt: skip
    assert done.returncode == 70
    assert "CRITICAL" in done.stderr
    assert "an error that nobody expected: ZeroDivisionError" in done.stderr
    assert key not in done.stderr


def test_python_dash_m_is_the_same_program() -> None:
    """`python -m daemon` calls itself sprintd."""
    done = subprocess.run(
        [sys.executable, "-m", "daemon", "--help"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Usage: sprintd ")
