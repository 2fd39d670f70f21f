"""The planner of the Knowledge Context Protocol: which units a question gets, and why.

Fourteen gates, named and worded as in kcp-agent, whose conformance vectors hold for this module.
Pure: manifest, question, as-of date and options in, plan out. The date is an input, not the clock.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from daemon.knowledge.ceilings import fill, fill_warnings
from daemon.knowledge.plan import (
    KnowledgePlan,
    PlannedUnit,
    PlanOptions,
    Skip,
    SubManifestChoice,
    tokens_of,
)
from daemon.knowledge.playbook import unenactable
from daemon.knowledge.unit import Manifest, PaymentMethod, SubManifest, Unit

GATES = (
    "audience", "not_for", "temporal", "deprecated", "supersession", "relevance",
    "skill_eligibility", "attestation", "payment", "access", "strict",
    "max_units", "money_budget", "context_budget",
)  # fmt: skip

_MOST_KEPT = 16  # sets of options whose outcomes for untouched units are remembered
_WORD = re.compile(r"[^\W_]+")
_STOPWORDS = frozenset({
    "the", "a", "an", "is", "are", "was", "were", "do", "does", "how", "what", "why", "when",
    "where", "which", "who", "to", "of", "in", "on", "for", "and", "or", "i", "we", "you", "it",
    "this", "that", "with", "my", "our", "can", "should", "will", "be", "get", "getting",
})  # fmt: skip
_GOVERNED_KINDS = ("skill", "playbook")


def plan(manifest: Manifest, question: str, options: PlanOptions) -> KnowledgePlan:
    """Judge every unit in manifest order, rank what passed, then fill the ceilings greedily."""
    judge = _Judge(manifest, terms(question), options)
    passed: list[PlannedUnit] = []
    skipped: list[Skip] = []
    for outcome in _judge_all(manifest, judge, options):
        if isinstance(outcome, Skip):
            skipped.append(outcome)
        else:
            passed.append(outcome)
    passed.sort(key=lambda planned: (-planned.score, planned.id))
    filled = fill(passed, options)
    warnings = [] if judge.terms else ["task produced no search terms after stopword removal"]
    loadable = [planned for planned in filled.selected if planned.load_eligible]
    return KnowledgePlan(
        question=question,
        manifest_sha256=manifest.sha256,
        options=options,
        requires_attestation=manifest.requires_attestation,
        can_attest=judge.can_attest,
        rate_tier=_rate_tier(manifest, options),
        selected=tuple(filled.selected),
        skipped=(*skipped, *filled.skipped),
        beyond=tuple(filled.beyond),
        federation=tuple(_choose(entry, options) for entry in manifest.manifests),
        projected_spend=sum((p.price or Decimal(0) for p in loadable), Decimal(0)),
        projected_tokens=sum(tokens_of(p.unit) or 0 for p in loadable),
        approximate=any(p.unit.size_tokens is None and p.unit.bytes is not None for p in loadable),
        unmeasured=sum(tokens_of(p.unit) is None for p in loadable),
        warnings=(*warnings, *fill_warnings(filled, options)),
    )


def terms(question: str) -> list[str]:
    """Lower case, split on anything but letters and digits, longer than 2, stop words removed."""
    words = _WORD.findall(question.lower())
    return [word for word in words if len(word) > 2 and word not in _STOPWORDS]


def _judge_all(
    manifest: Manifest, judge: _Judge, options: PlanOptions
) -> Iterator[PlannedUnit | Skip]:
    """What the gates say of each unit, in order; most units of a large map are not touched by a
    question, and what is said of those is known from the last one."""
    touched = manifest.words.touched(judge.terms)
    needed = frozenset(options.needed)
    for position, (unit, untouched) in enumerate(
        zip(manifest.units, _outcomes_untouched(manifest, options), strict=True)
    ):
        if position in touched or unit.not_for:
            yield judge.judge(unit)
        else:
            yield untouched[unit.id in needed]


def _outcomes_untouched(
    manifest: Manifest, options: PlanOptions
) -> tuple[tuple[PlannedUnit | Skip, PlannedUnit | Skip], ...]:
    """For each unit the outcome of a question that has no word in it: not needed, and needed."""
    asked = replace(options, max_units=0, money_budget=None, context_budget=None, env="", needed=())
    known: dict[PlanOptions, tuple[tuple[PlannedUnit | Skip, PlannedUnit | Skip], ...]]
    known = manifest.memory.setdefault("untouched", {})
    if asked not in known:
        while len(known) >= _MOST_KEPT:  # each agent asks as itself, and each day anew
            del known[next(iter(known))]
        plain = _Judge(manifest, [], asked)
        needed = _Judge(manifest, [], replace(asked, needed=tuple(u.id for u in manifest.units)))
        known[asked] = tuple((plain.judge(unit), needed.judge(unit)) for unit in manifest.units)
    return known[asked]


class _Judge:
    """The gates that look at one unit at a time; the first hard failure skips it."""

    def __init__(self, manifest: Manifest, words: list[str], options: PlanOptions) -> None:
        self.terms = words
        self.can_attest = not manifest.requires_attestation or (
            options.attestation_provider != ""
            and options.attestation_provider in manifest.trusted_providers
        )
        self._manifest = manifest
        self._options = options
        self._as_of = options.as_of.isoformat()
        self._needed = frozenset(options.needed)
        self._scale = manifest.authority_scale
        self._by_id = {unit.id: unit for unit in reversed(manifest.units)}
        self._touched: dict[str, tuple[int, ...]] = {}

    def judge(self, unit: Unit) -> PlannedUnit | Skip:
        for gate, reason in self._hard_failures(unit):
            return Skip(unit.id, gate, reason)
        score, matches = self._score(unit)
        if score == 0 and unit.id not in self._needed:
            return Skip(unit.id, "relevance", "no task-relevance match")
        method, cost = self._payment(unit)
        soft = tuple(self._soft_failures(unit, method, cost))
        if not soft and (method is None or method.type == "free"):
            return PlannedUnit(unit, score, load_eligible=True, reasons=matches)
        refusals = [gate for gate, _, refuses in soft if refuses]
        reasons = (*matches, *(reason for _, reason, _ in soft))
        if self._options.strict and refusals:
            gate = refusals[0] if refusals[0] == "skill_eligibility" else "strict"
            return Skip(unit.id, gate, reasons[-1])
        paid = method if method is not None and method.type == "x402" else None
        return PlannedUnit(
            unit, score, not refusals, reasons,
            price=paid.price if paid else None,
            currency=paid.currency if paid else "",
            cost=cost if paid else "",
        )  # fmt: skip

    def _hard_failures(self, unit: Unit) -> Iterator[tuple[str, str]]:
        role = self._options.role
        if not self._is_for_reader(unit):
            yield "audience", f"audience {_json(unit.audience)} excludes role '{role}'"
        for phrase in unit.not_for:
            if any(term in phrase.lower() for term in self.terms):
                yield "not_for", f"not_for declares it does not serve '{phrase}'"
        if unit.valid_from > self._as_of:
            yield "temporal", f"not active until {unit.valid_from}"
        if unit.valid_until and unit.valid_until < self._as_of:
            successor = f" (superseded by {unit.superseded_by})" if unit.superseded_by else ""
            yield "temporal", f"expired {unit.valid_until}{successor}"
        if unit.deprecated:
            yield "deprecated", "deprecated"
        if self._has_active_successor(unit):
            yield "supersession", f"superseded by {unit.superseded_by} (successor active)"

    def _has_active_successor(self, unit: Unit) -> bool:
        successor = self._by_id.get(unit.superseded_by) if unit.superseded_by else None
        if successor is None or successor.deprecated:
            return False
        until = successor.valid_until or self._as_of
        active = successor.valid_from <= self._as_of <= until
        return active and self._is_for_reader(successor)

    def _is_for_reader(self, unit: Unit) -> bool:
        names = (self._options.role, *self._options.also_as)
        return not unit.audience or any(name in unit.audience for name in names)

    def _score(self, unit: Unit) -> tuple[int, tuple[str, ...]]:
        """Three a term in the intent, four in a trigger (either way round), two in id and path."""
        words = self.terms
        intent, place = unit.intent.lower(), f"{unit.id} {unit.path}".lower()
        in_intent = len([term for term in words if term in intent])
        in_place = len([term for term in words if term in place])
        in_triggers = len({term for trigger in unit.triggers for term in self._touching(trigger)})
        if not (in_intent or in_place or in_triggers):
            return 0, ()
        hits = (
            ("intent matches", in_intent),
            ("triggers match", in_triggers),
            ("id/path matches", in_place),
        )
        reasons = tuple(f"{name} {hit} term(s)" for name, hit in hits if hit)
        return 3 * in_intent + 4 * in_triggers + 2 * in_place, reasons

    def _touching(self, trigger: str) -> tuple[int, ...]:
        """Which terms a trigger touches, by position; worked out once for all units that have it."""
        known = self._touched.get(trigger)
        if known is None:
            low = trigger.lower()
            known = tuple(n for n, term in enumerate(self.terms) if term in low or low in term)
            self._touched[trigger] = known
        return known

    def _payment(self, unit: Unit) -> tuple[PaymentMethod | None, str]:
        """The first method that can be settled and what it costs; None where none can be."""
        methods = self._manifest.payment if unit.payment is None else unit.payment
        for method in methods or (PaymentMethod("free"),):
            if not methods or method.type in self._options.payment_methods:
                return method, f"{method.price_text} {method.currency}/request"
        return None, f"needs {' or '.join(m.type for m in methods if m.type != 'free')}"

    def _soft_failures(
        self, unit: Unit, method: PaymentMethod | None, cost: str
    ) -> Iterator[tuple[str, str, bool]]:
        """Gate, reason, and whether it forbids loading (one of them only informs)."""
        if unit.kind in _GOVERNED_KINDS and not unit.load_eligible:
            reason = f"kind: {unit.kind} not invoke-eligible: no explicit eligibility grant"
            yield "skill_eligibility", reason, True
        elif unit.kind == "playbook":
            for reason in unenactable(unit, self._by_id, self._scale, self._options.grant_ceiling):
                yield "skill_eligibility", reason, True
        if unit.access == "restricted" and not self.can_attest:
            reason = "restricted: requires attestation the agent cannot present"
            yield "attestation", reason, True
        if method is None:
            yield "payment", f"unaffordable: {cost}", True
        if unit.access != "public" and not self._options.credentials:
            reason = f"access '{unit.access}': agent holds no credentials"
            yield "access", reason, unit.access == "restricted"
            if method is not None and method.type == "x402":
                hint = "if this unit is anonymous-paid the manifest should mark it public"
                yield (
                    "access",
                    f"hint: '{unit.access}' + x402 — {hint} (spec §4.11, v0.25.1)",
                    False,
                )


def _choose(entry: SubManifest, options: PlanOptions) -> SubManifestChoice:
    """A manifest tagged with environments is eligible only for an environment that was named."""
    needed = entry.credential_hint if entry.identity_required else ""
    needed = "" if needed in options.credentials else needed
    fits = entry.context is None or options.env in entry.context
    if entry.context is not None and not fits:
        reason = f"context {_json(entry.context)} requires a declared env; none given (fail-closed)"
        if options.env:
            reason = f"context {_json(entry.context)} excludes env '{options.env}'"
    else:
        reason = f"needs {needed} before fetch" if needed else "eligible"
    return SubManifestChoice(entry.id, fits, reason, needed)


def _rate_tier(manifest: Manifest, options: PlanOptions) -> str:
    if "subscription" in options.payment_methods and "premium" in manifest.rate_tiers:
        return "premium"
    if options.credentials and "authenticated" in manifest.rate_tiers:
        return "authenticated"
    return "default"


def _json(texts: Sequence[str]) -> str:
    return json.dumps(list(texts), ensure_ascii=False, separators=(",", ":"))
