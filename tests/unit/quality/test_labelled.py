"""Lines of labelled texts: every format, and what is wrong with a line that is of none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.errors import Fault
from daemon.quality.labelled import LabelledClaim, Sample, read_samples


def one(**row: object) -> Sample:
    [found] = read_samples([json.dumps(row)], "sets/dev.jsonl.gz")
    assert isinstance(found, Sample), found
    return found


def test_our_own_format_is_read_whole() -> None:
    """Task, sources, earlier outputs and claims reach the judge."""
    found = one(
        id="r1", kind="J fabrication", lang="es", expect="flag", profile="report", question="¿Qué?",
        prompt_text="Eres analista.", sources=[{"id": "n1", "text": "Son 41."}], earlier=["Antes."],
        text="Son 42.", claims=[{"text": "42", "kind": "figure", "true": False}], layer="G",
    )  # fmt: skip
    assert (found.set, found.id, found.lang, found.layer) == ("dev", "r1", "es", "G")
    assert (found.expect, found.profile, found.question) == ("flag", "report", "¿Qué?")
    assert (found.sources[0].id, found.sources[0].text) == ("n1", "Son 41.")
    assert found.earlier == ("Antes.",)
    assert found.claims == (LabelledClaim("42", "figure", true=False),)
    assert not found.by_sources


@pytest.mark.parametrize(
    ("row", "expect"),
    [
        ({"expect": "reject", "label": "good"}, "reject"),
        ({"label": "good_with_chatter"}, "pass"),
        ({"label": "expert:Useful"}, "pass"),
        ({"label": "expert:Not useful at all"}, None),
        ({"y": 1}, "reject"),
        ({"y": 0, "label": "anything"}, "pass"),
    ],
)
def test_the_expectation_is_taken_from_what_is_there(
    row: dict[str, object], expect: str | None
) -> None:
    """`expect` before `y` before `label`; another label says nothing about what should happen."""
    assert one(text="t", **row).expect == expect


def test_a_text_with_its_source_and_no_task_is_graded_by_the_source() -> None:
    """A grounding set has source, output and y."""
    found = one(set="summaries", source={"passages": "It rains."}, output="It snows.", y=1)
    assert found.by_sources
    assert found.text == "It snows."
    assert "It rains." in found.sources[0].text
    assert not one(text="t", y=1, source="s", question="Why?").by_sources


@pytest.mark.parametrize(
    ("line", "key", "says"),
    [
        ("{", "", "is not JSON"),
        ("[1]", "", "is not a JSON object"),
        ("[" * 100_000, "", "nested too deep"),
        ('{"expect": "pass"}', "text", "is missing"),
        ('{"text": 3, "expect": "pass"}', "text", "must be text"),
        ('{"text": "t"}', "expect", "is missing"),
        ('{"text": "t", "expect": "maybe"}', "expect", "'maybe' is not known"),
        ('{"text": "t", "y": 2}', "y", "must be 0 or 1"),
        ('{"text": "t", "y": 1, "profile": "essay"}', "profile", "'essay' is not known"),
        ('{"text": "t", "y": 1, "sources": ["n"]}', "sources", "must be objects"),
        ('{"text": "t", "y": 1, "sources": "n"}', "sources", "must be a list"),
        ('{"text": "t", "y": 1, "earlier": [1]}', "earlier", "list of texts"),
        ('{"text": "t", "y": 1, "claims": [{"text": "5"}]}', "claims", "whether it is true"),
        ('{"text": "t", "y": 1, "claims": [{"text": "5", "kind": "x"}]}', "claims", "unknown kind"),
        ('{"text": "t", "y": 1, "claims": [7]}', "claims", "must be objects"),
    ],
)
def test_a_broken_line_is_named_and_the_rest_is_read(line: str, key: str, says: str) -> None:
    """File, line, key and what is wrong; the lines around it count."""
    good = '{"text": "t", "expect": "pass"}'
    first, wrong, last = read_samples([good, line, "\n", good], "dev.jsonl")
    assert isinstance(first, Sample)
    assert isinstance(last, Sample)
    assert last.line == 4
    assert isinstance(wrong, Fault)
    assert (wrong.file, wrong.line, wrong.key) == ("dev.jsonl", 2, key)
    assert says in wrong.message


@given(st.text())
def test_no_line_makes_it_fail(line: str) -> None:
    """A sample, a fault, or nothing for an empty line."""
    assert len(list(read_samples([line], "dev.jsonl"))) <= 1


@given(st.dictionaries(
    st.sampled_from(["text", "expect", "y", "label", "claims", "sources", "earlier", "set", "id"]),
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.lists(st.integers()),
))  # fmt: skip
def test_no_object_makes_it_fail(row: dict[str, object]) -> None:
    """Wrong kinds of values are faults, never exceptions."""
    assert len(list(read_samples([json.dumps(row)], "dev.jsonl"))) == 1
