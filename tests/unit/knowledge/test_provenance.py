"""What map and front matter say of a text; the stricter of the two holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.knowledge.provenance import (
    SENSITIVITIES,
    UNKNOWN,
    Provenance,
    declared_provenance,
    highest,
    is_by_model,
    is_confidential,
    joined,
    provenance_in,
    sources_in,
    understated,
)
from daemon.knowledge.unit import Unit

OWN = Provenance()


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ({}, OWN),
        ({"origin": "starting-note"}, OWN),
        ({"provenance": "workspace"}, OWN),
        ({"untrusted": "false", "untrusted_sources": []}, OWN),
        ({"sensitivity": "Restricted "}, Provenance(sensitivity="restricted")),
        ({"provenance": "outside"}, Provenance(outside=True)),
        ({"provenance": "a friend"}, Provenance(outside=True)),
        ({"untrusted": "true"}, Provenance(outside=True)),
        ({"untrusted": "YES"}, Provenance(outside=True)),
        ({"untrusted_sources": ["rivals"]}, Provenance(outside=True)),
        ({"provenance": "workspace", "untrusted_sources": ["rivals"]}, Provenance(outside=True)),
        ({"origin": "finding"}, UNKNOWN),
        ({"origin": "diagnosis", "sensitivity": "internal"}, Provenance(True, "internal")),
        (
            {"origin": "finding", "provenance": "workspace", "sensitivity": "internal"},
            Provenance(sensitivity="internal"),
        ),
    ],
)  # fmt: skip
def test_front_matter_says_where_a_text_came_from(front: dict[str, Any], said: Provenance) -> None:
    """A model's text that does not say what it was made of is taken for the worst."""
    assert provenance_in(front) == said


@given(
    front=st.dictionaries(
        st.sampled_from(["origin", "provenance", "untrusted", "untrusted_sources", "sensitivity"]),
        st.one_of(st.none(), st.text(max_size=8), st.lists(st.text(max_size=3)), st.integers()),
    )
)
def test_no_front_matter_makes_an_error(front: dict[str, Any]) -> None:
    """People write anything; the answer is always one of the two, with a word."""
    said = provenance_in(front)
    assert isinstance(said.outside, bool)
    assert isinstance(said.confidential, bool)


def test_a_unit_is_from_outside_by_its_mark_or_its_folder() -> None:
    """The folder of what was dropped in, or fetched, needs no mark."""
    assert declared_provenance(Unit("a", "memory/a.md")) == OWN
    assert declared_provenance(Unit("a", "memory/a.md", untrusted=True)).outside
    assert declared_provenance(Unit("a", "memory/inbound/a.md")).outside
    assert not declared_provenance(Unit("a", "memory/inbound-rules.md")).outside
    assert is_by_model("memory/findings/KC1/T01-1.md")
    assert not is_by_model("memory/findings.md")


def test_a_map_may_not_make_less_of_a_text_than_the_text_does() -> None:
    """More is allowed: a person may know better."""
    assert understated(OWN, OWN) == ""
    assert understated(UNKNOWN, OWN) == ""
    assert understated(UNKNOWN, UNKNOWN) == ""
    assert "untrusted: true" in understated(OWN, Provenance(outside=True))
    assert "sensitivity: restricted" in understated(OWN, Provenance(sensitivity="restricted"))
    assert understated(Provenance(sensitivity="public"), Provenance(sensitivity="internal")) == ""


def test_the_strictest_word_holds() -> None:
    """A word that is none of the protocol's is as strict as can be."""
    assert highest(SENSITIVITIES) == "restricted"
    assert highest(()) == ""
    assert is_confidential("top secret")
    assert [word for word in SENSITIVITIES if is_confidential(word)] == [
        "confidential",
        "restricted",
    ]
    assert joined(Provenance(True, "public"), Provenance(False, "internal")) == Provenance(
        True, "internal"
    )


@pytest.mark.parametrize("path", ["memory/findings/K1/a.md", "memory/diagnoses/a.md"])
@pytest.mark.parametrize("front", [{}, {"origin": "starting-note"}, {"title": "x"}])
def test_what_lies_among_findings_was_written_by_a_model(path: str, front: dict[str, Any]) -> None:
    """Taking away its origin, or calling it a starting note, makes it no more harmless."""
    assert provenance_in(front, path) == UNKNOWN
    assert provenance_in(front, "memory/own/a.md") == OWN


def test_what_is_said_and_cannot_be_read_is_the_worst() -> None:
    """A list in place of a word."""
    assert provenance_in({"sensitivity": ["confidential"]}).confidential
    assert provenance_in({"provenance": ["outside"]}).outside
    assert provenance_in({"origin": ["finding"]}) == UNKNOWN


def test_folders_are_known_in_any_case() -> None:
    """A disk may not tell them apart."""
    assert declared_provenance(Unit("a", "Memory/INBOUND/a.md")).outside
    assert is_by_model("memory/Findings/K1/a.md")


def test_sources_are_read_by_their_paths() -> None:
    """Whatever else stands there is passed over."""
    front = {"sources": [{"id": "a", "path": "memory/a.md"}, "b", {"path": ["c"]}, {"id": "d"}]}
    assert sources_in(front) == ("memory/a.md",)
    assert sources_in({"sources": "memory/a.md"}) == ()
