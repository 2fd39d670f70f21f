"""Manifests load leniently and govern strictly."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from daemon.knowledge.manifest import MAX_UNITS, parse_manifest

_MANIFESTS = Path(__file__).parents[3].parent / "shared" / "vectors" / "kcp" / "manifests"
_FILES = sorted(_MANIFESTS.glob("*.yaml"))
_GOOD = "kcp_version: '0.32'\nproject: p\nunits:\n"
_UNIT = "- {id: a, path: memory/a.md, intent: What?, scope: project, audience: [agent]}\n"


def test_thirty_five_manifests_are_there() -> None:
    """A manifest that went missing would otherwise pass without a word."""
    if not _FILES:
        pytest.skip("the KCP manifests are not on this machine")
    assert len(_FILES) == 35


@pytest.mark.parametrize("path", _FILES or [Path("none")], ids=lambda path: path.stem)
def test_real_manifest_loads_with_a_verdict(path: Path) -> None:
    """Manifests that other people publish load, and none of them is refused."""
    if not _FILES:
        pytest.skip("the KCP manifests are not on this machine")
    manifest = parse_manifest(path.read_bytes(), path.name)
    assert manifest.units
    assert manifest.governs
    assert manifest.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_complete_manifest_has_no_complaint() -> None:
    """Nothing to say about a manifest with everything in place."""
    manifest = parse_manifest(_GOOD + _UNIT, "knowledge.yaml")
    assert (manifest.errors, manifest.diagnostics) == ((), ())


def test_missing_scope_and_audience_are_diagnostics_with_their_line() -> None:
    """A unit without them still governs."""
    manifest = parse_manifest(_GOOD + "- id: a\n  path: a.md\n  intent: What?\n", "knowledge.yaml")
    assert manifest.governs
    assert [(f.key, f.line) for f in manifest.diagnostics] == [
        ("units.0.audience", 4), ("units.0.scope", 4)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "path",
    ["docs/../../etc/passwd", "'docs\\a.md'", "C:/a.md", "/etc/passwd", "''", '"a\\nb.md"',
     '"cafe\\u0301.md"', "docs/", "./a.md"],
)  # fmt: skip
def test_path_that_leaves_or_is_crooked_is_an_error(path: str) -> None:
    """The error names file, line and key."""
    manifest = parse_manifest(_GOOD + f"- id: a\n  path: {path}\n", "knowledge.yaml")
    assert [(f.file, f.line, f.key) for f in manifest.errors] == [
        ("knowledge.yaml", 5, "units.0.path")
    ]


def test_duplicate_unit_id_is_an_error() -> None:
    """It names the line of the first one."""
    manifest = parse_manifest(_GOOD + _UNIT + _UNIT.replace("a.md", "b.md"), "knowledge.yaml")
    assert [str(fault) for fault in manifest.errors] == [
        "knowledge.yaml:5: units.1.id: 'a' is already the id of the unit at line 4"
    ]


def test_misspelt_grant_is_a_diagnostic_with_its_line() -> None:
    """load_eligible left out fails closed, so the misspelling is only reported."""
    text = _GOOD + "- id: a\n  path: a.md\n  kind: skill\n  laod_eligible: true\n"
    manifest = parse_manifest(text, "knowledge.yaml")
    assert manifest.governs
    assert not manifest.units[0].load_eligible
    told = [(f.line, f.key, f.cure) for f in manifest.diagnostics]
    assert (7, "units.0.laod_eligible", "did you mean load_eligible") in told


@pytest.mark.parametrize(
    "field", ["audiance: [human]", "deprectaed: true", "acces: restricted", "not-for: [x]"]
)
def test_misspelt_restriction_is_an_error(field: str) -> None:
    """A restriction that is not applied would open the unit."""
    manifest = parse_manifest(_GOOD + f"- id: a\n  path: a.md\n  {field}\n", "knowledge.yaml")
    assert not manifest.governs
    assert manifest.errors[0].line == 6


@pytest.mark.parametrize(
    "field",
    ["audience: agent", "audience: ['']", "triggers: ['']", "not_for: price", "deprecated: flase",
     "deprecated: 0", "deprecated: [no]", "access: secret", "sensitivity: hot", "size_tokens: many",
     "size_tokens: -1", "temporal: 2026", "temporal: {valid_from: 1.7.2026}",
     "temporal: {valid_until: 2026-02-31}", "payment: {methods: [{type: x402}]}",
     "payment: {methods: [{type: x402, price_per_request: nan}]}", "untrusted: maybe",
     "id: [a]", "path: {a: b}"],
)  # fmt: skip
def test_wrongly_typed_governing_field_is_an_error(field: str) -> None:
    """Nothing is guessed: a text is no list of its letters, flase is no boolean."""
    fields = {"id": "id: a", "path": "path: a.md"} | {field.split(":")[0]: field}
    text = _GOOD + "- " + "\n  ".join(fields.values()) + "\n"
    assert not parse_manifest(text, "knowledge.yaml").governs


@pytest.mark.parametrize(
    ("word", "value"),
    [("NO", False), ("off", False), ("False", False), ("'no'", False), ("Yes", True), ("on", True)],
)
def test_flag_understands_the_words_of_older_yaml(word: str, value: bool) -> None:
    """All readers of the protocol take them alike, so a foreign manifest means here what it means
    there."""
    manifest = parse_manifest(_GOOD + f"- {{id: a, path: a.md, deprecated: {word}}}", "k.yaml")
    assert manifest.governs
    assert manifest.units[0].deprecated is value


@pytest.mark.parametrize("value", ["ture", "1", "[true]", "''"])
def test_grant_that_cannot_be_read_grants_nothing(value: str) -> None:
    """Without it less is open, so the manifest governs on and its author is told."""
    text = _GOOD + f"- id: a\n  path: a.md\n  kind: skill\n  load_eligible: {value}\n"
    manifest = parse_manifest(text, "k.yaml")
    assert manifest.governs
    assert manifest.units[0].load_eligible is False
    assert (7, "units.0.load_eligible") in {(f.line, f.key) for f in manifest.diagnostics}


@pytest.mark.parametrize(
    ("more", "sensitivity"),
    [
        ("", ""),
        ("sensitivity: internal", "internal"),
        ("sensitivity: public, compliance: {sensitivity: restricted}", "restricted"),
        ("visibility: {default: confidential}", "confidential"),
        (
            "visibility: {default: public, conditions: [{then: {sensitivity: internal}}]}",
            "internal",
        ),
        ("compliance: {sensitivity: top-secret}", "restricted"),
        ("compliance: {sensitivity: [x]}", "restricted"),
        ("visibility: [x], compliance: hm", ""),
    ],
)
def test_strictest_sensitivity_holds_wherever_it_is_declared(more: str, sensitivity: str) -> None:
    """Who may hold private data is derived from it, so none of its places may be overlooked."""
    manifest = parse_manifest(_GOOD + f"- {{id: a, path: a.md, {more}}}", "k.yaml")
    assert manifest.governs
    assert manifest.units[0].sensitivity == sensitivity


def test_sensitivity_of_the_whole_manifest_holds_for_each_unit() -> None:
    """A unit cannot be less secret than the manifest says that everything in it is."""
    text = "compliance: {sensitivity: confidential}\n" + _GOOD + _UNIT
    manifest = parse_manifest(text + "- {id: b, path: b.md, sensitivity: restricted}", "k.yaml")
    assert [unit.sensitivity for unit in manifest.units] == ["confidential", "restricted"]


def test_visibility_conditions_are_told_as_not_evaluated() -> None:
    """The author must not believe that a condition opens or closes anything here."""
    more = "visibility: {conditions: [{when: {environment: [x]}, then: {requires_auth: true}}]}"
    manifest = parse_manifest(_GOOD + f"- {{id: a, path: a.md, {more}}}", "k.yaml")
    assert "is not evaluated; the strictest sensitivity in it holds" in {
        fault.message for fault in manifest.diagnostics
    }


def test_scalars_stay_as_written() -> None:
    """1.10, NO and 13:00 are texts, not a float, a boolean and a number of seconds."""
    text = "project: NO\nversion: 1.10\nunits:\n- {id: a, path: a.md, triggers: [13:00, on]}\n"
    manifest = parse_manifest(text, "knowledge.yaml")
    assert (manifest.project, manifest.version) == ("NO", "1.10")
    assert manifest.units[0].triggers == ("13:00", "on")


@pytest.mark.parametrize(
    "text",
    ["", "- a", "units: 3", "units: [x]", "project: p", "units: []\nunits: []",
     "units: !!python/object:os.system {}", "a: &x [1]\nb: *x\nunits: []", "units: [",
     "\tunits: []", b"units: []\n# \xff", "x: " + "a" * 1_048_577],
)  # fmt: skip
def test_what_cannot_be_read_is_an_error_and_no_exception(text: str | bytes) -> None:
    """Duplicate keys, tags, references, broken bytes, too large: a verdict, never a crash."""
    manifest = parse_manifest(text, "knowledge.yaml")
    assert not manifest.governs
    assert all(fault.file == "knowledge.yaml" for fault in manifest.errors)


def test_more_than_ten_thousand_units_are_refused() -> None:
    """The limit is counted before any unit is typed."""
    units = "".join(f"- {{id: u{i}, path: {i}}}\n" for i in range(MAX_UNITS + 1))
    manifest = parse_manifest("units:\n" + units, "knowledge.yaml")
    assert "at most 10,000" in manifest.errors[0].message
    assert manifest.units == ()


def test_fields_are_told_apart_as_enforced_planned_and_carried() -> None:
    """Once per load: what can keep a unit back, what only ranks, what changes nothing."""
    text = "project: p\nx_note: hi\nunits:\n- {id: a, path: a.md, intent: q, sensitivity: public}\n"
    fields = parse_manifest(text, "knowledge.yaml").fields
    assert fields.enforced == ("units", "units.id", "units.path", "units.sensitivity")
    assert fields.planned == ("units.intent",)
    assert fields.carried == ("project", "x_note")


@pytest.mark.parametrize("version", ["0.33", "1.0", "2027-draft", "0.0"])
def test_unknown_version_is_a_diagnostic(version: str) -> None:
    """A newer manifest is read as far as it is understood."""
    text = f"kcp_version: {version}\nproject: p\nnovelty: {{deep: [1]}}\nunits:\n" + _UNIT
    manifest = parse_manifest(text, "k.yaml")
    assert manifest.governs
    assert manifest.diagnostics[0].line == 1
    assert manifest.fields.carried == ("kcp_version", "novelty", "project", "units.scope")


def test_unknown_successor_is_a_diagnostic() -> None:
    """It cannot supersede anything, so the author should know."""
    text = _GOOD + "- {id: a, path: a.md, temporal: {superseded_by: gone}}\n"
    manifest = parse_manifest(text, "knowledge.yaml")
    assert "names 'gone', which is no unit here" in {f.message for f in manifest.diagnostics}


def test_same_bytes_are_parsed_once() -> None:
    """A sprint that finds an unchanged map pays nothing for it."""
    first = parse_manifest(_GOOD + _UNIT, "knowledge.yaml")
    assert parse_manifest((_GOOD + _UNIT).encode(), "knowledge.yaml") is first


def test_a_second_unit_of_a_file_does_not_open_what_the_first_one_closed() -> None:
    """The strictest holds for all of them, whatever the case of the path; both are told."""
    text = (
        "units:\n- {id: a, path: memory/x.md, sensitivity: confidential}\n"
        "- {id: b, path: Memory/X.md, untrusted: true}\n- {id: c, path: memory/y.md}\n"
    )
    manifest = parse_manifest(text, "k.yaml")
    assert [(unit.sensitivity, unit.untrusted) for unit in manifest.units] == [
        ("confidential", True),
        ("confidential", True),
        ("", False),
    ]
    told = [fault.key for fault in manifest.diagnostics if "the stricter holds" in fault.message]
    assert told == ["units.0", "units.1"]


def test_a_merge_key_is_an_error_wherever_it_stands() -> None:
    """Other readers take its fields over; passed over, it would open what they close."""
    text = "units:\n- {<<: {sensitivity: confidential}, id: a, path: memory/a.md}\n"
    manifest = parse_manifest(text, "k.yaml")
    assert [(f.line, f.key) for f in manifest.errors] == [(2, "units.0.<<")]
    assert parse_manifest(text.replace("<<:", "note:"), "k.yaml").governs
    assert parse_manifest("units: []\nproject: a << b\n", "k.yaml").governs


def test_a_missing_field_says_what_to_add_and_what_holds_without_it() -> None:
    """A unit without an audience is for every agent, so its note says so."""
    manifest = parse_manifest(_GOOD + "- id: a\n  path: a.md\n", "knowledge.yaml")
    told = {fault.key: fault.cure for fault in manifest.diagnostics}
    assert told["units.0.intent"] == "add the question that its note answers"
    assert told["units.0.scope"] == "add one of global, project, module"
    assert told["units.0.audience"].endswith("without one every agent may")
