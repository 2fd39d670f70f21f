"""Which fields of a manifest are known here, what becomes of them, and which look misspelt."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable, Mapping
from typing import Any

from daemon.knowledge.unit import FieldUse

# Can keep a unit from an agent, or an actor from an action.
ENFORCED = frozenset({
    "units", "units.id", "units.path", "units.kind", "units.audience", "units.not_for",
    "units.temporal", "units.deprecated", "units.load_eligible", "units.access", "units.payment",
    "units.size_tokens", "units.untrusted", "units.sensitivity", "payment", "trust.agent_requirements",
    "agents", "authority", "authority_level_scale", "grant_ceiling", "task_types",
    "units.action_scope", "units.authority", "units.authority_level", "units.steps",
    "compliance", "visibility", "units.compliance", "units.visibility",  # their sensitivities
})  # fmt: skip
# Rank, size or describe; change no permission.
PLANNED = frozenset({
    "units.intent", "units.triggers", "units.bytes", "manifests", "rate_limits",
})  # fmt: skip

# Leaving one of these out opens a unit, so a misspelt one must not pass as left out.
RESTRICTING = frozenset({
    "audience", "not_for", "temporal", "deprecated", "access", "payment", "untrusted", "sensitivity",
    "valid_from", "valid_until", "superseded_by", "agent_requirements", "require_attestation",
})  # fmt: skip

# Leaving one of these out closes a unit.
GRANTING = frozenset({"load_eligible"})

ROOT_FIELDS = frozenset({
    "kcp_version", "project", "version", "updated", "language", "license", "indexing", "hints",
    "trust", "auth", "delegation", "compliance", "payment", "rate_limits", "serving", "signing",
    "network", "authority_level_scale", "task_types", "agents", "grant_ceiling", "units",
    "relationships", "manifests", "external_relationships", "visibility", "authority", "discovery",
    "not_for", "freshness_policy",
})  # fmt: skip
UNIT_FIELDS = frozenset({
    "id", "aliases", "path", "kind", "load_eligible", "steps", "action_scope", "intent", "format",
    "content_type", "language", "scope", "audience", "license", "validated", "update_frequency",
    "indexing", "depends_on", "supersedes", "temporal", "triggers", "hints", "access", "auth_scope",
    "sensitivity", "deprecated", "delegation", "compliance", "auth", "payment", "rate_limits",
    "external_depends_on", "visibility", "authority", "discovery", "not_for", "not_for_strict",
    "content_structure", "authority_level", "size_tokens", "bytes", "execute", "title", "untrusted",
    "content_hash", "freshness_policy", "requires_capabilities", "sha256",
})  # fmt: skip
TEMPORAL_FIELDS = frozenset({"valid_from", "valid_until", "superseded_by"})
TRUST_FIELDS = frozenset({"provenance", "audit", "agent_requirements", "content_integrity"})
REQUIREMENT_FIELDS = frozenset({"require_attestation", "trusted_providers", "attestation_url"})


def near_misses(keys: Iterable[str], known: frozenset[str]) -> list[tuple[str, str]]:
    """Unknown keys that look like a known one that is not used: (as written, as meant)."""
    used = set(keys)
    unknown = sorted(key for key in used if key not in known)
    pairs = ((key, _closest(key, known)) for key in unknown)
    return [(key, meant) for key, meant in pairs if meant and meant not in used]


def field_use(raw: Mapping[str, Any]) -> FieldUse:
    """The three lists over every field that the manifest really uses."""
    used = set(raw)
    units = raw.get("units")
    for unit in units if isinstance(units, list) else ():
        if isinstance(unit, dict):
            used.update(f"units.{key}" for key in unit)
    trust = raw.get("trust")
    if isinstance(trust, dict):
        used.discard("trust")
        used.update(f"trust.{key}" for key in trust)
    return FieldUse(
        enforced=tuple(sorted(used & ENFORCED)),
        planned=tuple(sorted(used & PLANNED)),
        carried=tuple(sorted(used - ENFORCED - PLANNED)),
    )


@functools.lru_cache(maxsize=1024)
def _closest(key: str, known: frozenset[str]) -> str:
    folded = key.strip().lower().replace("-", "_").replace(" ", "_")
    if folded in known:
        return folded
    found = difflib.get_close_matches(folded, sorted(known), n=1, cutoff=0.8)
    return found[0] if found and len(folded) > 2 else ""
