"""The context plan: every unit accounted for, scopes and gates closed, ceilings held."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.knowledge.manifest import parse_manifest
from daemon.sprint.context import (
    ContextPlan,
    KnownFinding,
    context_plan_as_json,
    context_plan_from_json,
    load_sources,
    plan_context,
)
from daemon.workspace.definitions import Agent, BacklogItem

_AGENT = Agent(
    id="market-researcher", name="Market Researcher", tier="routine", teams=("market",),
    reads=("memory/market/", "memory/findings/"), max_output_tokens=2000, instructions="Work.",
    file="agents/market-researcher.md",
)  # fmt: skip
_ITEM = BacklogItem(
    id="PRICE-1", title="Rival prices", question="What do rivals charge for a seat?",
    agent="market-researcher", criterion="pays-enough", playbook="comparison", priority=1,
    added_on=date(2026, 11, 1),
)  # fmt: skip


class Space:
    """A workspace in a temporary folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.units: list[str] = []

    def file(self, path: str, text: str | bytes = "x" * 40) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())

    def unit(
        self, unit_id: str, more: str = "", *, path: str = "", text: str | bytes = "x" * 40
    ) -> None:
        path = path or f"memory/market/{unit_id}.md"
        intent = "" if "intent" in more else ", intent: rivals"
        self.file(path, text)
        self.units.append(f"- {{id: {unit_id}, path: {path}{intent}{more and ', ' + more}}}\n")

    def plan(self, **more: Any) -> ContextPlan:
        manifest = parse_manifest("units:\n" + "".join(self.units), "knowledge.yaml")
        given: dict[str, Any] = {
            "manifest": manifest, "findings": (), "agent": _AGENT, "item": _ITEM,
            "as_of": date(2026, 11, 30), "ceiling_tokens": 1000, "max_units": 10, "root": self.root,
        }  # fmt: skip
        plan = plan_context(**(given | more))
        ids = [unit.id for unit in (*plan.loaded, *plan.skipped)]
        assert sorted(ids) == sorted(set(ids))
        assert {unit.id for unit in manifest.units} <= set(ids)
        assert all(unit.reason for unit in (*plan.loaded, *plan.skipped))
        assert plan.tokens == sum(unit.tokens for unit in plan.loaded) <= plan.ceiling_tokens
        return plan


@pytest.fixture
def space(tmp_path: Path) -> Space:
    """An empty workspace with a memory folder."""
    (tmp_path / "memory").mkdir()
    return Space(tmp_path)


def _loaded(plan: ContextPlan) -> list[str]:
    return [unit.id for unit in plan.loaded]


def _reason(plan: ContextPlan, unit_id: str) -> str:
    return {unit.id: unit.reason for unit in (*plan.loaded, *plan.skipped)}[unit_id]


def test_units_come_in_the_order_of_the_rules(space: Space) -> None:
    """Named, then by KCP score, then by words, then findings built upon, then beside."""
    space.unit("words", "intent: Charged by seating")
    space.unit("weak", "intent: rivals")
    space.unit("strong", "intent: rivals charge, triggers: [seat]")
    space.unit("named", "intent: zzz")
    space.unit("other", "intent: zzz")
    space.file("memory/findings/x/OLD-1-3.md")
    space.file("memory/findings/pays-enough/OLD-2-4.md")
    findings = (
        KnownFinding("memory/findings/pays-enough/OLD-2-4.md", "OLD-2", "pays-enough", "B"),
        KnownFinding("memory/findings/x/OLD-1-3.md", "OLD-1", "x", "A"),
    )
    item = replace(
        _ITEM,
        needs=("named",),
        depends_on=("OLD-1",),
        question="Do rivals charge by the seat, charging extra?",
    )
    plan = space.plan(item=item, findings=findings)
    assert _loaded(plan) == [
        "named", "strong", "weak", "words", "finding-old-1-3", "finding-old-2-4"
    ]  # fmt: skip
    assert _reason(plan, "named") == "the item names it"
    assert _reason(plan, "other") == "little or nothing in its map entry touches the question"
    assert "score" in _reason(plan, "strong")


def test_second_ranking_finds_inflected_words(space: Space) -> None:
    """A unit without a literal match is found by its stem, and says so."""
    space.unit("stem", "intent: Tarifas cobradas")
    item = replace(_ITEM, title="Rivales", question="¿Cuánto estarían cobrando?")
    plan = space.plan(item=item, language="es")
    assert _reason(plan, "stem") == "shares words with the question"


