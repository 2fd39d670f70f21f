"""A saved plan is computed again, byte for byte."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.plan import MoneyBudget, PlanOptions
from daemon.knowledge.planner import plan
from daemon.knowledge.replay import render_plan, replay

_MANIFEST = """
units:
  - {id: prices, path: memory/prices.md, intent: What do rivals charge?, triggers: [price, año]}
  - {id: people, path: memory/people.md, intent: Who buys?, audience: [human]}
manifests: [{id: m, url: "https://example.org"}]
"""


@given(
    question=st.text(max_size=60),
    needed=st.lists(st.sampled_from(["prices", "people", "x"]), max_size=2),
    budget=st.none() | st.decimals("0", "5", places=3),
    most=st.integers(0, 3),
    as_of=st.dates(date(2000, 1, 1), date(2100, 1, 1)),
)
def test_replay_gives_the_same_bytes(
    question: str, needed: list[str], budget: Decimal | None, most: int, as_of: date
) -> None:
    """Same manifest, question and options: byte-identical text."""
    manifest = parse_manifest(_MANIFEST, "knowledge.yaml")
    money = None if budget is None else MoneyBudget(budget)
    options = PlanOptions(as_of=as_of, needed=tuple(needed), money_budget=money, max_units=most)
    saved = render_plan(plan(manifest, question, options))
    assert replay(saved, manifest) == saved


def test_replay_refuses_another_manifest() -> None:
    """One changed byte of the manifest is another manifest."""
    manifest = parse_manifest(_MANIFEST, "knowledge.yaml")
    saved = render_plan(plan(manifest, "price", PlanOptions(as_of=date(2026, 1, 1))))
    with pytest.raises(ValueError, match="the plan was made from manifest"):
        replay(saved, parse_manifest(_MANIFEST + "\n", "knowledge.yaml"))


@pytest.mark.parametrize("text", ["{}", "", "no", "[]", "null", "7", "[" * 9_000, '{"a": NaN}'])
def test_replay_refuses_what_is_no_plan(text: str) -> None:
    """JSON of another shape, or none at all, is refused with what is missing."""
    with pytest.raises(ValueError, match="no saved plan"):
        replay(text, parse_manifest(_MANIFEST, "knowledge.yaml"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_units", "5"), ("max_units", True), ("needed", "prices"), ("needed", [1]), ("as_of", "x"),
     ("role", None), ("strict", 1), ("context_budget", 1.5), ("money_budget", {"amount": "x"}),
     ("money_budget", 7)],
)  # fmt: skip
def test_replay_refuses_options_of_another_type(name: str, value: object) -> None:
    """A plan whose options were edited is no plan, whatever is in them."""
    manifest = parse_manifest(_MANIFEST, "knowledge.yaml")
    facts = json.loads(render_plan(plan(manifest, "price", PlanOptions(as_of=date(2026, 1, 1)))))
    facts["options"][name] = value
    with pytest.raises(ValueError, match="no saved plan"):
        replay(json.dumps(facts), manifest)
