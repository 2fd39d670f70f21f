"""memory: what it would merge, what it merged, how full the documents are, where a text stands."""

from __future__ import annotations

from pathlib import Path

from daemon.clock import SystemClock
from daemon.store.owner_lock import OwnerLock
from tests.unit.cli.small import as_json, sprintd

FINDING = "memory/findings/KC1/B01-1.md"


def files(root: Path) -> dict[str, bytes]:
    found = (path for path in (root / "memory").rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def test_a_dry_run_shows_and_writes_nothing(worked: Path) -> None:
    """Also while a daemon runs, which keeps the real one out."""
    before = files(worked)
    lock = OwnerLock(worked / "state")
    lock.acquire(SystemClock().now())
    try:
        said = sprintd(worked, "memory", "consolidate", "--dry-run", "--keep-days", "0").stdout
        refused = sprintd(worked, "memory", "consolidate", "--keep-days", "0")
    finally:
        lock.release()
    assert said.startswith("Nothing was written. It would be:\nsprintd, memory of ")
    assert "memory/consolidated/market-research.md" in said
    assert refused.returncode == 4
    assert "see what it would do with --dry-run, or stop it first" in refused.stderr
    assert files(worked) == before


def test_it_merges_and_the_next_run_has_nothing_to_do(worked: Path) -> None:
    """What was merged has its place; young findings wait unless they are asked for. Its report stands
    among the others, once: a run that merged nothing is no news."""
    assert as_json(worked, "memory", "consolidate")["merged"] == {}
    done = as_json(worked, "memory", "consolidate", "--keep-days", "0")
    assert done["merged"] == {FINDING: "memory/consolidated/market-research.md"}
    assert not (worked / FINDING).exists()
    assert (worked / f"memory/archive/{done['run']}/findings/KC1/B01-1.md").is_file()
    assert "\nmarket-research.md " in sprintd(worked, "memory", "status").stdout
    again = sprintd(worked, "memory", "consolidate", "--keep-days", "0").stdout
    assert "No note was to be merged; no file was changed." in again
    (kept,) = as_json(worked, "report", "--list")["reports"]
    assert kept["kind"] == "consolidation"
    assert Path(kept["file"]).read_text().startswith("# ")
    assert as_json(worked, "check")["ok"]
    assert "B01" in sprintd(worked, "show", "B01").stdout


def test_status_shows_the_room_and_what_waits(worked: Path) -> None:
    """Before a run, and after it with the size of each document."""
    (worked / "memory/findings/KC1/bin.md").write_bytes(b"# Bin\n\xff\xfe x\n")
    said = sprintd(worked, "memory", "status").stdout
    assert "No documents yet." in said
    assert f"- {FINDING}: is younger than 7 days" in said
    assert "bin.md: is damaged: not UTF-8 text; save it as UTF-8" in said
    sprintd(worked, "memory", "consolidate", "--keep-days", "0")
    facts = as_json(worked, "memory", "status")
    (document,) = facts["documents"]
    size = (worked / document["path"]).stat().st_size
    assert (document["bytes"], facts["ceiling_bytes"]) == (size, 16_000)
    assert facts["last_run"]["documents"] == [{"path": document["path"], "bytes": size}]
    assert "1 note merged." in sprintd(worked, "memory", "status").stdout
    assert as_json(worked, "status")["memory"] == facts["last_run"]


def test_find_looks_everywhere_and_exits_1_where_it_is_nowhere(worked: Path) -> None:
    """In notes, documents and archive, whatever the case; a link is told and not followed."""
    sprintd(worked, "memory", "consolidate", "--keep-days", "0")
    (worked / "secret.txt").write_text("The Harbour")
    (worked / "memory/link.md").symlink_to(worked / "secret.txt")
    found = as_json(worked, "memory", "find", "HARBOUR OF ARENAL HANDLED 4,120")
    folders = {one["path"].split("/")[1] for one in found["found"]}
    assert {"archive", "consolidated"} <= folders
    assert found["skipped"] == [{"path": "memory/link.md", "reason": "is a symbolic link"}]
    nowhere = sprintd(worked, "memory", "find", "no such words")
    assert nowhere.returncode == 1
    assert "It stands nowhere in memory/." in nowhere.stdout
    nothing = sprintd(worked, "memory", "find", " ")
    assert nothing.returncode == 2
    assert "is empty; give a word or a figure" in nothing.stderr
