"""Text becomes the type that a field wants by exact rules; every fault is told at once."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from daemon.config.validation import validate, validate_each, validate_part
from daemon.config.yaml_file import parse_yaml
from daemon.errors import Fault, WorkspaceInvalid


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")
    country: str = ""
    priority: Annotated[int, Field(ge=1, le=5)] = 3


class Whole(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    count: int = 0
    active: bool = False
    since: date | None = None
    at: datetime | None = None
    price_usd: Decimal = Decimal(0)
    ratio: float = 0.0
    tier: Literal["reasoning", "routine"] = "routine"
    level: Literal[1, 2] = 1
    tags: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    parts: list[Part] = []
    limits: dict[str, int] = {}
    either: int | str | None = None


def read(text: str) -> Whole:
    return validate(Whole, parse_yaml(text, "f.yaml"), "f.yaml")


def faults_in(text: str) -> tuple[Fault, ...]:
    with pytest.raises(WorkspaceInvalid) as caught:
        read(text)
    return caught.value.faults


def test_every_type_is_read_from_text() -> None:
    """One document with every type comes out typed."""
    found = read(
        "name: NO\ncount: -12\nactive: true\nsince: 2026-09-14\nat: 2026-09-14T08:00:00Z\n"
        "price_usd: 1.10\nratio: 0.5\ntier: reasoning\nlevel: 2\ntags: [no, 13:00]\n"
        "parts:\n  - country: NO\n    priority: 5\nlimits: {a: 1}\neither: 12\n"
    )
    assert found == Whole(
        name="NO",
        count=-12,
        active=True,
        since=date(2026, 9, 14),
        at=datetime(2026, 9, 14, 8, tzinfo=UTC),
        price_usd=Decimal("1.10"),
        ratio=0.5,
        tier="reasoning",
        level=2,
        tags=("no", "13:00"),
        parts=[Part(country="NO", priority=5)],
        limits={"a": 1},
        either="12",
    )
    assert str(found.price_usd) == "1.10"


@pytest.mark.parametrize(
    ("key", "written", "expects"),
    [
        ("count", "012", "a whole number"),
        ("count", "1_000", "a whole number"),
        ("count", "1.0", "a whole number"),
        ("count", "0x10", "a whole number"),
        ("count", "١٢", "a whole number"),
        ("active", "yes", "true or false"),
        ("active", "True", "true or false"),
        ("active", "1", "true or false"),
        ("since", "14.09.2026", "a date such as"),
        ("since", "2026-02-30", "a date such as"),
        ("since", "2026-09-14T00:00:00Z", "a date such as"),
        ("at", "2026-09-14T08:00:00", "a time with its zone"),
        ("price_usd", "1,10", "a number"),
        ("price_usd", "nan", "a number"),
        ("price_usd", "1e3", "a number"),
        ("ratio", "inf", "a number"),
        ("name", "[a]", "text, found a list"),
        ("name", "{a: b}", "text, found a group of keys"),
        ("tags", "a", "a list, found 'a'"),
        ("parts", "[x]", "a group of keys, found 'x'"),
        ("tier", "Routine", "one of reasoning, routine"),
    ],
)
def test_what_does_not_fit_is_a_fault_that_says_what_is_expected(
    key: str, written: str, expects: str
) -> None:
    """No guessing: the fault names line, key, what is expected and what was found."""
    lines = [f"{key}: {written}"] if key == "name" else ["name: x", f"{key}: {written}"]
    (fault,) = faults_in("\n".join(lines))
    assert fault.line == len(lines)
    assert fault.key.startswith(key)
    assert expects in fault.message


def test_all_faults_are_told_at_once_with_dotted_keys_and_lines() -> None:
    """Four faults in one document are four faults, in the order of their lines."""
    found = faults_in("count: x\nparts:\n  - priority: 9\n  - priority: 1\n    country: [a]\n")
    assert [(fault.line, fault.key) for fault in found] == [
        (0, "name"),
        (1, "count"),
        (3, "parts[0].priority"),
        (5, "parts[1].country"),
    ]
    assert "must be at most 5, found 9" in found[2].message


def test_an_unknown_key_is_a_fault_with_the_likely_one() -> None:
    """A misspelt key stops the load and names what was probably meant."""
    (fault,) = faults_in("name: x\nparts:\n  - priorty: 2\n")
    assert (fault.line, fault.key, fault.message) == (3, "parts[0].priorty", "unknown key")
    assert fault.cure == "did you mean priority?"


def test_a_misspelt_required_key_is_one_fault_not_two() -> None:
    """The unknown key says it all; that the right one is missing follows from it."""
    (fault,) = faults_in("nmae: x\n")
    assert (fault.key, fault.cure) == ("nmae", "did you mean name?")


def test_an_unknown_key_like_no_other_lists_the_known_ones() -> None:
    """Without a near word the cure is the list of keys."""
    (fault,) = faults_in("name: x\nparts: [{qqqq: 1}]\n")
    assert fault.cure == "known here: country, priority"


def test_an_empty_value_counts_as_absent() -> None:
    """`country:` with nothing after it has the default; a required key then has no value."""
    assert read("name: x\nparts:\n  - country:\n    priority:\n").parts == [Part()]
    (fault,) = faults_in("count: 1\nname:\n")
    assert (fault.line, fault.key, fault.message) == (2, "name", "has no value")


def test_quoted_numbers_serve_where_a_number_is_wanted() -> None:
    """Quotes only say that it is text; a number in text is still a number."""
    assert read("name: x\ncount: '12'\n").count == 12


def test_a_document_that_is_no_mapping_is_a_fault() -> None:
    """A list at the top is told as such."""
    (fault,) = faults_in("- a\n- b\n")
    assert "expects a group of keys, found a list" in fault.message


def test_entries_of_a_list_are_judged_one_by_one() -> None:
    """The sound entries come back with their index; the others give faults."""
    document = parse_yaml("parts:\n  - priority: 1\n  - priority: x\n  - {}\nmore: 1\n", "f.yaml")
    sound, faults = validate_each(Part, document, "parts", "f.yaml")
    assert [index for index, _part in sound] == [0, 2]
    assert [(fault.line, fault.key) for fault in sorted(faults)] == [
        (3, "parts[1].priority"),
        (5, "more"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is missing"), ("a: 1", "is missing"), ("parts: x", "list"), ("parts:", "list")],
)
def test_a_missing_list_is_a_fault(text: str, message: str) -> None:
    """No list, no entries, and a fault that says so."""
    sound, faults = validate_each(Part, parse_yaml(text, "f.yaml"), "parts", "f.yaml")
    assert sound == []
    assert message in next(fault for fault in faults if fault.key == "parts").message


VISIBLE = st.characters(
    exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufeff\ufffe\uffff"
)
SCALARS = (
    st.none() | st.text(VISIBLE, max_size=12) | st.sampled_from(["1", "true", "2026-01-01", "0.5"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(list(Whole.model_fields)) | st.text(VISIBLE, min_size=1, max_size=5),
            inner,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_no_value_raises_anything_but_workspace_invalid(value: Any) -> None:
    """Whatever a file holds, the answer is a typed object or faults with messages."""
    document = parse_yaml(json.dumps(value, ensure_ascii=False), "f.yaml", max_bytes=10**6)
    found = validate_part(Whole, document, (), document.value, "f.yaml")
    assert isinstance(found, Whole) or all(fault.message for fault in found)


def test_a_missing_key_says_what_to_add() -> None:
    """With the words, the kind or the form that it may have, where its type says so."""

    class Strict(BaseModel):
        name: str
        profile: Literal["report", "answer"]
        on: date
        most: Annotated[int, Field(ge=1)]
        teams: tuple[str, ...]
        part: Part

    with pytest.raises(WorkspaceInvalid) as caught:
        validate(Strict, parse_yaml("{}", "f.yaml"), "f.yaml")
    assert {fault.key: (fault.message, fault.cure) for fault in caught.value.faults} == {
        "name": ("is missing", "add name"),
        "profile": ("is missing", "add profile: one of report, answer"),
        "on": ("is missing", "add on: a date such as 2026-11-30"),
        "most": ("is missing", "add most: a whole number"),
        "teams": ("is missing", "add teams: a list"),
        "part": ("is missing", "add part"),
    }
