"""Faults with files that people edit, as they were reported in public: none happens here.

Each test changes the shipped sample in one place and looks at what the program makes of it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon.cli.inspection import inspect
from daemon.clock import day_of
from daemon.config.toml_file import load_config
from daemon.errors import Fault, WorkspaceInvalid
from daemon.memory.notes import MEMORY, readable_notes
from daemon.memory.opening import OpenRoot
from daemon.sprint.reading import load_manifest
from daemon.sprint.runner import run_sprint
from daemon.store import attempts
from daemon.workspace.loader import load_workspace
from tests.standins.messages_api import MessagesApi
from tests.standins.researcher import write_reply
from tests.workspaces import NOON, claude_config, copy_sample, services_over

BROKEN_NOTE = b"# Bin\n\xff\xfe x\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return copy_sample(tmp_path / "venture")


def edit(root: Path, file: str, old: str, new: str) -> int:
    """Replace the first `old`, which must be there; the line on which it begins."""
    text = (root / file).read_text("utf-8")
    assert old in text
    (root / file).write_text(text.replace(old, new, 1), "utf-8")
    return text[: text.index(old)].count("\n") + 1


def faults_of(root: Path) -> list[Fault]:
    return list(inspect(root, environ={}, today=day_of(NOON)).faults)


def fault_of(root: Path) -> Fault:
    (fault,) = faults_of(root)
    return fault


# -- a file that is not UTF-8


def test_a_note_that_is_not_utf8_is_skipped_by_name_and_left_as_it_is(root: Path) -> None:
    """`# Bin`, FF FE, x: the other notes are given to the agent and the sprint ends well.

    The check names the file, and its bytes stay. Reported as diazoxide/charter#1142 and
    NousResearch/hermes-agent#54044.
    """
    damaged = root / "memory" / "lawyers-and-demand" / "lawyer-numbers.md"
    stray = root / "memory" / "bin.md"
    for path in (damaged, stray):
        path.write_bytes(BROKEN_NOTE)
    with services_over(root) as services:
        end = run_sprint(services.sprint_parts)
        rows = attempts.list_for_sprint(services.db, end.sprint_id)
        assert end.state == "completed"
        skipped = [unit for row in rows for unit in row.context["skipped"]]
        told = {u["reason"] for u in skipped if u["id"] == "lawyers-and-demand.lawyer-numbers"}
        assert "is damaged: not UTF-8 text; save it as UTF-8" in told
        assert all(row.context["loaded"] for row in rows)
    assert fault_of(root).file == "memory/lawyers-and-demand/lawyer-numbers.md"
    assert "not UTF-8" in fault_of(root).message
    assert [path.read_bytes() for path in (damaged, stray)] == [BROKEN_NOTE] * 2
    with OpenRoot(root) as opened:
        notes = list(readable_notes(opened, MEMORY))
    assert [note.path for note in notes if note.damaged] == [
        "memory/bin.md",
        "memory/lawyers-and-demand/lawyer-numbers.md",
    ]
    assert len(notes) > 30


# -- words that YAML 1.1 turns into something else


@pytest.mark.parametrize("word", ["NO", "on", "off", "Yes", "1.10", "2026-09-14", "13:00"])
def test_a_word_stays_the_word_that_was_written(root: Path, word: str) -> None:
    """A title NO is "NO" and not False, 1.10 is not 1.1, and a date is text that JSON can hold.

    Reported as canonical/cloud-init#6127 and jentic/jentic-one#983.
    """
    edit(root, "backlog.yaml", "title: Size the lawyer market without an official count",
         f"title: {word}")  # fmt: skip
    item = load_workspace(root).item("T01")
    assert item.title == word
    assert json.loads(json.dumps(item.title)) == word


@pytest.mark.parametrize(
    ("written", "found"), [("true", "true"), ("2026-09-14", "2026-09-14"), ("1.10", "1.10")]
)
def test_a_typed_value_where_text_is_expected_names_the_key(
    root: Path, written: str, found: str
) -> None:
    """In config.toml a boolean, a date or a number is no name: the fault tells key and line.

    Reported as canonical/cloud-init#6127, hukkin/tomli#304 and Nayjest/lm-proxy#79.
    """
    (root / "config.toml").write_text(f"[daemon]\nname = {written}\n")
    fault = fault_of(root)
    assert (fault.file, fault.line, fault.key) == ("config.toml", 2, "daemon.name")
    assert "expects text" in fault.message
    assert found in fault.message


# -- keys that stand twice, and keys that nobody knows


def test_a_key_that_stands_twice_is_refused_with_its_lines(root: Path) -> None:
    """`{write: deny, write: allow}` and two priorities: the last one does not win.

    No sprint works from such files. Reported as yaml/pyyaml#165 and rbgirshick/yacs#17.
    """
    line = edit(root, "backlog.yaml", "priority: 1\n", "priority: 1\n    priority: 5\n")
    edit(root, "knowledge.yaml", "language: en\n",
         "language: en\nactions: {write: deny, write: allow}\n")  # fmt: skip
    backlog, manifest = faults_of(root)
    assert (backlog.file, backlog.line, backlog.key) == (
        "backlog.yaml", line + 1, "items[0].priority"
    )  # fmt: skip
    assert f"on lines {line} and {line + 1}" in backlog.message
    assert (manifest.file, manifest.key) == ("knowledge.yaml", "actions.write")
    with pytest.raises(WorkspaceInvalid):
        load_manifest(root)
    with MessagesApi(reply=write_reply) as api:
        (root / "config.toml").write_text(claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            end = run_sprint(services.sprint_parts)
            assert end.state == "interrupted"
            assert f"backlog.yaml:{line + 1}" in end.reason
        assert api.requests == []


def test_a_misspelt_budget_never_leaves_the_default_in_force(root: Path) -> None:
    """daily_bugdet_usd = 5 ends the start, with the key that was meant; no cap of 20 is used.

    Reported as blazing-Gael/dcms#35.
    """
    (root / "config.toml").write_text("[budget]\ndaily_bugdet_usd = 5\n")
    fault = fault_of(root)
    assert (fault.line, fault.key) == (2, "budget.daily_bugdet_usd")
    assert fault.cure == "did you mean daily_cap_usd?"
    with pytest.raises(WorkspaceInvalid, match="did you mean daily_cap_usd"), services_over(root):
        pytest.fail("the start must not go on")
    assert not (root / "state").exists()


@pytest.mark.parametrize(
    ("file", "old", "new", "key", "meant"),
    [
        ("agents/market-researcher.md", "reads:", "raeds:", "raeds", "reads"),
        ("agents/market-researcher.md", "tier:", "denyWriteTypo: [x]\ntier:", "denyWriteTypo", ""),
        ("backlog.yaml", "    needs: [", "    neds: [", "items[0].neds", "needs"),
        ("knowledge.yaml", "    audience: [", "    audeince: [", "units.0.audeince", "audience"),
        ("knowledge.yaml", "    audience: [", "    deprecatd: true\n    audience: [",
         "units.0.deprecatd", "deprecated"),
        ("kill_criteria.yaml", "    name:", "    nmae:", "criteria[0].nmae", "name"),
        ("agents/teams.yaml", "members:", "memebrs:", "teams[0].memebrs", "members"),
        ("quality.toml", "[[pattern]]", "[[patern]]", "patern", "pattern"),
        ("quality.toml", "[[bonus]]", "[quality]", "quality", "known are"),
        ("quality.toml", "message =", "mesage =", "pattern[0].mesage", "message"),
    ],
)  # fmt: skip
def test_a_misspelt_key_is_an_error_with_what_was_meant(
    root: Path, file: str, old: str, new: str, key: str, meant: str
) -> None:
    """In every kind of file: a restriction that is misspelt does not pass as left out.

    Reported as agentrust-io/cmcp#150 and anthropic-experimental/sandbox-runtime#434.
    """
    edit(root, file, old, new)
    found = {fault.key: fault for fault in faults_of(root) if fault.file == file}
    assert key in found, found
    assert found[key].line > 0
    assert meant in found[key].cure


# -- what breaks a parser without saying why


def test_a_byte_order_mark_breaks_no_file(root: Path) -> None:
    """EF BB BF in front of config.toml, backlog, map and notes changes nothing.

    Reported as hukkin/tomli#304.
    """
    (root / "config.toml").write_bytes(b"\xef\xbb\xbf[sprint]\ntracks = 3\n")
    for file in ("backlog.yaml", "knowledge.yaml", "agents/teams.yaml", "quality.toml",
                 "memory/competitors/local-publishers.md"):  # fmt: skip
        (root / file).write_bytes(b"\xef\xbb\xbf" + (root / file).read_bytes())
    assert faults_of(root) == []
    assert load_config(root).sprint.tracks == 3


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("    needs: [", "    needs: [write, *", "starts with *"),
        ("    title: ", "\ttitle: ", "a tab is used for indentation"),
        ("    agent: market-researcher", "    agent: @market", "starts with @"),
    ],
)
def test_the_real_cause_of_broken_yaml_is_named(root: Path, old: str, new: str, cause: str) -> None:
    """A tab, a star and an at sign are named on their own line, each with its cure.

    Reported as jentic/jentic-one#983 and Nayjest/lm-proxy#79.
    """
    line = edit(root, "backlog.yaml", old, new)
    fault = next(fault for fault in faults_of(root) if fault.file == "backlog.yaml")
    assert fault.line == line
    assert cause in fault.message
    assert fault.cure
