"""What a granted playbook may not do as it is written, and what strict planning says of it."""

from __future__ import annotations

from datetime import date

import pytest

from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.plan import KnowledgePlan, PlanOptions
from daemon.knowledge.planner import plan
from daemon.knowledge.playbook import unenactable
from daemon.knowledge.unit import Step, Unit

_SCALE = ("observe", "explain", "suggest", "prepare", "commit")
_SKILL = "- {id: ship, path: s.md, kind: skill, load_eligible: %s}\n"
_PLAYBOOK = (
    "- id: release\n  path: r.md\n  kind: playbook\n  intent: release\n  load_eligible: true\n"
    "  authority_level: prepare\n  steps:\n"
)


def test_a_grant_on_a_playbook_does_not_reach_what_its_steps_use() -> None:
    """A step that uses a unit without a grant of its own: listed, and not to be loaded."""
    text = _PLAYBOOK + "  - {id: out, uses: ship}\n"
    made = _plan(_SKILL % "false" + text)
    assert [(unit.id, unit.load_eligible) for unit in made.selected] == [("release", False)]
    assert "step 'out' uses 'ship', which is not invoke-eligible" in made.selected[0].reasons[-1]
    assert _plan(_SKILL % "true" + text).selected[0].load_eligible


def test_a_step_may_not_go_further_than_the_lowest_ceiling() -> None:
    """That of the playbook, or of whoever enacts it; the one that binds is named."""
    text = _PLAYBOOK + "  - {id: out, authority_level: %s}\n"
    assert _plan(text % "prepare").selected[0].load_eligible
    refused = _plan(text % "commit").selected[0]
    assert not refused.load_eligible
    assert refused.reasons[-1] == (
        "step 'out' requires 'commit' authority, above the resolved ceiling 'prepare' (bound by "
        "playbook authority_level) — §3.13"
    )
    lowered = _plan(text % "prepare", grant_ceiling="explain").selected[0]
    assert "'explain' (bound by agent grant_ceiling)" in lowered.reasons[-1]


@pytest.mark.parametrize(
    ("ceiling", "level", "refused"),
    [("prepare", "root", True), ("root", "observe", True), ("", "commit", False)],
)
def test_a_level_that_is_not_on_the_scale_is_refused(
    ceiling: str, level: str, refused: bool
) -> None:
    """Below everything as a ceiling, too high as a step's; without a ceiling nothing is gated."""
    unit = Unit("a", "a.md", authority_level=ceiling, steps=(Step("s", authority_level=level),))
    assert bool([*unenactable(unit, {}, _SCALE, "")]) == refused


def test_the_levels_are_those_of_the_manifest_where_it_names_them() -> None:
    """A scale of its own, in its own order."""
    text = _PLAYBOOK + "  - {id: out, authority_level: commit}\n"
    assert _plan(text, root="authority_level_scale: [commit, prepare]\n").selected[0].load_eligible


def test_strict_skips_a_skill_at_its_own_gate_with_the_last_reason() -> None:
    """The gate is that of the first refusal, the sentence the last one, as in the reference."""
    text = "- {id: a, path: a.md, kind: skill, intent: release, access: restricted}\n"
    skip = _plan(text, strict=True).skipped[0]
    assert (skip.gate, skip.reason) == (
        "skill_eligibility",
        "access 'restricted': agent holds no credentials",
    )


def test_steps_that_cannot_be_read_are_an_error() -> None:
    """Read as none, they would open the playbook."""
    manifest = parse_manifest("units:\n" + _PLAYBOOK + "  - ship it\n", "k.yaml")
    assert "steps.0: is not a mapping of fields" in str(manifest.errors[0])


def _plan(
    units: str, *, root: str = "", strict: bool = False, grant_ceiling: str = ""
) -> KnowledgePlan:
    manifest = parse_manifest(f"{root}units:\n{units}", "k.yaml")
    assert manifest.errors == ()
    options = PlanOptions(date(2026, 7, 6), strict=strict, grant_ceiling=grant_ceiling)
    return plan(manifest, "release", options)
