"""Whatever stands in a manifest: a verdict, never an exception."""

from __future__ import annotations

from datetime import date

import yaml
from hypothesis import given
from hypothesis import strategies as st

from daemon.knowledge import fields
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.plan import PlanOptions
from daemon.knowledge.planner import plan

_SCALARS = st.none() | st.booleans() | st.integers(-2, 9) | st.text("aZ0 .-_/é", max_size=6)
_JUNK = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=5,
)
_KNOWN = st.sampled_from(["a", "yes", "agent", "0.32", "2026-01-01", "confidential"])
_INNER = st.sampled_from([
    "temporal", "valid_from", "superseded_by", "methods", "type", "price_per_request", "default",
    "conditions", "then", "sensitivity", "agent_requirements", "id", "url", "context", "when",
    "summary_unit", "from", "to", "uses",
])  # fmt: skip
_SHAPED = st.recursive(
    _JUNK | _KNOWN,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_INNER, inner, max_size=3),
    max_leaves=6,
)
_UNITS = st.lists(
    st.dictionaries(st.sampled_from(sorted(fields.UNIT_FIELDS)), _SHAPED, max_size=5) | _JUNK,
    max_size=3,
)
_MANIFESTS = st.dictionaries(st.sampled_from(sorted(fields.ROOT_FIELDS)), _SHAPED, max_size=5)


@given(root=_MANIFESTS, units=_UNITS)
def test_any_shape_of_any_field_gets_a_verdict(root: dict[str, object], units: object) -> None:
    """Known fields with anything in them: read, judged and planned without an exception; every
    complaint has a line of the file."""
    text = yaml.safe_dump({**root, "units": units})
    manifest = parse_manifest(text, "k.yaml")
    lines = text.count("\n") + 1
    for fault in (*manifest.errors, *manifest.diagnostics):
        assert fault.message
        assert 0 <= fault.line <= lines
    made = plan(manifest, "what does it cost", PlanOptions(as_of=date(2026, 1, 1)))
    assert len(made.selected) + len(made.skipped) + len(made.beyond) == len(manifest.units)


@given(text=st.text(max_size=200) | st.binary(max_size=200))
def test_any_bytes_get_a_verdict(text: str | bytes) -> None:
    """What is no manifest is one with an error."""
    manifest = parse_manifest(text, "k.yaml")
    assert manifest.governs <= bool(manifest.raw)