@pytest.mark.parametrize(
    "path", ["memory/market-secret/x.md", "memory/marketing.md", "agents/a.md"]
)
def test_unit_outside_the_scope_is_never_loaded_even_if_named(space: Space, path: str) -> None:
    """memory/market does not open memory/market-secret; a need changes nothing."""
    space.unit("u", path=path)
    agent = replace(_AGENT, reads=("memory/market", "memory/market/"))
    plan = space.plan(agent=agent, item=replace(_ITEM, needs=("u",)))
    assert _loaded(plan) == []
    assert _reason(plan, "u") == "outside what market-researcher may read"


@pytest.mark.parametrize("reads", [(), ("",), ("/",), ("./memory/",), ("memory/../memory/",)])
def test_empty_or_crooked_scope_reads_nothing(space: Space, reads: tuple[str, ...]) -> None:
    """No entry, or one that is not canonical, grants nothing."""
    space.unit("u")
    assert _loaded(space.plan(agent=replace(_AGENT, reads=reads))) == []


def test_daemons_own_folder_is_given_to_nobody(space: Space) -> None:
    """Not even a scope of everything opens state/."""
    space.unit("u", path="state/secrets/key.md")
    plan = space.plan(agent=replace(_AGENT, reads=("**",)))
    assert _reason(plan, "u") == "belongs to the daemon alone"


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("audience: [human]", "audience [\"human\"] excludes role 'market-researcher'"),
        ("deprecated: true", "deprecated"),
        ("temporal: {valid_until: '2026-11-29'}", "expired 2026-11-29"),
        ("temporal: {valid_from: '2026-12-01'}", "not active until 2026-12-01"),
        ("not_for: [seat plans]", "not_for declares it does not serve 'seat plans'"),
        ("access: restricted", "access 'restricted': agent holds no credentials"),
        ("kind: skill", "kind: skill not invoke-eligible: no explicit eligibility grant"),
        ("payment: {methods: [{type: subscription}]}", "unaffordable: needs subscription"),
    ],
)
def test_named_unit_that_a_gate_refuses_is_not_loaded(
    space: Space, field: str, reason: str
) -> None:
    """Fail closed: the reason is the gate's."""
    space.unit("u", field)
    plan = space.plan(item=replace(_ITEM, needs=("u",)))
    assert _loaded(plan) == []
    assert _reason(plan, "u") == reason


def test_map_with_an_error_drives_nothing(space: Space) -> None:
    """All its units are skipped with the first error as the reason."""
    space.unit("a")
    space.units.append("- {id: b, path: ../b.md}\n")
    plan = space.plan()
    assert _loaded(plan) == []
    assert "the map has an error" in _reason(plan, "a")


def test_need_without_a_unit_is_reported(space: Space) -> None:
    """A misspelt need does not pass in silence."""
    plan = space.plan(item=replace(_ITEM, needs=("gone",)))
    assert _reason(plan, "gone") == "the item names it, but the map has no such unit"


def test_missing_empty_linked_and_large_files_are_skipped_by_name(space: Space) -> None:
    """Each with its own reason; the sound one is loaded."""
    space.file("outside.md", "secret")
    for name in ("gone", "hard", "soft", "good"):
        space.unit(name)
    space.unit("empty", text="")
    space.unit("large", text=b"x" * 1_048_577)
    folder = space.root / "memory" / "market"
    for name in ("gone", "hard", "soft"):
        (folder / f"{name}.md").unlink()
    os.link(space.root / "outside.md", folder / "hard.md")
    (folder / "soft.md").symlink_to(space.root / "outside.md")
    plan = space.plan()
    assert _loaded(plan) == ["good"]
    assert {unit.id: unit.reason.split(";")[0] for unit in plan.skipped} == {
        "gone": "the file does not exist",
        "hard": "has a second name (hard link)",
        "soft": "is a symbolic link",
        "empty": "the file is empty",
        "large": "is larger than 1,048,576 bytes",
    }


def test_ceiling_of_tokens_is_held_and_a_smaller_unit_still_fits(space: Space) -> None:
    """A quarter of the bytes, rounded up; the walk goes on past what does not fit."""
    space.unit("a", "intent: rivals charge", text="x" * 37)
    space.unit("b", "intent: rivals charge", text="x" * 400)
    space.unit("c", "intent: rivals", text="x" * 40)
    plan = space.plan(ceiling_tokens=20)
    assert [(unit.id, unit.tokens) for unit in plan.loaded] == [("a", 10), ("c", 10)]
    assert _reason(plan, "b") == "no room: it has 100 tokens, 10 of 20 are left"


