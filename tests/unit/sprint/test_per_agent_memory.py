"""An agent is given what its own definition names; the planner is given references, no texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.paths import covers
from daemon.memory.notes import MEMORY, readable_notes
from daemon.memory.opening import OpenRoot
from daemon.sprint.context import KnownFinding, LoadedUnit, load_sources, plan_context
from daemon.sprint.prompts import planning_prompt
from daemon.sprint.reading import load_manifest
from daemon.workspace.definitions import Agent, Workspace
from daemon.workspace.loader import load_workspace
from tests.workspaces import copy_sample

FINDING = (
    "---\ntitle: Told by another\norigin: finding\n---\nA secret of the {criterion} folder: 41.\n"
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with one finding in the folder of each criterion."""
    root = copy_sample(tmp_path_factory.mktemp("sample") / "venture")
    for finding in known(load_workspace(root)):
        path = root / finding.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FINDING.format(criterion=finding.criterion))
    return root


def known(workspace: Workspace) -> list[KnownFinding]:
    return [
        KnownFinding(f"memory/findings/{c.id}/X-1.md", "X", c.id, "Told by another")
        for c in workspace.criteria
    ]


def given(root: Path, workspace: Workspace, agent: Agent) -> Iterator[LoadedUnit]:
    """Everything that the agent would be given for any item of the backlog."""
    for item in workspace.items:
        plan = plan_context(
            manifest=load_manifest(root), findings=known(workspace), agent=agent, item=item,
            as_of=date(2026, 11, 30), ceiling_tokens=900_000, max_units=500, root=root,
        )  # fmt: skip
        yield from load_sources(root, plan).plan.loaded


def test_every_agent_of_the_sample_gets_only_what_its_reads_name(sample: Path) -> None:
    """For every item of the backlog, also those of others; findings of others included."""
    workspace = load_workspace(sample)
    units = {unit.path: unit for unit in load_manifest(sample).units}
    for agent in workspace.agents:
        loaded = list(given(sample, workspace, agent))
        assert loaded
        for one in loaded:
            assert covers(agent.reads, one.path)
            assert one.path not in units or agent.id in units[one.path].audience


def test_findings_of_others_come_only_from_the_folders_that_are_named(sample: Path) -> None:
    """One folder of findings opens no other; none opens none."""
    workspace = load_workspace(sample)
    agent = workspace.agents[0]
    for reads, expected in (
        (("memory/findings/KC2/",), {"memory/findings/KC2/X-1.md"}),
        (("memory/security/",), set()),
    ):
        narrow = replace(agent, reads=reads)
        loaded = {one.path for one in given(sample, workspace, narrow)}
        assert {path for path in loaded if "/findings/" in path} == expected


def test_planner_is_given_references_and_no_sentence_of_a_note(sample: Path) -> None:
    """Items, teams and counts; what a confidential note says stays with those who may read it."""
    workspace = load_workspace(sample)
    team = max(workspace.teams, key=lambda one: len(one.members))
    prompt = planning_prompt(
        model="m", lead=workspace.agent(team.members[0]), team=team, candidates=workspace.items,
        covered={"KC1": 3}, tracks=2, faults=(),
    )  # fmt: skip
    assert prompt.sources == ()
    told = " ".join(f"{prompt.system} {prompt.user}".split())
    with OpenRoot(sample) as opened:
        notes = list(readable_notes(opened, MEMORY))
    assert len(notes) > 40
    for note in notes:
        for sentence in re.split(r"(?<=[.:])\s", " ".join(note.body.split())):
            assert len(sentence) < 30 or sentence not in told, note.path


def unit_of(
    front: str, more: str = "", *, path: str = "memory/security/x.md"
) -> tuple[str, str, str]:
    return (
        path,
        f"---\n{front}\n---\nThe wall is 3 m high.\n",
        f"{{id: x, path: {path}, intent: wall{more}}}",
    )


@pytest.mark.parametrize(
    ("unit", "refused"),
    [
        (unit_of("title: Plain"), ""),
        (unit_of("provenance: outside"), "came from outside"),
        (unit_of("provenance: outside", ", untrusted: true"), ""),
        (unit_of("untrusted_sources: [a]"), "came from outside"),
        (unit_of("sensitivity: restricted"), "is restricted"),
        (unit_of("sensitivity: restricted", ", sensitivity: confidential"), ""),
        (unit_of("origin: finding"), "came from outside"),
        (unit_of("origin: finding", ", untrusted: true"), "is confidential"),
        (unit_of("title: x", path="memory/inbound/x.md"), ""),
    ],
)
def test_no_text_is_given_out_as_less_than_it_says_it_is(
    unit: tuple[str, str, str], refused: str, tmp_path: Path, sample: Path
) -> None:
    """The powers of the agents were derived from the map, so the map may not make less of a text."""
    path, text, entry = unit
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(text)
    workspace = load_workspace(sample)
    plan = plan_context(
        manifest=parse_manifest(f"units:\n- {entry}\n", "knowledge.yaml"), findings=(),
        agent=replace(workspace.agents[0], reads=("memory/",)),
        item=replace(workspace.items[0], needs=("x",)),
        as_of=date(2026, 11, 30), ceiling_tokens=1000, max_units=5, root=tmp_path,
    )  # fmt: skip
    reading = load_sources(tmp_path, plan)
    if refused:
        assert reading.sources == ()
        assert refused in reading.plan.skipped[-1].reason
        return
    (source,), (loaded,) = reading.sources, reading.plan.loaded
    assert source.untrusted == loaded.outside == ("untrusted" in entry or "inbound" in entry)


def test_a_mapped_finding_is_framed_as_what_a_model_wrote(tmp_path: Path, sample: Path) -> None:
    """Its unit needs no mark for that: it lies where only models write."""
    path = "memory/findings/KC1/T01-1.md"
    (tmp_path / path).parent.mkdir(parents=True)
    front = "---\norigin: finding\nprovenance: workspace\nsensitivity: internal\n---\n"
    (tmp_path / path).write_text(front + "The wall is 3 m high.\n")
    workspace = load_workspace(sample)
    plan = plan_context(
        manifest=parse_manifest(f"units:\n- {{id: x, path: {path}}}\n", "knowledge.yaml"),
        findings=(), agent=workspace.agents[0], item=replace(workspace.items[0], needs=("x",)),
        as_of=date(2026, 11, 30), ceiling_tokens=1000, max_units=5, root=tmp_path,
    )  # fmt: skip
    (source,), (loaded,) = load_sources(tmp_path, plan).sources, plan.loaded
    assert source.untrusted
    assert not loaded.outside
