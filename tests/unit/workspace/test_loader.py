"""A sound workspace loads as written; a broken one tells all its faults at once."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.errors import Fault, WorkspaceInvalid
from daemon.workspace.definitions import BacklogItem
from daemon.workspace.loader import load_workspace
from tests.unit.workspace.small_workspace import BACKLOG, edit, write, write_workspace

ROOT = Path(__file__).parents[3]


def faults_of(root: Path) -> tuple[Fault, ...]:
    with pytest.raises(WorkspaceInvalid) as caught:
        load_workspace(root)
    return caught.value.faults


def test_a_sound_workspace_loads_as_written(tmp_path: Path) -> None:
    """Every noun, in the order of its file, with its types."""
    workspace = load_workspace(write_workspace(tmp_path))
    assert [agent.id for agent in workspace.agents] == ["ada", "ben"]
    assert workspace.agent("ada").reads == ("memory/", "notes/*.md")
    assert workspace.agent("ada").file == "agents/ada.md"
    assert workspace.agent("ada").instructions.startswith("Answer the question")
    assert workspace.team("growth").members == ("ada", "ben")
    assert workspace.playbook("memo").profile == "report"
    assert workspace.criteria[0].threshold == "10 of 50"
    assert workspace.item("check-permit") == BacklogItem(
        id="check-permit",
        title="Check the permit",
        question="Which permit does a bakery need?",
        agent="ben",
        criterion="demand",
        playbook="memo",
        priority=3,
        added_on=date(2026, 11, 2),
        needs=("permits",),
        depends_on=("size-market",),
        waiting_for="the ministry's answer",
        not_before=date(2026, 12, 24),
    )


def test_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    """One fault in each of six files gives six faults, each with its file and line."""
    root = write_workspace(tmp_path)
    edit(root, "agents/ada.md", "tier: routine", "tier: rutine")
    edit(root, "agents/playbooks/memo.md", "profile: report", "profile: poem")
    edit(root, "agents/teams.yaml", "purpose: Find out what sells.", "porpose: x")
    edit(root, "backlog.yaml", "priority: 1", "priority: high")
    edit(root, "kill_criteria.yaml", "2027-03-31", "31.03.2027")
    write(root, "agents/eve.md", "no front matter")
    found = [(fault.file, fault.line, fault.key) for fault in faults_of(root)]
    assert found == [
        ("agents/ada.md", 4, "tier"),
        ("agents/eve.md", 1, ""),
        ("agents/playbooks/memo.md", 4, "profile"),
        ("agents/teams.yaml", 4, "teams[0].porpose"),
        ("backlog.yaml", 8, "items[0].priority"),
        ("kill_criteria.yaml", 7, "criteria[0].deadline"),
    ]


def test_a_broken_entry_does_not_make_references_to_it_look_broken(tmp_path: Path) -> None:
    """The agent, playbook and item above have faults of their own but they exist."""
    root = write_workspace(tmp_path)
    edit(root, "agents/ben.md", "max_output_tokens: 2000", "max_output_tokens: many")
    edit(root, "backlog.yaml", "priority: 1", "priority: 0")
    assert [(fault.file, fault.key) for fault in faults_of(root)] == [
        ("agents/ben.md", "max_output_tokens"),
        ("backlog.yaml", "items[0].priority"),
    ]


def test_an_unreadable_file_hides_nothing_else(tmp_path: Path) -> None:
    """One file that is not UTF-8 is named; the other files' faults are told all the same."""
    root = write_workspace(tmp_path)
    (root / "agents" / "ada.md").write_bytes(b"---\nid: ada\n# \xff\xfe\n---\nx\n")
    edit(root, "kill_criteria.yaml", "name: Demand", "name: ''")
    found = faults_of(root)
    assert [(fault.file, fault.line) for fault in found] == [
        ("agents/ada.md", 3),
        ("kill_criteria.yaml", 3),
    ]
    assert "not UTF-8" in found[0].message
    assert (root / "agents" / "ada.md").read_bytes().startswith(b"---\nid: ada\n# \xff\xfe")


@pytest.mark.parametrize("file", ["agents/teams.yaml", "backlog.yaml", "kill_criteria.yaml"])
def test_a_missing_file_is_one_fault_with_the_cure(tmp_path: Path, file: str) -> None:
    """No flood of broken references, and the command that makes a sample."""
    root = write_workspace(tmp_path)
    (root / file).unlink()
    (fault,) = faults_of(root)
    assert (fault.file, fault.message) == (file, "is missing")
    assert "sprintd init" in fault.cure


def test_an_empty_folder_lacks_everything(tmp_path: Path) -> None:
    """Five faults, one for each kind of file."""
    assert [fault.file for fault in faults_of(tmp_path)] == [
        "agents/*.md",
        "agents/playbooks/*.md",
        "agents/teams.yaml",
        "backlog.yaml",
        "kill_criteria.yaml",
    ]


def test_a_folder_that_does_not_exist_is_a_fault(tmp_path: Path) -> None:
    """The path that was given is in the message."""
    (fault,) = faults_of(tmp_path / "nowhere")
    assert "nowhere" in fault.file
    assert fault.message == "is not a folder"


def test_an_empty_backlog_is_sound(tmp_path: Path) -> None:
    """Nothing to do is no fault."""
    root = write_workspace(tmp_path)
    write(root, "backlog.yaml", "items: []\n")
    assert load_workspace(root).items == ()


def test_ten_thousand_items_load(tmp_path: Path) -> None:
    """The limits on size and number of entries leave room for a backlog of this length."""
    root = write_workspace(tmp_path)
    first = BACKLOG.split("  - id: check-permit")[0].removeprefix("items:\n")
    entries = (first.replace("size-market", f"item-{number}") for number in range(10_000))
    write(root, "backlog.yaml", "items:\n" + "".join(entries))
    assert len(load_workspace(root).items) == 10_000


@settings(max_examples=100, deadline=None)
@given(
    file=st.sampled_from(["agents/ada.md", "agents/teams.yaml", "backlog.yaml"]),
    at=st.integers(0, 300),
    cut=st.integers(0, 20),
    put=st.sampled_from([b"\t", b"- ", b": ", b"[", b"}", b"~", b"\n", b"'", b"\xff", b"&x ", b""]),
)
def test_no_edit_raises_anything_but_workspace_invalid(
    tmp_path_factory: pytest.TempPathFactory, file: str, at: int, cut: int, put: bytes
) -> None:
    """A slip of the keyboard anywhere gives a workspace or faults with messages."""
    root = write_workspace(tmp_path_factory.getbasetemp() / "edited")
    text = (root / file).read_bytes()
    (root / file).write_bytes(text[:at] + put + text[at + cut :])
    assert _items_or_faults(root)


def test_the_sample_of_this_repository_is_sound() -> None:
    """What `sprintd init` hands out has no fault."""
    wanted = ("agents/teams.yaml", "backlog.yaml", "kill_criteria.yaml", "agents/playbooks")
    absent = [name for name in wanted if not (ROOT / name).exists()]
    if absent:
        pytest.skip(f"the sample is not complete yet: {', '.join(absent)}")
    workspace = load_workspace(ROOT)
    assert workspace.items
    assert workspace.criteria


def _items_or_faults(root: Path) -> tuple[object, ...]:
    try:
        return load_workspace(root).items
    except WorkspaceInvalid as error:
        return error.faults
