"""The systemd units: hardened, explained, and in step with the program."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.config.sections import Config, DaemonSection
from daemon.errors import AlreadyRunning, SprintdError, StoreError
from daemon.server.start import AddressRefused
from daemon.server.supervisor import longest_stop_seconds

ROOT = Path(__file__).parents[2]
UNITS = ("sprintd.service", "sprintd@.service")
ANALYZE = shutil.which("systemd-analyze")
WORST_SCORE = 2.0
NEEDS_NO_COMMENT = {"Description", "Documentation"}
analysed = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")


def text_of(unit: str) -> str:
    return (ROOT / "systemd" / unit).read_text("utf-8")


def options(unit: str) -> list[tuple[str, str]]:
    lines = [line for line in text_of(unit).splitlines() if "=" in line and line[0] != "#"]
    return [(name, value) for name, _, value in (line.partition("=") for line in lines)]


def one(unit: str, option: str) -> str:
    [found] = [value for name, value in options(unit) if name == option]
    return found


def analyse(*arguments: str) -> subprocess.CompletedProcess[str]:
    assert ANALYZE
    return subprocess.run(
        [ANALYZE, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


@analysed
@pytest.mark.parametrize("unit", UNITS)
def test_the_unit_is_hardened(unit: str) -> None:
    """2.0 or better of 10, where 10 is a service that may do everything."""
    done = analyse("security", "--offline=true", str(ROOT / "systemd" / unit))
    found = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert found, done.stdout + done.stderr
    assert float(found[1]) <= WORST_SCORE, done.stdout


@analysed
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_understands_every_line(unit: str, tmp_path: Path) -> None:
    """Nothing unknown and nothing ignored; with this Python in place of a program that is not here."""
    copy = tmp_path / unit.replace("@", "@lawyers")
    copy.write_text(text_of(unit).replace("/opt/sprintd/bin/sprintd", sys.executable))
    done = analyse("verify", str(copy))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_both_units_are_the_same_but_for_the_name() -> None:
    """What is mended in one is mended in the other."""
    single = text_of("sprintd.service").splitlines()[2:]
    many = text_of("sprintd@.service").splitlines()[2:]
    named = [
        line.replace("/etc/sprintd/%i", "/etc/sprintd").replace("-%i", "").replace(" for %i", "")
        for line in many
    ]
    assert [line.replace("/%i", "/venture") for line in named] == single


@pytest.mark.parametrize("unit", UNITS)
def test_every_option_is_explained(unit: str) -> None:
    """A comment stands above each option, or above the group that it is in."""
    for group in text_of(unit).split("\n\n"):
        explained = False
        for line in group.splitlines():
            explained = explained or line.startswith("#")
            name = line.partition("=")[0]
            assert explained or line.startswith("[") or name in NEEDS_NO_COMMENT, line


def test_systemd_is_more_patient_than_the_daemon() -> None:
    """TimeoutStopSec is above gunicorn's patience at the default grace, and the comment is true."""
    grace = Config().daemon.stop_grace_seconds
    patience = longest_stop_seconds(grace) + 1
    assert int(one(UNITS[0], "TimeoutStopSec")) > patience
    assert f"stop_grace_seconds ({grace}) and {patience - grace:g} s" in text_of(UNITS[0])


def test_the_example_says_where_the_unit_has_to_follow() -> None:
    """The longest grace needs more than the unit gives, so the daemon asks for more time itself."""
    assert longest_stop_seconds(600) > int(one(UNITS[0], "TimeoutStopSec"))
    assert DaemonSection(stop_grace_seconds=600).stop_grace_seconds == 600
    assert "asks for more by itself" in text_of(UNITS[0])


def test_a_fault_that_another_start_cannot_mend_is_not_tried_again() -> None:
    """Faults in files, usage and address, and a second daemon; a database may come back."""
    kept = {int(code) for code in one(UNITS[0], "RestartPreventExitStatus").split()}
    assert kept == {SprintdError.exit_code, AddressRefused.exit_code, AlreadyRunning.exit_code}
    assert StoreError.exit_code not in kept
    assert one(UNITS[0], "Restart") == "on-failure"


def test_the_words_to_systemd_are_expected() -> None:
    """READY and WATCHDOG come from the worker process, which is not the first one."""
    assert one(UNITS[0], "Type") == "notify"
    assert one(UNITS[0], "NotifyAccess") == "all"
    assert int(one(UNITS[0], "WatchdogSec")) >= 30
    assert one(UNITS[0], "KillMode") == "mixed"


@pytest.mark.parametrize("unit", UNITS)
def test_every_key_is_a_credential_that_may_be_missing(unit: str) -> None:
    """The names under which the daemon looks for its secrets, each with a blank as its default."""
    loaded = [value.split(":") for name, value in options(unit) if name == "LoadCredential"]
    empty = [value for name, value in options(unit) if name == "SetCredential"]
    names = [name for name, _ in loaded]
    assert names == [
        "anthropic_api_key", "slack_bot_token", "slack_app_token", "slack_signing_secret",
        "notion_token",
    ]  # fmt: skip
    assert [Path(path).name for _, path in loaded] == names
    assert empty == [f"{name}:\\x20" for name in names]
    assert "Environment" not in {name.removesuffix("File") for name, _ in options(unit)}


def test_only_state_and_memory_can_be_written() -> None:
    """The files that people edit are read-only for the daemon."""
    folder = one(UNITS[0], "WorkingDirectory")
    assert one(UNITS[0], "ReadWritePaths").split() == [f"{folder}/state", f"{folder}/memory"]
    assert one(UNITS[0], "ProtectSystem") == "strict"


def test_the_command_of_the_unit_is_one_of_ours() -> None:
    """`--workspace DIR run` is understood; --help ends it before it starts."""
    _, *arguments = one(UNITS[0], "ExecStart").split()
    done = subprocess.run(
        [sys.executable, "-m", "daemon", *arguments, "--help"], capture_output=True, check=False
    )
    assert arguments[0] == "--workspace"
    assert done.returncode == 0


def test_the_units_are_in_the_source_distribution() -> None:
    """Whoever has the sources has the units."""
    assert '"/systemd"' in (ROOT / "pyproject.toml").read_text()
