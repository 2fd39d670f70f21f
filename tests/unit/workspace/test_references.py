"""Whatever one file says about another is checked, and every broken reference is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.errors import Fault, WorkspaceInvalid
from daemon.workspace.loader import load_workspace
from tests.unit.workspace.small_workspace import AGENT, edit, write, write_workspace

FIRST = "playbook: memo\n    priority: 1"
SECOND = "criterion: demand\n    playbook: memo\n    priority: 3"
WAITS = "[size-market]"


def faults_of(root: Path) -> tuple[Fault, ...]:
    with pytest.raises(WorkspaceInvalid) as caught:
        load_workspace(root)
    return caught.value.faults


@pytest.mark.parametrize(
    ("old", "new", "key", "message", "cure"),
    [
        ("agent: ada", "agent: adda", "items[0].agent", "there is no agent adda", "ada?"),
        (FIRST, "playbook: demo", "items[0].playbook", "there is no playbook demo", "memo?"),
        (SECOND, "criterion: zzz", "items[1].criterion", "there is no criterion zzz", ""),
        (WAITS, "[x, sizemarket]", "items[1].depends_on[1]", "there is no item sizemarket", "-"),
        ("agent: ada", "agent: ''", "items[0].agent", "is empty", "name the agent"),
    ],
)
def test_an_item_names_only_what_exists(
    tmp_path: Path, old: str, new: str, key: str, message: str, cure: str
) -> None:
    """Agent, criterion, playbook and other items; the nearest name is offered."""
    root = write_workspace(tmp_path)
    kept = old.partition("\n")
    edit(root, "backlog.yaml", old, new + kept[1] + kept[2])
    found = {fault.key: fault for fault in faults_of(root)}
    assert (found[key].file, found[key].message) == ("backlog.yaml", message)
    assert cure in found[key].cure


def test_a_circle_of_items_is_named_in_full(tmp_path: Path) -> None:
    """The first item of the circle carries the fault, with the way round."""
    root = write_workspace(tmp_path)
    edit(
        root,
        "backlog.yaml",
        "added_on: 2026-11-01",
        "added_on: 2026-11-01\n    depends_on: [check-permit]",
    )
    (fault,) = faults_of(root)
    assert (fault.line, fault.key) == (10, "items[0].depends_on")
    assert fault.message.endswith("circle: size-market -> check-permit -> size-market")


def test_an_item_that_waits_for_itself_is_a_circle(tmp_path: Path) -> None:
    """The shortest circle of all."""
    root = write_workspace(tmp_path)
    edit(root, "backlog.yaml", "[size-market]", "[check-permit]")
    (fault,) = faults_of(root)
    assert fault.message.endswith("circle: check-permit -> check-permit")


def test_two_circles_are_two_faults(tmp_path: Path) -> None:
    """All circles are told, not only the first that is found."""
    root = write_workspace(tmp_path)
    edit(root, "backlog.yaml", "[size-market]", "[check-permit]")
    edit(
        root,
        "backlog.yaml",
        "added_on: 2026-11-01",
        "added_on: 2026-11-01\n    depends_on: [size-market]",
    )
    assert [fault.key for fault in faults_of(root)] == [
        "items[0].depends_on",
        "items[1].depends_on",
    ]


def test_members_of_teams_exist(tmp_path: Path) -> None:
    """A misspelt member is offered the right name; the agent's own file disagrees as well."""
    root = write_workspace(tmp_path)
    edit(root, "agents/teams.yaml", "members: [ada, ben]", "members: [adda, ben]")
    found = faults_of(root)
    by_file = {fault.file: fault for fault in found}
    assert by_file["agents/teams.yaml"].key == "teams[0].members[0]"
    assert by_file["agents/teams.yaml"].cure == "did you mean ada?"
    assert "whose members in agents/teams.yaml lack ada" in by_file["agents/ada.md"].message
    assert "ada is in no team" in by_file["backlog.yaml"].message


def test_a_team_and_its_member_must_agree(tmp_path: Path) -> None:
    """The team lists an agent whose own file does not list the team."""
    root = write_workspace(tmp_path)
    edit(root, "agents/ben.md", "teams: [growth, law]", "teams: [growth]")
    (fault,) = faults_of(root)
    assert (fault.file, fault.line, fault.key) == ("agents/teams.yaml", 9, "teams[1].members[0]")
    assert "whose own file does not list the team law" in fault.message


def test_an_agent_names_only_teams_that_exist(tmp_path: Path) -> None:
    """With the line of the name in the front matter."""
    root = write_workspace(tmp_path)
    edit(root, "agents/ada.md", "teams: [growth]", "teams:\n  - growth\n  - groth")
    (fault,) = faults_of(root)
    assert (fault.file, fault.line, fault.key) == ("agents/ada.md", 7, "teams[1]")
    assert fault.cure == "did you mean growth?"


def test_a_member_twice_in_a_team_is_a_fault(tmp_path: Path) -> None:
    """Otherwise it would be chosen twice."""
    root = write_workspace(tmp_path)
    edit(root, "agents/teams.yaml", "members: [ada, ben]", "members: [ada, ben, ada]")
    (fault,) = faults_of(root)
    assert fault.key == "teams[0].members[2]"


def test_an_item_that_no_team_can_work_on_is_a_fault(tmp_path: Path) -> None:
    """Its agent exists but serves no sprint focus."""
    root = write_workspace(tmp_path)
    write(root, "agents/solo.md", AGENT.format(id="solo", name="Solo", teams=""))
    edit(root, "backlog.yaml", "agent: ada", "agent: solo")
    (fault,) = faults_of(root)
    assert (fault.key, fault.line) == ("items[0].agent", 5)
    assert "solo is in no team" in fault.message


@pytest.mark.parametrize(
    ("second", "note"), [("size-market", ""), ("Size-Market", "differs only in case")]
)
def test_ids_are_unique_without_regard_to_case(tmp_path: Path, second: str, note: str) -> None:
    """Ids become file names, and some disks do not tell a from A."""
    root = write_workspace(tmp_path)
    edit(root, "backlog.yaml", "id: check-permit", f"id: {second}")
    edit(root, "backlog.yaml", "    depends_on: [size-market]\n", "")
    (fault,) = faults_of(root)
    assert fault.line == 10
    assert f"{second} is already used in backlog.yaml:2" in fault.message
    assert note in fault.message
