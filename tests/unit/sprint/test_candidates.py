"""Which units and findings come into question."""

from __future__ import annotations

from datetime import date

from daemon.knowledge.manifest import parse_manifest
from daemon.sprint.candidates import Candidate, find_candidates, order_by_words
from daemon.sprint.context_plan import KnownFinding
from daemon.workspace.definitions import Agent, BacklogItem

_AGENT = Agent("a", "A", "routine", (), ("memory/",), 1000, "Work.", "agents/a.md")
_ITEM = BacklogItem(
    "I-1", "Seat prices", "What do courts charge?", "a", "c", "p", 1, date(2026, 1, 1),
    needs=("two", "one", "two"), depends_on=("I-0",),
)  # fmt: skip


def test_named_units_keep_the_order_of_the_item() -> None:
    """The order in which people wrote the needs is the order of loading, each once."""
    text = "units:\n- {id: one, path: memory/1.md}\n- {id: two, path: memory/2.md}\n"
    found = find_candidates(parse_manifest(text, "k.yaml"), (), _AGENT, _ITEM, date(2026, 1, 1))
    assert [candidate.id for candidate in found.named] == ["two", "one"]


def test_finding_never_takes_the_id_of_a_unit() -> None:
    """A citation of that id would mean the wrong file."""
    text = "units:\n- {id: finding-x-1, path: memory/1.md}\n"
    finding = KnownFinding("memory/findings/c/X-1.md", "X", "c", "Title")
    manifest = parse_manifest(text, "k.yaml")
    found = find_candidates(manifest, [finding], _AGENT, _ITEM, date(2026, 1, 1))
    assert [candidate.id for candidate in found.beside] == ["memory/findings/c/X-1.md"]


def test_finding_of_a_dependency_counts_as_built_upon_also_on_the_same_criterion() -> None:
    """It is in one list only."""
    finding = KnownFinding("memory/findings/c/I-0-1.md", "I-0", "c", "Title")
    manifest = parse_manifest("units: []", "k.yaml")
    found = find_candidates(manifest, [finding], _AGENT, _ITEM, date(2026, 1, 1))
    assert ([c.id for c in found.builds_on], found.beside) == (["finding-i-0-1"], [])


def test_words_order_what_kcp_scores_zero() -> None:
    """Best first; what shares no word is skipped."""
    words = {"none": "tariffs", "weak": "a court and more", "strong": "court charging for seating"}
    unscored = [_candidate(*pair) for pair in words.items()]
    touching, others = order_by_words(unscored, _ITEM, "en")
    assert [candidate.id for candidate in touching] == ["strong", "weak"]
    assert [(skip.id, skip.reason) for skip in others] == [
        ("none", "little or nothing in its map entry touches the question")
    ]


def test_very_many_units_are_not_all_ranked_by_words() -> None:
    """Beyond the bound they are skipped, and still named."""
    unscored = [_candidate(f"u{number}", "tariffs") for number in range(2_005)]
    touching, others = order_by_words(unscored, _ITEM, "en")
    assert (touching, len(others)) == ([], 2_005)


def _candidate(unit_id: str, words: str) -> Candidate:
    return Candidate(
        unit_id, f"memory/{unit_id}.md", unit_id, "words", untrusted=False, words=words
    )
