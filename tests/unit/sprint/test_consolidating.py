"""The consolidation in a workspace: the gate, the store, the map's overlay, the flow, the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.llm.provider import Completion, Prompt, Usage
from daemon.memory.sizes import last_sizes
from daemon.reports.status import take_status
from daemon.sprint.beforehand import context_for
from daemon.sprint.consolidating import MergeRefused, consolidate_memory, recover_memory
from daemon.sprint.flow_files import stored_texts
from daemon.sprint.offer import Assignment
from daemon.sprint.runner import run_sprint
from daemon.store import findings
from tests.standins.priced_writer import PricedWriter, price_the_writer
from tests.workspaces import NOON, copy_sample

MARKET = "memory/consolidated/market-research.md"


class Orderer(PricedWriter):
    """Writes findings as the offline writer does, and answers with `said` where JSON is wanted."""

    writes_json = False
    said = ""

    def send(self, prompt: Prompt) -> Completion:
        if prompt.schema is None:
            return super().send(prompt)
        self.calls += 1
        return Completion(self.said, prompt.model, Usage(100, 50), "end_turn")


class World:
    """A workspace in which sprints ran at noon of 2026-11-30, eight days ago."""

    def __init__(self, root: Path, config: str = "", *, sprints: int = 2) -> None:
        self.clock, self.writer = ManualClock(NOON), Orderer()
        self.root = price_the_writer(copy_sample(root, config))
        self.services: Services = build_services(
            self.root, environ={}, say=lambda line: None, clock=self.clock, provider=self.writer
        )
        self.parts = self.services.sprint_parts
        for _ in range(sprints):
            run_sprint(self.parts)
        self.clock.advance(timedelta(days=8))

    def context(self, agent: str, item: str) -> Any:
        workspace, manifest = self.parts.source.load(), self.parts.map.load()
        return context_for(self.parts, workspace, manifest, Assignment(item, agent, ""))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    built = World(tmp_path / "venture")
    yield built
    built.services.close()


def test_agents_get_the_document_in_place_of_the_findings(world: World) -> None:
    """By the overlay: no unit of the map names it, and it is untrusted and as strict as its parts."""
    (row,) = [row for row in findings.list_findings(world.services.db) if row.criterion == "KC1"][
        :1
    ]
    consolidate_memory(world.parts)
    item = next(i for i in world.parts.source.load().items if i.criterion == "KC1" and i.id != row.item
                and row.item not in i.depends_on)  # fmt: skip
    context = world.context(item.agent, item.id)
    seen = {unit.path: unit for unit in (*context.loaded, *context.skipped)}
    assert MARKET in seen
    assert not [path for path in seen if path.endswith(row.path.rpartition("/")[2])]
    (unit,) = [unit for unit in context.loaded if unit.path == MARKET]
    assert (unit.id, unit.untrusted) == ("document-market-research", True)
    assert unit.reason == "merged of findings on the same criterion, KC1"


def test_an_item_that_builds_on_an_archived_finding_gets_it_as_before(world: World) -> None:
    """Its scope speaks of the path that it had."""
    items = world.parts.source.load().items
    done = {row.item: row for row in findings.list_findings(world.services.db)}
    item = next(one for one in items if set(one.depends_on) & set(done))
    before = world.context(item.agent, item.id)
    consolidate_memory(world.parts)
    after = world.context(item.agent, item.id)
    needed = [done[one].path.removeprefix("memory/") for one in item.depends_on if one in done]
    given = {unit.path for unit in after.loaded}
    assert {f"memory/{name}" for name in needed} <= {unit.path for unit in before.loaded}
    assert {f"memory/archive/2026-W50/{name}" for name in needed} <= given


def test_who_may_not_read_a_part_may_not_read_the_document(world: World) -> None:
    """Also where the scopes were narrowed after the merge; the plan names the part."""
    consolidate_memory(world.parts)
    item = next(i for i in world.parts.source.load().items if i.criterion == "KC1")
    path = world.root / f"agents/{item.agent}.md"
    path.write_text(path.read_text().replace("memory/findings/", "memory/findings/KC9/"))
    context = world.context(item.agent, item.id)
    assert MARKET not in {unit.path for unit in context.loaded}
    (skipped,) = [unit for unit in context.skipped if unit.path == MARKET]
    assert skipped.gate == "scope"
    assert skipped.reason.startswith(f"holds what {item.agent} may not read: memory/findings/KC")


def test_every_step_stands_in_the_ledger_and_the_sizes_in_the_status(world: World) -> None:
    """As `consolidation`; each file by a decision of its own."""
    done = consolidate_memory(world.parts)
    tools = []
    for path in sorted((world.root / "state/ledger").rglob("*")):
        if path.is_file():
            lines = path.read_text("utf-8", "replace").splitlines()
            entries = [
                json.loads(line) for line in lines if line.startswith("{") and '"actor"' in line
            ]
            tools += [e["action"]["tool"] for e in entries
                      if e["type"] == "decision" and e["actor"] == "consolidation"]  # fmt: skip
    plan = done.merged.plan
    assert tools.count("memory.move") == len(plan.moves) > 0
    assert tools.count("memory.write") == len(plan.documents) + len(plan.kept_files) + 1
    sizes = last_sizes(world.services.db)
    assert sizes is not None
    assert {one["path"] for one in sizes["documents"]} == {one.path for one in plan.documents}
    status = take_status(
        world.services.db, world.services.budget, provider="x", backlog={}, faults=()
    )
    assert status.as_json()["memory"] == sizes


def test_a_policy_that_forbids_it_stops_it_and_it_goes_on_when_allowed(world: World) -> None:
    """Nothing is moved meanwhile, and what was begun is finished by the next start."""
    path = world.root / "knowledge.yaml"
    whole = path.read_text()
    path.write_text(whole.replace("[model.call, memory.write, memory.move]", "[memory.write]"))
    before = sorted(p.name for p in (world.root / "memory/findings").rglob("*.md"))
    with pytest.raises(MergeRefused, match=r"memory\.move"):
        consolidate_memory(world.parts)
    assert sorted(p.name for p in (world.root / "memory/findings").rglob("*.md")) == before
    assert "waits" in recover_memory(world.parts)[0]
    path.write_text(whole)
    world.parts.source.load()
    assert recover_memory(world.parts) == [
        "the consolidation of the memory that was cut off is finished"
    ]
    assert recover_memory(world.parts) == []
    assert list((world.root / "memory/findings").rglob("*.md")) == []
    assert {row.path.split("/")[1] for row in findings.list_findings(world.services.db)} == {
        "archive"
    }


def test_the_flow_knows_documents_and_the_archive(world: World) -> None:
    """What came from outside comes from outside there too, with the list of the run or without it."""
    manifest = world.parts.map.load()
    before = {t.provenance for t in stored_texts(world.root, manifest)}
    consolidate_memory(world.parts)
    found = stored_texts(world.root, manifest)
    assert {t.provenance for t in found if t.path.startswith("memory/archive/")} >= before
    outside = [t for t in found if t.path.startswith("memory/consolidated/")]
    assert bool(outside) == any(p.outside for p in before)
    index = world.root / "memory/archive/2026-W50/index.json"
    index.write_text("no list")
    again = stored_texts(world.root, manifest)
    assert {(t.path, t.parts) for t in again} == {(t.path, t.parts) for t in found}


def test_a_model_is_asked_for_the_order_and_paid_once(tmp_path: Path) -> None:
    """Its answer is in the document; nonsense leaves the plain order and is told."""
    built = World(tmp_path / "venture", sprints=6)
    try:
        built.writer.writes_json = True
        for said, arranged in (
            ('{"groups": [{"heading": "", "topics": [2, 1]}]}', True),
            ("no", False),
        ):
            built.writer.said = said
            for path in (built.root / "memory/archive").glob("*/findings/**/*.md"):
                path.rename(built.root / "memory/findings/KC1" / path.name)
            calls = built.writer.calls
            done = consolidate_memory(built.parts)
            assert done.merged.arranged is arranged
            assert bool(done.remarks) is not arranged
            assert built.writer.calls > calls
            for path in (built.root / "memory/consolidated").glob("*.md"):
                path.unlink()
            built.clock.advance(timedelta(days=1))
    finally:
        built.services.close()


def test_without_money_the_order_is_the_plain_one(tmp_path: Path) -> None:
    """A refusal of the budget is no failure, and nobody is asked."""
    built = World(tmp_path / "venture", "[budget]\ndaily_cap_usd = 0\n", sprints=0)
    try:
        built.writer.writes_json = True
        folder = built.root / "memory/findings/KC1"
        folder.mkdir(parents=True)
        for number in range(5):
            text = f'---\ntitle: "Topic {number}"\ncreated_at: "2026-11-01"\norigin: finding\n---\n\nA fact.\n'
            (folder / f"T{number}-1.md").write_text(text.replace("fact", f"fact {number}"))
        done = consolidate_memory(built.parts)
        assert built.writer.calls == 0
        assert len(done.merged.plan.taken) == 5
        assert "cap" in done.remarks[0]
    finally:
        built.services.close()


def test_an_older_copy_of_the_database_finds_what_was_archived_since(world: World) -> None:
    """Its findings are where the archive has them, from the next start on."""
    db = world.services.db
    before = [row.path for row in findings.list_findings(db)]
    consolidate_memory(world.parts)
    after = [row.path for row in findings.list_findings(db)]
    for old, new in zip(before, after, strict=True):
        findings.move_finding(db, new, old)
    assert recover_memory(world.parts) == [
        f"{len(set(before) - set(after))} findings are in the archive: found again"
    ]
    assert [row.path for row in findings.list_findings(db)] == after
    assert recover_memory(world.parts) == []
