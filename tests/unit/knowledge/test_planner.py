"""The planner against the conformance vectors, and the gates that the vectors leave open."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.plan import KnowledgePlan, MoneyBudget, PlanOptions
from daemon.knowledge.planner import plan, terms

_VECTORS = Path(__file__).parents[3].parent / "shared" / "vectors" / "kcp" / "planner"
_NAMES = sorted(path.stem for path in _VECTORS.glob("*.json"))


@pytest.mark.parametrize("name", _NAMES or ["none"])
def test_conformance_vector_is_reproduced_exactly(name: str) -> None:
    """Manifest text, task and options give the published outcome, reasons and order included."""
    if not _NAMES:
        pytest.skip("the KCP vectors are not on this machine")
    vector = json.loads((_VECTORS / f"{name}.json").read_text())
    manifest = parse_manifest(vector["manifest"], f"{name}.yaml")
    assert manifest.errors == ()
    made = plan(manifest, vector["task"], _options(vector["options"]))
    assert _outcome(made) == vector["expect"]


def test_all_thirteen_vectors_are_there() -> None:
    """A vector that went missing would otherwise pass without a word."""
    if not _NAMES:
        pytest.skip("the KCP vectors are not on this machine")
    assert len(_NAMES) == 13


def test_terms_drop_short_and_stop_words_and_keep_other_scripts() -> None:
    """Split on anything but letters and digits, in any script."""
    assert terms("How do I get the Strømnett-2 día año, ley_27?") == [
        "strømnett",
        "día",
        "año",
        "ley",
    ]


def test_needed_unit_passes_relevance_and_no_other_gate() -> None:
    """An item's need overrides the score only; an audience gate still refuses."""
    made = _plan(
        "- {id: a, path: a.md, intent: tariffs}\n- {id: b, path: b.md, audience: [human]}",
        needed=("a", "b"),
    )
    assert [planned.id for planned in made.selected] == ["a"]
    assert made.selected[0].score == 0
    assert [(skip.id, skip.gate) for skip in made.skipped] == [("b", "audience")]


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("temporal: {valid_from: '2026-12-01'}", "not active until 2026-12-01"),
        ("temporal: {valid_until: '2026-01-01'}", "expired 2026-01-01"),
        (
            "temporal: {valid_until: '2026-01-01', superseded_by: b}",
            "expired 2026-01-01 (superseded by b)",
        ),
        ("deprecated: true", "deprecated"),
        ("not_for: [Question Time]", "not_for declares it does not serve 'Question Time'"),
        ("triggers: [nothing]", "no task-relevance match"),
    ],
)
def test_hard_gate_gives_its_reason(field: str, reason: str) -> None:
    """Each hard gate skips with its own sentence."""
    intent = "" if "triggers" in field else "intent: a question, "
    made = _plan(f"- {{id: a, path: a.md, {intent}{field}}}", question="the question")
    assert [skip.reason for skip in made.skipped] == [reason]


def test_first_hard_failure_decides() -> None:
    """A unit that fails several gates is skipped by the first in the order of the gates."""
    made = _plan("- {id: a, path: a.md, audience: [human], deprecated: true, not_for: [question]}")
    assert [skip.gate for skip in made.skipped] == ["audience"]


def test_playbook_without_a_grant_is_not_load_eligible() -> None:
    """A governed procedure fails closed, whatever its kind."""
    made = _plan("- {id: a, path: a.md, intent: question, kind: playbook}")
    assert made.selected[0].load_eligible is False
    assert "kind: playbook not invoke-eligible" in made.selected[0].reasons[-1]


def test_unaffordable_unit_is_listed_but_not_load_eligible_and_strict_skips_it() -> None:
    """The agent settles only 'free' unless it is told otherwise."""
    text = "- {id: a, path: a.md, intent: question, payment: {methods: [{type: subscription}]}}"
    listed = _plan(text).selected[0]
    assert (listed.load_eligible, listed.reasons[-1]) == (False, "unaffordable: needs subscription")
    strict = _plan(text, strict=True)
    assert [(s.gate, s.reason) for s in strict.skipped] == [
        ("strict", "unaffordable: needs subscription")
    ]


def test_units_beyond_the_most_are_counted_and_named() -> None:
    """Nothing disappears: what max_units leaves out is in `beyond` and in a warning."""
    made = _plan("".join(f"- {{id: u{i}, path: {i}.md, intent: question}}\n" for i in range(4)),
                 max_units=3)  # fmt: skip
    assert [skip.id for skip in made.beyond] == ["u3"]
    assert made.warnings == ("1 relevant unit(s) beyond maxUnits=3 not selected",)


def test_context_budget_of_zero_admits_nothing_measured() -> None:
    """Zero is a ceiling of nothing, never unlimited."""
    made = _plan("- {id: a, path: a.md, intent: question, bytes: 5}", context_budget=0)
    assert [skip.reason for skip in made.skipped] == [
        "over context budget: 2 tokens would exceed remaining 0 of 0"
    ]