def test_ceiling_of_zero_loads_nothing(space: Space) -> None:
    """Zero is no room, never unlimited."""
    space.unit("a")
    assert _loaded(space.plan(ceiling_tokens=0)) == []
    assert _loaded(space.plan(max_units=0)) == []


def test_most_units_are_held(space: Space) -> None:
    """The rest is skipped with the number."""
    for name in ("a", "b", "c"):
        space.unit(name)
    plan = space.plan(max_units=2)
    assert _loaded(plan) == ["a", "b"]
    assert _reason(plan, "c") == "no room: 2 units are loaded already"


def test_declared_tokens_count_unless_the_file_has_outgrown_them(space: Space) -> None:
    """size_tokens is believed only where the file can be that small."""
    space.unit("honest", "size_tokens: 12", text="x" * 60)
    space.unit("stale", "size_tokens: 1", text="x" * 400)
    plan = space.plan()
    assert {unit.id: unit.tokens for unit in plan.loaded} == {"honest": 12, "stale": 100}


def test_one_file_under_two_ids_is_loaded_once(space: Space) -> None:
    """The second is skipped and names the first."""
    space.unit("a", path="memory/market/x.md")
    space.unit("b", path="memory/market/x.md")
    plan = space.plan()
    assert _reason(plan, "b") == "the same file is loaded as a"


def test_finding_built_upon_keeps_its_room(space: Space) -> None:
    """Loosely matching units cannot crowd out what the item builds on."""
    for number in range(6):
        space.unit(f"u{number}", text="x" * 400)
    space.file("memory/findings/x/OLD-1-3.md", "x" * 800)
    findings = [KnownFinding("memory/findings/x/OLD-1-3.md", "OLD-1", "x", "A")]
    item = replace(_ITEM, depends_on=("OLD-1",))
    plan = space.plan(findings=findings, item=item, ceiling_tokens=600)
    assert "finding-old-1-3" in _loaded(plan)
    assert _reason(plan, "finding-old-1-3") == "finding of OLD-1, which the item builds on"


def test_findings_are_untrusted_scoped_and_only_the_related_ones(space: Space) -> None:
    """A finding outside the scope is skipped; one on another criterion is no candidate."""
    for name in ("A-1", "B-2", "C-3"):
        space.file(f"memory/findings/pays-enough/{name}.md")
    space.file("memory/secret/D-4.md")
    findings = [
        KnownFinding("memory/findings/pays-enough/A-1.md", "A", "pays-enough", "A"),
        KnownFinding("memory/findings/pays-enough/B-2.md", "B", "else", "B"),
        KnownFinding("memory/secret/D-4.md", "D", "pays-enough", "D"),
    ]
    plan = space.plan(findings=findings)
    assert [(unit.id, unit.untrusted) for unit in plan.loaded] == [("finding-a-1", True)]
    assert [unit.id for unit in plan.skipped] == ["finding-d-4"]


def test_finding_that_the_map_refuses_does_not_come_in_by_the_other_door(space: Space) -> None:
    """A finding that is a unit too is the map's to decide."""
    path = "memory/findings/pays-enough/A-1.md"
    space.unit("a", "audience: [human]", path=path)
    plan = space.plan(findings=[KnownFinding(path, "A", "pays-enough", "A")])
    assert _loaded(plan) == []


def test_unit_marked_untrusted_stays_so(space: Space) -> None:
    """The mark reaches the source that the agent is given."""
    space.unit("a", "untrusted: true")
    sources, _ = load_sources(space.root, space.plan())
    assert [source.untrusted for source in sources] == [True]


def test_an_audience_names_agents_or_all_of_them(space: Space) -> None:
    """By id; "agent" is every agent, and a role of people is none."""
    space.unit("mine", "audience: [ux-designer, market-researcher]")
    space.unit("everyones", "audience: [agent]")
    space.unit("others", "audience: [ux-designer]")
    space.unit("peoples", "audience: [human, operator]")
    assert sorted(_loaded(space.plan())) == ["everyones", "mine"]
    ends = "excludes role 'market-researcher'"
    assert _reason(space.plan(), "others") == f'audience ["ux-designer"] {ends}'


def test_what_the_item_names_is_marked_in_the_sources(space: Space) -> None:
    """So that a writer knows what the question is about, and what a ranking added."""
    space.unit("found", "intent: rivals charge")
    space.unit("meant", "intent: zzz")
    sources, _ = load_sources(space.root, space.plan(item=replace(_ITEM, needs=("meant",))))
    assert [(source.id, source.named) for source in sources] == [("meant", True), ("found", False)]


