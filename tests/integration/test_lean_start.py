"""What a start loads, and what it leaves alone because nothing on that path needs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.workspaces import ROOT, copy_sample

SDKS = ("anthropic", "httpx", "httpx2", "slack_sdk", "notion_client")
WEB_AND_TIMER = ("flask", "werkzeug", "jinja2", "apscheduler")


def loaded_by(code: str, *arguments: str) -> set[str]:
    """The modules of a new process once it has run `code`."""
    tell = "import json, sys; print(json.dumps(sorted(sys.modules)))"
    ended = subprocess.run(
        [sys.executable, "-c", f"{code}\n{tell}", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        check=True,
    )
    return set(json.loads(ended.stdout.splitlines()[-1]))


def test_help_loads_no_part_of_the_daemon() -> None:
    """The list of commands is there before anything that takes long to load."""
    loaded = loaded_by(
        "from daemon.cli import main\n"
        "import contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    main(['--help'], standalone_mode=False)"
    )
    assert not loaded & {"pydantic", "yaml", "sqlite_utils", "daemon.bootstrap", *SDKS}


def test_an_offline_sprint_loads_no_sdk_and_no_web_server(tmp_path: Path) -> None:
    """The largest SDK takes longer to load than the whole sprint takes."""
    root = copy_sample(tmp_path / "venture", '[provider]\nkind = "extractive"\n')
    loaded = loaded_by(
        "import sys\n"
        "from daemon.cli import main\n"
        "assert not main(['--workspace', sys.argv[1], 'sprint'], standalone_mode=False)",
        str(root),
    )
    assert "daemon.llm.extractive" in loaded
    assert not loaded & {"gunicorn", *SDKS, *WEB_AND_TIMER}


def test_the_arbiter_holds_nothing_that_only_the_worker_needs() -> None:
    """It forks and watches; page and timetable are loaded in the process that it forks."""
    loaded = loaded_by("import daemon.cli.running, daemon.server.start")
    assert "gunicorn.arbiter" in loaded
    assert not loaded & {"daemon.web.app", "daemon.scheduling.scheduler", *SDKS, *WEB_AND_TIMER}


def test_the_worker_of_an_offline_daemon_holds_no_sdk() -> None:
    """Neither a model's SDK nor one for messages, until a setting asks for it."""
    loaded = loaded_by("import daemon.server.life, daemon.llm.extractive")
    assert {"flask", "apscheduler"} <= loaded
    assert not loaded & set(SDKS)
