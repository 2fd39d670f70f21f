"""Names that lead nowhere are told to the author, and nothing else comes of them."""

from __future__ import annotations

import pytest

from daemon.knowledge.manifest import parse_manifest

_GOOD = "kcp_version: '0.32'\nproject: p\nunits:\n"
_UNIT = "- {id: %s, path: %s.md, intent: q, scope: project, audience: [agent]%s}\n"


def _told(text: str) -> list[tuple[str, str]]:
    manifest = parse_manifest(text, "k.yaml")
    assert manifest.governs
    return [(fault.key, fault.message) for fault in manifest.diagnostics]


@pytest.mark.parametrize(
    ("field", "key"),
    [
        ("depends_on: [b, gone]", "units.0.depends_on.1"),
        ("supersedes: gone", "units.0.supersedes"),
        ("temporal: {superseded_by: gone}", "units.0.temporal.superseded_by"),
        ("hints: {summary_unit: gone}", "units.0.hints.summary_unit"),
        ("hints: {chunk_of: gone, chunk_index: 1}", "units.0.hints.chunk_of"),
        ("steps: [{id: one, uses: gone}]", "units.0.steps.0.uses"),
    ],
)
def test_name_of_no_unit_is_told_with_its_place(field: str, key: str) -> None:
    """Wherever a unit names another one."""
    text = _GOOD + _UNIT % ("a", "a", f", {field}") + _UNIT % ("b", "b", "")
    assert _told(text) == [(key, "names 'gone', which is no unit here")]


def test_relationship_of_no_unit_is_told() -> None:
    """Both of its ends are looked at; an alias of a unit is one of its names."""
    text = _GOOD + _UNIT % ("a", "a", ", aliases: [old-a]")
    text += "relationships: [{from: old-a, to: gone, type: enables}, {from: a, to: a}]\n"
    assert _told(text) == [("relationships.0.to", "names 'gone', which is no unit here")]


def test_circle_of_successors_is_told_once() -> None:
    """Each says that the next one holds in its place, so none does."""
    circle = {"a": "b", "b": "c", "c": "b"}
    units = [_UNIT % (x, x, f", temporal: {{superseded_by: {y}}}") for x, y in circle.items()]
    told = _told(_GOOD + "".join(units))
    assert told == [
        ("units.1.temporal.superseded_by", "leads back to 'b': none of the circle holds")
    ]


def test_faults_of_a_federation_are_told() -> None:
    """Nothing is fetched from it, so they are no errors."""
    text = _GOOD + _UNIT % ("a", "a", "")
    text += "manifests: [{id: x, url: 'http://example.org/k.yaml'}, {id: x, url: /k.yaml}]\n"
    assert {key for key, _ in _told(text)} == {
        "manifests.0.id", "manifests.0.url", "manifests.1.id"
    }  # fmt: skip


@pytest.mark.parametrize(
    "more",
    ["relationships: x", "relationships: [x, {from: [1], to: {a: b}}]", "visibility: [1]",
     "external_relationships: [{from_manifest: m, from_unit: u}]", "delegation: {max_depth: 2}",
     "manifests: [{id: m, url: 'https://example.org/k.yaml', on_failure: degrade}]",
     "payment: {methods: [{type: x402, price_per_request: '0.1', networks: [base], wallet: w}]}",
     "signing: {key: k}", "freshness_policy: {max_age_days: 3}", "hints: {unit_count: 1}"],
)  # fmt: skip
def test_other_parts_of_the_protocol_are_carried(more: str) -> None:
    """Well formed or not, what decides nothing here keeps no manifest from governing."""
    manifest = parse_manifest(f"{_GOOD}{_UNIT % ('a', 'a', '')}{more}\n", "k.yaml")
    assert manifest.governs
    assert more.split(":")[0] in {
        *manifest.fields.carried, *manifest.fields.planned, *manifest.fields.enforced
    }  # fmt: skip
