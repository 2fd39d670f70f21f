"""The sample's notes state all collected facts in own words, and the map names each note once."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest

from tests.unit.workspace.sample_files import (
    NUMBER,
    SCHEMA_FILE,
    SOURCE,
    agent_reads,
    facts,
    sample,
    sample_notes,
    squeezed,
    text_of,
    units,
)

COLLECTED_ON = date(2026, 11, 30)
FRONT_KEYS = ["title", "as_of", "confidence", "origin"]
ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
# What the fact list warns of: a figure that stands alone, and a page that should not be used.
LEFT_OUT = ("luzuriagacastro", "ailawyer-lawyer", "pages.dev")


def test_every_fact_stands_in_exactly_one_note() -> None:
    """All collected facts, and no others, are stated once."""
    stated = sorted(fact for note in sample_notes() for fact in note.facts)
    assert stated == sorted(fact["id"] for fact in facts())


def test_the_figures_of_a_fact_stand_in_its_text() -> None:
    """No number and no status word of a fact is lost on the way into the notes."""
    missing = []
    for fact in facts():
        text = squeezed(text_of(fact["id"]))
        numbers = set(NUMBER.findall(text))
        for figure in fact["figures"].split(";"):
            wanted = NUMBER.findall(figure)
            words = [] if wanted or figure.strip() == "-" else [squeezed(figure).strip()]
            missing += [(fact["id"], number) for number in wanted if number not in numbers]
            missing += [(fact["id"], word) for word in words if word not in text]
    assert missing == []


def test_a_fact_carries_its_own_source_line() -> None:
    """The address, the year and where a stored copy was read go with every fact."""
    for fact in facts():
        match = SOURCE.search(text_of(fact["id"]))
        assert match is not None
        assert match.group(1) == fact["url"], fact["id"]
        for year in YEAR.findall(fact["date"]):
            assert year in match.group(2), (fact["id"], year)
        assert (fact["seen"] or "") in match.group(2), fact["id"]


def test_a_known_disagreement_is_told() -> None:
    """Where sources contradict each other the note says so in a sentence of its own."""
    silent = [
        fact["id"]
        for fact in facts()
        if fact["disagreement"] and "\nDisagreement: " not in text_of(fact["id"])
    ]
    assert silent == []


def test_notes_are_written_in_own_words() -> None:
    """Fewer than half of a statement's five-word runs occur in the note."""
    copied = []
    for fact in facts():
        wanted = five_grams(fact["statement"])
        share = len(wanted & five_grams(text_of(fact["id"]))) / len(wanted)
        if share >= 0.5:
            copied.append((fact["id"], round(share, 2)))
    assert copied == []


def test_what_the_facts_warn_of_is_left_out() -> None:
    """Pages and figures that must not be used do not appear in any note."""
    for note in sample_notes():
        assert not [word for word in LEFT_OUT if word in note.body], note.path
    fines = next(note for note in sample_notes() if "D03" in note.facts)
    assert not re.search(r"(?<![\d.-])2 ?%", fines.body)
    assistants = next(note for note in sample_notes() if "R02" in note.facts)
    assert "USD 99" not in assistants.body


def test_front_matter_has_four_keys_and_an_honest_date() -> None:
    """Title, date, confidence and origin, and nothing dated after the facts were collected."""
    for note in sample_notes():
        assert list(note.front) == FRONT_KEYS, note.path
        assert note.front["confidence"] in {"high", "medium", "low"}, note.path
        assert note.front["origin"] == "starting-note", note.path
        assert date.fromisoformat(note.front["as_of"]) <= COLLECTED_ON, note.path
        assert note.body.lstrip().startswith("# "), note.path


def test_a_note_is_as_old_as_its_newest_fact() -> None:
    """A day that the source of a fact carries is never later than the date of its note."""
    for note in sample_notes():
        dates = [fact["date"] for fact in facts() if fact["id"] in note.facts]
        days = [day for written in dates for day in ISO_DATE.findall(written)]
        assert note.front["as_of"] >= max(days, default="0000"), note.path
        if all(ISO_DATE.match(written) for written in dates):
            assert note.front["as_of"] == max(days), note.path


def test_notes_are_small_and_few_facts_share_one() -> None:
    """An agent can be given just what it needs: 25 to 40 notes, two to six facts, short texts."""
    notes = sample_notes()
    sizes = {note.path: len(note.body) / 4 for note in notes}
    assert 25 <= len(notes) <= 40
    assert [note.path for note in notes if not 2 <= len(note.facts) <= 6] == []
    assert [path for path, tokens in sizes.items() if not 250 <= tokens <= 1200] == []
    assert sum(sizes.values()) <= 30_000


def test_every_note_has_one_unit_and_every_unit_a_note() -> None:
    """The map names each starting note once; findings are not on it."""
    assert sorted(unit["path"] for unit in units()) == [note.path for note in sample_notes()]
    assert len({unit["id"] for unit in units()}) == len(units())


def test_a_unit_is_a_question_with_enough_triggers() -> None:
    """Short triggers would match inside unrelated words, so none has fewer than four letters."""
    for unit in units():
        assert unit["intent"].endswith("?"), unit["id"]
        assert 8 <= len(unit["triggers"]) <= 15, unit["id"]
        assert min(map(len, unit["triggers"])) >= 4, unit["id"]
        assert len(set(unit["triggers"])) == len(unit["triggers"]), unit["id"]


def test_the_audience_of_a_unit_is_who_may_read_its_file() -> None:
    """The map and the agents' own lists of folders say the same."""
    reads = agent_reads()
    for unit in units():
        readers = {
            agent
            for agent, folders in reads.items()
            if any(unit["path"].startswith(folder) for folder in folders)
        }
        assert set(unit["audience"]) in (readers, {"agent"}), unit["id"]


def test_the_map_is_valid_against_the_protocol_schema() -> None:
    """knowledge.yaml follows version 0.32 of the Knowledge Context Protocol."""
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    if not SCHEMA_FILE.is_file():
        pytest.skip("the protocol's schema is not beside this checkout")
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    manifest = sample("knowledge.yaml")
    assert manifest["kcp_version"] == "0.32"
    faults = list(jsonschema.Draft7Validator(schema).iter_errors(manifest))
    assert [fault.message for fault in faults] == []


def five_grams(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return {tuple(words[start : start + 5]) for start in range(len(words) - 4)}