def test_sources_are_the_notes_without_their_front_matter(space: Space) -> None:
    """Figures of the front matter are no material for an agent."""
    space.unit("a", text="---\nscore: 0.99\n---\n\n# Rivals\n\n40 USD\n")
    (source,), plan = load_sources(space.root, space.plan())
    assert (source.id, source.path, source.text) == (
        "a", "memory/market/a.md", "# Rivals\n\n40 USD"
    )  # fmt: skip
    assert _loaded(plan) == ["a"]


def test_what_vanished_was_damaged_or_grew_is_skipped_when_read(space: Space) -> None:
    """Between plan and reading anything may happen; the updated plan says what did."""
    for name in ("broken-front", "damaged", "good", "gone", "grown", "only-front"):
        space.unit(name)
    plan = space.plan(ceiling_tokens=60)
    folder = space.root / "memory" / "market"
    (folder / "gone.md").unlink()
    (folder / "damaged.md").write_bytes(b"\xff\xfe")
    (folder / "grown.md").write_text("x" * 1000)
    (folder / "only-front.md").write_text("---\na: b\n---\n")
    (folder / "broken-front.md").write_text("---\norigin: [finding\n---\n40 USD\n")
    sources, changed = load_sources(space.root, plan)
    assert [source.id for source in sources] == ["good"] == _loaded(changed)
    assert changed.tokens == 10
    skipped = {unit.id: unit.reason for unit in changed.skipped}
    assert skipped.pop("broken-front").startswith("does not say where it came from (line 2): ")
    assert skipped == {
        "damaged": "is damaged: not UTF-8 text; save it as UTF-8",
        "gone": "the file does not exist",
        "grown": "grew after it was planned: 250 tokens, no room",
        "only-front": "has no text below its front matter",
    }
    assert (folder / "damaged.md").read_bytes() == b"\xff\xfe"


def test_link_put_in_place_after_planning_is_not_followed(space: Space) -> None:
    """The file is opened safely, not by what the plan found."""
    space.unit("a")
    plan = space.plan()
    target = space.root / "memory" / "market" / "a.md"
    target.unlink()
    space.file("outside.md", "secret")
    target.symlink_to(space.root / "outside.md")
    sources, changed = load_sources(space.root, plan)
    assert sources == ()
    assert _reason(changed, "a") == "is a symbolic link"


def test_plan_survives_the_store(space: Space) -> None:
    """To JSON text and back it is the same plan."""
    space.unit("a")
    space.unit("b", "deprecated: true")
    plan = space.plan()
    assert context_plan_from_json(json.loads(json.dumps(context_plan_as_json(plan)))) == plan


def test_same_inputs_give_the_same_plan(space: Space) -> None:
    """Nothing depends on the clock or on the order of a set."""
    for number in range(20):
        space.unit(f"u{number}", "intent: rivals charge" if number % 2 else "intent: zzz")
    assert space.plan() == space.plan()


@settings(max_examples=40, deadline=None)
@given(
    units=st.lists(
        st.tuples(
            st.sampled_from(["memory/market/", "memory/market-secret/", "memory/fit/"]),
            st.sampled_from(["", "deprecated: true", "audience: [human]", "intent: zzz",
                             "access: restricted", "kind: skill", "size_tokens: 3"]),
            st.integers(0, 200),
        ),
        max_size=8,
    ),
    needs=st.lists(st.sampled_from(["u0", "u1", "u2", "u9"]), max_size=3),
    ceiling=st.integers(0, 120),
    most=st.integers(0, 5),
)  # fmt: skip
def test_every_unit_is_loaded_or_skipped_once_with_a_reason(
    tmp_path_factory: pytest.TempPathFactory,
    units: list[tuple[str, str, int]],
    needs: list[str],
    ceiling: int,
    most: int,
) -> None:
    """Whatever the map holds: complete, unique, inside scope, gates and ceilings."""
    space = Space(tmp_path_factory.mktemp("space"))
    for number, (folder, field, size) in enumerate(units):
        space.unit(f"u{number}", field, path=f"{folder}u{number}.md", text="x" * size)
    item = replace(_ITEM, needs=tuple(needs))
    plan = space.plan(item=item, ceiling_tokens=ceiling, max_units=most)
    assert len(plan.loaded) <= most
    for unit in plan.loaded:
        folder, field, size = units[int(unit.id[1:])]
        assert folder == "memory/market/"
        assert field in ("", "intent: zzz", "size_tokens: 3")
        assert size > 0
