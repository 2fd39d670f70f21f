"""docs/operations.md against the program: causes, commands, metrics, exit codes, files."""

from __future__ import annotations

import re
import tomllib

import click
import pytest

from daemon.cli import main
from daemon.config.phrases import Phrases
from daemon.config.sections import Config
from daemon.governance.known_causes import CAUSES, explain_cause
from tests.workspaces import ROOT

DOC = (ROOT / "docs" / "operations.md").read_text("utf-8")
HTTP = (ROOT / "docs" / "http.md").read_text("utf-8")
CONTEXT = click.Context(main)


def blocks(*kinds: str) -> list[str]:
    """The blocks of these kinds; "" is one without a kind."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", DOC, re.M | re.S)
    return [text for kind, text in found if kind in kinds]


def test_the_table_of_causes_is_the_programs() -> None:
    """Each known cause in its order, with the words that an alert has."""
    rows = re.findall(
        r"^\| `(\w+)` \| (.*) \| (.*) \|$", DOC.split("What each alert means")[1], re.M
    )
    english = Phrases("en")
    assert rows == [(cause.name, *explain_cause(cause.name, english)) for cause in CAUSES]


def commands() -> set[str]:
    """The command lines of sprintd, in blocks and in the text."""
    lines = "\n".join(blocks("", "bash")).splitlines() + re.findall(r"`([^`\n]+)`", DOC)
    found = set()
    for line in lines:
        match = re.search(
            r"(?:^|sudo -u sprintd )sprintd (?:--workspace \S+ )?([a-z][a-z-]*.*)", line
        )
        if match and "http" not in line:
            found.add(match[1])
    return found


def test_every_command_that_is_shown_exists() -> None:
    """With its options; and at least the ones that an operator lives by are shown."""
    shown = commands()
    names = {line.split()[0] for line in shown}
    assert {"init", "check", "plan", "doctor", "backup", "reset-failures", "outbox"} <= names
    for line in shown:
        name, *words = line.split()
        found = main.get_command(CONTEXT, name)
        assert found, line
        known = {option for parameter in found.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_every_metric_that_is_used_is_served() -> None:
    """An alert on a name that nobody serves would never come."""
    served = set(re.findall(r"^\| `(sprintd_\w+)", HTTP, re.M))
    used = set(re.findall(r"\b(sprintd_[a-z_]+)", "\n".join(blocks("yaml"))))
    assert used
    assert used <= served


def test_every_setting_that_is_named_exists() -> None:
    """As section.key of config.toml, and the TOML that is shown is a configuration."""
    sections = Config.model_fields
    named = re.findall(r"`([a-z]+)\.([a-z_]+)(?: = \w+)?`", DOC)
    known = [(s, key) for s, key in named if s in sections]
    assert len(known) > 3
    for section, key in known:
        assert key in type(getattr(Config(), section)).model_fields, (section, key)
    shown = next(block for block in blocks("") if block.startswith("[web]"))
    table = tomllib.loads(shown)["web"]
    assert set(table) <= set(type(Config().web).model_fields)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"/opt/sprintd/source/(\S+)", DOC))))
def test_every_file_of_the_checkout_that_is_named_exists(path: str) -> None:
    """What is copied and installed is where the page says."""
    assert (ROOT / path).exists()


def test_the_defaults_that_are_quoted_are_the_defaults() -> None:
    """Grace, the unit's patience, and the page's address."""
    unit = (ROOT / "systemd" / "sprintd.service").read_text("utf-8")
    assert f"`daemon.stop_grace_seconds` ({Config().daemon.stop_grace_seconds})" in DOC
    [quoted] = re.findall(r"`(TimeoutStopSec=\d+)`", DOC)
    assert f"\n{quoted}\n" in unit
    assert f"127.0.0.1:{Config().web.port}/health" in DOC


def test_what_systemd_does_not_start_again_is_told() -> None:
    """The table of exit codes says "no" to 0 and to what the unit keeps from restarting."""
    unit = (ROOT / "systemd" / "sprintd.service").read_text("utf-8")
    [kept] = re.findall(r"^RestartPreventExitStatus=(.*)$", unit, re.M)
    told = re.findall(r"^\| (\d) \| .* \| no \|$", DOC, re.M)
    assert told == ["0", *kept.split()]
    assert re.search(r"^\| 3 \| .* \| yes, every 30 s", DOC, re.M)
    assert "\nRestartSec=30\n" in unit