def test_unmeasured_unit_is_admitted_with_a_warning_and_refused_under_strict() -> None:
    """An undeclared size makes the projection a lower bound."""
    text = "- {id: a, path: a.md, intent: question}"
    lenient = _plan(text, context_budget=10)
    assert lenient.unmeasured == 1
    assert "lower bound" in lenient.warnings[0]
    assert _plan(text, context_budget=10, strict=True).skipped[0].gate == "context_budget"


def test_money_in_another_currency_is_over_budget() -> None:
    """A price that cannot be compared with the budget is never bought."""
    text = (
        "- {id: a, path: a.md, intent: question, payment: {methods: "
        "[{type: x402, currency: EUR, price_per_request: '0.10'}]}}"
    )
    made = _plan(text, payment_methods=("x402",), money_budget=MoneyBudget(Decimal(1)))
    assert made.skipped[0].reason == "over budget: costs 0.10 EUR/request, budget is in USDC"


def test_tagged_sub_manifest_needs_a_declared_environment() -> None:
    """Without an environment no tagged sub-manifest is eligible."""
    manifest = parse_manifest(
        "units: []\nmanifests: [{id: m, url: 'https://example.org', context: [prod]}]", "k.yaml"
    )
    choice = plan(manifest, "question", PlanOptions(as_of=date(2026, 7, 1))).federation[0]
    assert not choice.selected
    assert choice.reason == 'context ["prod"] requires a declared env; none given (fail-closed)'


def _plan(units: str, *, question: str = "question", **options: Any) -> KnowledgePlan:
    manifest = parse_manifest("units:\n" + units, "knowledge.yaml")
    assert manifest.errors == ()
    return plan(manifest, question, PlanOptions(as_of=date(2026, 7, 1), **options))


def _options(given: dict[str, Any]) -> PlanOptions:
    can, money = given.get("capabilities", {}), given.get("budget")
    return PlanOptions(
        as_of=date.fromisoformat(given["asOf"]),
        role=can.get("role", "agent"),
        payment_methods=tuple(can.get("paymentMethods", ["free"])),
        credentials=tuple(can.get("credentials", [])),
        attestation_provider=can.get("attestationProvider", ""),
        env=given.get("env", ""),
        max_units=given.get("maxUnits", 5),
        strict=given.get("strict", False),
        context_budget=given.get("contextBudget"),
        money_budget=MoneyBudget(Decimal(str(money["amount"]))) if money else None,
    )


def _outcome(made: KnowledgePlan) -> dict[str, Any]:
    """The published projection of a plan."""
    budget: dict[str, Any] = {"rateTier": made.rate_tier}
    if (money := made.options.money_budget) is not None:
        remaining = money.amount - money.spent - made.projected_spend
        budget |= {"ceiling": float(money.amount), "projectedSpend": float(made.projected_spend),
                   "remaining": float(remaining), "currency": money.currency}  # fmt: skip
    context: dict[str, Any] = {"approximate": made.approximate, "unmeasured": made.unmeasured}
    if (ceiling := made.options.context_budget) is not None:
        context |= {"ceiling": ceiling, "projectedTokens": made.projected_tokens,
                    "remaining": ceiling - made.projected_tokens}  # fmt: skip
    return {
        "selected": [
            {"id": p.id, "loadEligible": p.load_eligible, "score": p.score} for p in made.selected
        ],
        "skipped": [{"id": skip.id, "reason": skip.reason} for skip in made.skipped],
        "federation": [
            {"id": c.id, "selected": c.selected, "reason": c.reason}
            | ({"credentialNeeded": c.credential_needed} if c.credential_needed else {})
            for c in made.federation
        ],
        "trust": {
            "requiresAttestation": made.requires_attestation,
            "agentCanAttest": made.can_attest,
        },
        "budget": budget,
        "context": context,
        "warnings": list(made.warnings),
    }


def test_a_reader_may_go_by_several_names() -> None:
    """An audience may name it by any of them; the refusal says the first."""
    text = (
        "- {id: a, path: a.md, intent: tariffs, audience: [ada]}\n"
        "- {id: b, path: b.md, intent: tariffs, audience: [agent]}\n"
        "- {id: c, path: c.md, intent: tariffs, audience: [ben]}\n"
        "- {id: d, path: d.md, intent: tariffs}"
    )
    made = _plan(text, question="tariffs", role="ada", also_as=("agent",))
    assert [planned.id for planned in made.selected] == ["a", "b", "d"]
    assert [skip.reason for skip in made.skipped] == ["audience [\"ben\"] excludes role 'ada'"]


def test_a_rate_tier_without_a_block_is_none() -> None:
    """Its name alone gives nobody more."""
    text = "rate_limits: {authenticated: , default: {requests_per_minute: 6}}\nunits: []\n"
    manifest = parse_manifest(text, "k.yaml")
    assert (
        plan(manifest, "x", PlanOptions(date(2026, 7, 1), credentials=("key",))).rate_tier
        == "default"
    )
