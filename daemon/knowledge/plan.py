"""What a question may ask of the planner, and what the planner answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from daemon.knowledge.unit import Unit


@dataclass(frozen=True)
class MoneyBudget:
    """A ceiling on pay-per-request units; `spent` is what was committed before."""

    amount: Decimal
    currency: str = "USDC"
    spent: Decimal = Decimal(0)


@dataclass(frozen=True)
class PlanOptions:
    """`needed` units pass the relevance gate whatever they score, and no other gate.

    `also_as` are further names that an audience may call the reader by, beside `role`.
    `grant_ceiling` is the most authority that whoever enacts a playbook has; empty: not declared.
    `max_units` counts selected units. A budget of None is no ceiling; 0 is a ceiling of nothing.
    """

    as_of: date
    role: str = "agent"
    payment_methods: tuple[str, ...] = ("free",)
    credentials: tuple[str, ...] = ()
    attestation_provider: str = ""
    env: str = ""
    max_units: int = 5
    strict: bool = False
    money_budget: MoneyBudget | None = None
    context_budget: int | None = None
    needed: tuple[str, ...] = ()
    also_as: tuple[str, ...] = ()
    grant_ceiling: str = ""


@dataclass(frozen=True)
class PlannedUnit:
    """A unit that passed; one that is not `load_eligible` is shown, and may not be loaded."""

    unit: Unit
    score: int
    load_eligible: bool
    reasons: tuple[str, ...]
    price: Decimal | None = None
    currency: str = ""
    cost: str = ""

    @property
    def id(self) -> str:
        return self.unit.id


@dataclass(frozen=True)
class Skip:
    """A unit that is left out: the gate that decided, and the reason as a sentence."""

    id: str
    gate: str
    reason: str


@dataclass(frozen=True)
class SubManifestChoice:
    """Whether a manifest elsewhere is eligible; `credential_needed` is empty where none is."""

    id: str
    selected: bool
    reason: str
    credential_needed: str = ""


@dataclass(frozen=True)
class KnowledgePlan:
    """Every unit of the manifest is in `selected` or `skipped`, or counted in a warning as beyond
    `max_units` (gate `max_units`, also in `beyond`)."""

    question: str
    manifest_sha256: str
    options: PlanOptions
    requires_attestation: bool
    can_attest: bool
    rate_tier: str
    selected: tuple[PlannedUnit, ...]
    skipped: tuple[Skip, ...]
    beyond: tuple[Skip, ...]
    federation: tuple[SubManifestChoice, ...]
    projected_spend: Decimal
    projected_tokens: int
    approximate: bool
    unmeasured: int
    warnings: tuple[str, ...]


def tokens_of(unit: Unit) -> int | None:
    """Declared tokens, else a quarter of the declared bytes rounded up, else None: unmeasured."""
    if unit.size_tokens is not None:
        return unit.size_tokens
    return None if unit.bytes is None else -(-unit.bytes // 4)
