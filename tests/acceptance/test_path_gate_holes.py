"""The twenty-two holes of a small path gate that was looked into: none of them is here.

Each is asked of the gate and, where the hole is in the opening, of the real files.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.knowledge.action import Grant, Ruling, Target, digest
from daemon.knowledge.tools import build_action
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.memory.writing import MemoryUnwritable, write_file
from tests.acceptance.path_world import POLICY, changed, make_workspace, raw, read
from tests.unit.knowledge.acting import TOOLS, action_of, asked, judged, may_read, may_write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_workspace(tmp_path)


def test_hole_01_docs_does_not_match_docs_secret() -> None:
    """With or without the slash at the end."""
    for entry in ("docs", "docs/", "docs/**"):
        assert not may_read(changed("[docs/]", f"[{entry}]"), "docs-secret/x")


def test_hole_02_empty_paths_allow_nothing() -> None:
    """Nor do paths that are left out."""
    for new in ("paths: []", "paths:"):
        assert not may_read(changed("paths: [docs/]", new), "docs/a.md")


def test_hole_03_a_missing_path_does_not_pass() -> None:
    """Neither as a call without the argument nor as an action without the target."""
    assert isinstance(build_action("ana", "read_file", {}, TOOLS), Ruling)
    assert raw("read_file").effect == "DENY"


def test_hole_04_tools_as_text_do_not_match_a_part_of_it() -> None:
    """`tools: "read_file"` gave the tool `file`."""
    policy = changed("[read_file, read_many, write_file]", '"read_file"')
    assert asked(policy, "file").gate == "policy"


def test_hole_05_paths_as_text_are_not_walked_letter_by_letter() -> None:
    """`paths: docs/` would have meant d, o, c, s and /."""
    policy = changed("[docs/]", "docs/")
    assert not may_read(policy, "d/x")
    assert asked(policy, "read_file", path="docs/a").gate == "policy"


def test_hole_06_an_empty_entry_does_not_allow_all() -> None:
    """`["docs/", ""]`: everything begins with nothing."""
    policy = changed("[docs/]", '["docs/", ""]')
    assert not may_read(policy, "private/x")
    assert "empty entry" in str(policy.faults[0])


def test_hole_07_a_symbolic_link_inside_docs_is_not_followed(root: Path) -> None:
    """To a file outside, and to one that is hidden inside."""
    (root / "docs" / "out.md").symlink_to(root.parent / "victim.txt")
    (root / "docs" / "rules.md").symlink_to("../knowledge.yaml")
    for path in ("docs/out.md", "docs/rules.md"):
        with pytest.raises(Unreadable):
            read(root, path)


def test_hole_08_a_hard_link_inside_docs_is_not_opened(root: Path) -> None:
    """It is an ordinary file to every other check: only the count of its names tells."""
    os.link(root.parent / "victim.txt", root / "docs" / "hard.md")
    with pytest.raises(Unreadable, match="hard link"):
        read(root, "docs/hard.md")
    with pytest.raises(MemoryUnwritable):
        write_file(root, "docs/hard.md", b"x")
    assert (root.parent / "victim.txt").read_text() == "victim"


def test_hole_09_up_through_a_linked_folder(root: Path) -> None:
    """docs/up/../k is docs/k by its letters and another file on disk."""
    (root / "docs" / "up").symlink_to(root.parent)
    for path in ("docs/up/../victim.txt", "docs/up/victim.txt"):
        with pytest.raises(Unreadable):
            read(root, path)
    assert raw("read_file", Target("read", "docs/up/../k")).effect == "DENY"


@pytest.mark.parametrize(
    "path", ["docs/a\x00.md", "docs/a.md\x00../../x", "docs/a\nb.md", "docs/\r"]
)
def test_hole_10_nul_and_newline_in_a_name(root: Path, path: str) -> None:
    """The one cuts the name short for the system, the other forges a line of the log."""
    assert raw("read_file", Target("read", path)).effect == "DENY"
    with pytest.raises(Unreadable):
        read(root, path)


def test_hole_11_percent_encoded_dots() -> None:
    """Once and twice encoded, in either case."""
    for up in ("%2e%2e", "%2E%2E", "%252e%252e", ".%2e"):
        assert raw("read_file", Target("read", f"docs/{up}/x")).effect == "DENY"


def test_hole_12_the_manifest_and_the_ledger_are_not_writable() -> None:
    """Nor the settings, the agents, the backlog, the rules of quality and the program."""
    policy = changed("[out/]", "['**']")
    for path in (
        "knowledge.yaml", "state/ledger/log.jsonl", "config.toml", "agents/lead.md", "backlog.yaml",
        "kill_criteria.yaml", "quality.toml", "daemon/knowledge/scope.py",
    ):  # fmt: skip
        ruling = asked(policy, "write_file", path=path, text="")
        assert (ruling.effect, ruling.final) == ("DENY", True)


def test_hole_13_reads_and_writes_are_told_apart() -> None:
    """A folder to read from is none to write to."""
    assert may_read(POLICY, "docs/a.md")
    assert not may_write(POLICY, "docs/a.md")


def test_hole_14_names_in_nfd() -> None:
    """Two spellings of one name: only the composed one may be named."""
    assert may_read(POLICY, "docs/café.md")
    assert raw("read_file", Target("read", "docs/cafe\u0301.md")).effect == "DENY"


def test_hole_15_a_name_that_begins_with_dots_is_a_name(root: Path) -> None:
    """..notes.md was blocked for looking like the way up."""
    (root / "docs" / "..notes.md").write_text("fine")
    assert may_read(POLICY, "docs/..notes.md")
    assert read(root, "docs/..notes.md") == b"fine"


def test_hole_16_odd_entries_open_nothing_by_accident() -> None:
    """`./docs/` and `.` are errors that say so; `docs/**` is what lies in docs."""
    for entry in ("./docs/", "."):
        policy = changed("[docs/]", f"[{entry}]")
        assert "has a '.' component" in str(policy.faults[0])
        assert not may_read(policy, "docs/a.md")
    policy = changed("[docs/]", "['docs/**']")
    assert may_read(policy, "docs/deep/a.md")
    assert not may_read(policy, "doc")


@pytest.mark.parametrize(
    "value", [None, 7, ["docs/a.md"], {"docs/a.md": 1}, b"docs/a.md", Path("docs/a.md")]
)
def test_hole_17_a_target_that_is_no_text_is_a_refusal(value: object) -> None:
    """It crashed; a crash is neither a refusal nor recorded."""
    assert isinstance(build_action("ana", "read_file", {"path": value}, TOOLS), Ruling)
    assert raw("read_file", Target("read", value)).effect == "DENY"  # type: ignore[arg-type]


def test_hole_18_another_case_is_no_other_file() -> None:
    """On a disk that knows no case Knowledge.YAML is the manifest."""
    policy = changed("[out/]", "['**']")
    for path in ("Knowledge.YAML", "STATE/x", "Agents/lead.md", "\u017ftate/x"):
        assert not may_write(policy, path)


def test_hole_19_a_path_is_not_opened_again_after_the_check(root: Path) -> None:
    """The folder is exchanged for a link between check and opening: the old folder stays in hand."""
    evil = root.parent / "memory-evil"
    (evil / "a.md").write_text("evil")
    with OpenRoot(root) as opened:
        assert opened.read("docs/a.md") == b"known"
        (root / "docs").rename(root / "was-docs")
        (root / "docs").symlink_to(evil)
        assert opened.read("docs/a.md") == b"known"
    with pytest.raises(Unreadable):
        read(root, "docs/a.md")


def test_hole_20_arguments_changed_after_the_check_are_another_action() -> None:
    """What was approved is held by its digest: actor, tool, targets and arguments."""
    approved = action_of("ana", "write_file", path="out/a.md", text="as shown")
    grant = Grant("team", "commit", digest(approved))
    low = {"team": "observe"}
    assert judged(POLICY, approved, ceilings=low, grants=[grant]).effect == "ALLOW"
    for other in (
        action_of("ana", "write_file", path="out/a.md", text="as sent"),
        action_of("ana", "write_file", path="out/b.md", text="as shown"),
        replace(approved, actor="bea"),
    ):
        assert judged(POLICY, other, ceilings=low, grants=[grant]).effect != "ALLOW"


def test_hole_21_a_refusal_is_a_value() -> None:
    """It says which rule and why, so that a model can correct itself; nothing is raised."""
    ruling = asked(POLICY, "read_file", path="private/x")
    assert (ruling.effect, ruling.gate) == ("DENY", "paths")
    assert ruling.reason == "ana may not read private/x with read_file"


def test_hole_22_the_scope_is_pinned_by_hash_and_nobody_can_write_it() -> None:
    """Every ruling is of one manifest; another text is another hash."""
    wider = changed("[docs/]", "['**']")
    assert len(POLICY.scope_sha256) == len(POLICY.manifest_sha256) == 64
    assert wider.scope_sha256 != POLICY.scope_sha256
    assert wider.manifest_sha256 != POLICY.manifest_sha256
    assert not may_write(changed("[out/]", "[knowledge.yaml]"), "knowledge.yaml")
