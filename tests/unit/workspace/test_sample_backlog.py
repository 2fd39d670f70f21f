"""The sample's backlog and kill criteria fit the collected tasks, the notes and the agents."""

from __future__ import annotations

from datetime import date

from tests.unit.workspace.sample_files import (
    NUMBER,
    ROOT,
    collected,
    items,
    sample,
    sample_notes,
    squeezed,
    units,
)


def test_the_backlog_holds_every_task_as_collected() -> None:
    """Same ids in the same order, same words, role, criterion and outside event."""
    tasks = collected()["tasks"]
    assert list(items()) == [f"T{number:02}" for number in range(1, 38)]
    for task in tasks:
        item = items()[task["id"]]
        assert item["agent"] == task["role"]
        assert item["criterion"] == task["kc"]
        assert squeezed(item["title"]) == squeezed(task["title"])
        assert squeezed(item["question"]) == squeezed(task["question"])
        assert squeezed(item.get("waiting_for", "")) == squeezed(task["waiting"] or "")


def test_an_item_needs_exactly_the_notes_of_its_facts() -> None:
    """Nothing that a task builds on is missing from its context, and nothing else is forced in."""
    unit_of = {unit["path"]: unit["id"] for unit in units()}
    home = {fact: unit_of[note.path] for note in sample_notes() for fact in note.facts}
    for task in collected()["tasks"]:
        wanted = {home[fact] for fact in task["facts"]}
        assert sorted(items()[task["id"]]["needs"]) == sorted(wanted), task["id"]


def test_the_agent_of_an_item_may_read_what_it_needs() -> None:
    """Otherwise the item could never be given its context."""
    audience = {unit["id"]: unit["audience"] for unit in units()}
    for item in items().values():
        assert [need for need in item["needs"] if item["agent"] not in audience[need]] == []


def test_an_item_names_a_playbook_that_exists() -> None:
    """Every kind of deliverable is described."""
    playbooks = {file.stem for file in (ROOT / "agents" / "playbooks").glob("*.md")}
    assert {item["playbook"] for item in items().values()} <= playbooks


def test_four_items_wait_and_all_others_can_become_eligible() -> None:
    """Doing what is eligible, again and again, finishes 33 items and leaves T34 to T37."""
    waiting = {name for name, item in items().items() if item.get("waiting_for")}
    done: set[str] = set()
    rounds = 0
    while ready := {
        name
        for name, item in items().items()
        if name not in done | waiting and set(item["depends_on"]) <= done
    }:
        done |= ready
        rounds += 1
    assert waiting == {"T34", "T35", "T36", "T37"}
    assert done == set(items()) - waiting
    assert rounds <= 3


def test_dependencies_form_no_circle() -> None:
    """Every item can be put after all those it depends on."""
    for name in items():
        seen: set[str] = set()
        ahead = list(items()[name]["depends_on"])
        while ahead:
            current = ahead.pop()
            assert current != name, f"{name} depends on itself"
            if current not in seen:
                seen.add(current)
                ahead += items()[current]["depends_on"]


def test_priorities_run_from_one_to_five_and_serve_every_criterion_early() -> None:
    """Each criterion has an item of the first two priorities that needs no other item."""
    first = [item for item in items().values() if item["priority"] in {"1", "2"}]
    assert {item["priority"] for item in items().values()} <= {"1", "2", "3", "4", "5"}
    assert {item["criterion"] for item in first if not item["depends_on"]} == {
        "KC1", "KC2", "KC3", "KC4", "KC5",
    }  # fmt: skip


def test_kill_criteria_are_measurable_and_end_in_2027() -> None:
    """Five criteria, each with a green and a red line in numbers and a deadline next year."""
    criteria = sample("kill_criteria.yaml")["criteria"]
    keys = ["id", "name", "question", "evidence", "threshold", "deadline", "if_failed"]
    assert [criterion["id"] for criterion in criteria] == ["KC1", "KC2", "KC3", "KC4", "KC5"]
    for criterion in criteria:
        rest = [key for key in criterion if key not in keys]
        assert [key for key in criterion if key in keys] == keys
        assert rest in (["tests"], ["tests", "rubric"])
        assert all(criterion.values())
        assert date.fromisoformat(criterion["deadline"]).year == 2027
        green, red = criterion["threshold"].split("Red:")
        assert green.startswith("Green:")
        assert NUMBER.search(green)
        assert NUMBER.search(red)


def test_kill_criteria_keep_their_collected_names() -> None:
    """The founders find the criteria under the names they gave them."""
    named = {row["id"]: row["name"] for row in sample("kill_criteria.yaml")["criteria"]}
    assert named == collected()["kill_criteria"]
