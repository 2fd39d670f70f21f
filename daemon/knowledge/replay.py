"""A plan as text that can be computed again, byte for byte, from the same manifest."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

from daemon.knowledge.plan import KnowledgePlan, MoneyBudget, PlanOptions
from daemon.knowledge.planner import plan
from daemon.knowledge.unit import Manifest


def render_plan(made: KnowledgePlan) -> str:
    """The plan as one line of JSON: sorted keys, exact numbers as text, no time of day."""
    facts = {
        "as_of": made.options.as_of.isoformat(),
        "beyond": [vars(skip) for skip in made.beyond],
        "context": {
            "approximate": made.approximate,
            "tokens": made.projected_tokens,
            "unmeasured": made.unmeasured,
        },
        "federation": [vars(choice) for choice in made.federation],
        "manifest_sha256": made.manifest_sha256,
        "options": _options_as_json(made.options),
        "question": made.question,
        "selected": [
            {
                "id": planned.id,
                "load_eligible": planned.load_eligible,
                "reasons": list(planned.reasons),
                "score": planned.score,
            }
            for planned in made.selected
        ],
        "skipped": [vars(skip) for skip in made.skipped],
        "spend": str(made.projected_spend),
        "trust": {"can_attest": made.can_attest, "required": made.requires_attestation},
        "warnings": list(made.warnings),
    }
    return json.dumps(facts, ensure_ascii=True, separators=(",", ":"), sort_keys=True)


def replay(saved: str, manifest: Manifest) -> str:
    """Compute a saved plan again and render it; equal text proves that nothing was changed.

    Raises ValueError where `saved` is no plan or was made from other manifest bytes.
    """
    try:
        facts: dict[str, Any] = json.loads(saved)
        sha256, question = facts["manifest_sha256"], facts["question"]
        options = _options_from_json(facts["options"])
    except (KeyError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"this is no saved plan: {error!r}") from error
    if not isinstance(question, str):
        raise ValueError("this is no saved plan: its question is no text")
    if sha256 != manifest.sha256:
        raise ValueError(f"the plan was made from manifest {sha256}, this one is {manifest.sha256}")
    return render_plan(plan(manifest, question, options))


def _options_as_json(options: PlanOptions) -> dict[str, Any]:
    budget = options.money_budget
    money = budget and {
        "amount": str(budget.amount),
        "currency": budget.currency,
        "spent": str(budget.spent),
    }
    facts = vars(options) | {"as_of": options.as_of.isoformat(), "money_budget": money}
    if not options.grant_ceiling:  # plans that were saved before there was one stay as they were
        del facts["grant_ceiling"]
    return facts


def _options_from_json(facts: dict[str, Any]) -> PlanOptions:
    """Raises KeyError, TypeError, ValueError or ArithmeticError for what are no options."""
    money = facts["money_budget"]
    return PlanOptions(
        as_of=date.fromisoformat(facts["as_of"]),
        role=_typed(facts["role"], str),
        payment_methods=_texts(facts["payment_methods"]),
        credentials=_texts(facts["credentials"]),
        attestation_provider=_typed(facts["attestation_provider"], str),
        env=_typed(facts["env"], str),
        max_units=_typed(facts["max_units"], int),
        strict=_typed(facts["strict"], bool),
        money_budget=money
        and MoneyBudget(Decimal(money["amount"]), money["currency"], Decimal(money["spent"])),
        context_budget=_typed(facts["context_budget"], int, type(None)),
        needed=_texts(facts["needed"]),
        also_as=_texts(facts.get("also_as", [])),
        grant_ceiling=_typed(facts.get("grant_ceiling", ""), str),
    )


def _typed(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        raise TypeError(f"{value!r} is not of the right type")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_typed(entry, str) for entry in _typed(value, list))
