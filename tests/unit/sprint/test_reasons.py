"""What the next attempt is told: reasons first, then the absent claims, and never without an end."""

from __future__ import annotations

from daemon.quality.claims import Claim
from daemon.quality.verdict import Defect, Verdict
from daemon.quality.verdict_json import verdict_as_json
from daemon.sprint.reasons import MOST_CHARACTERS, reasons_for_next, reasons_without_words

TEXT = "Boats rose to 9,999 in a year. Most pay."


def verdict(*defects: Defect, claims: tuple[Claim, ...] = ()) -> dict[str, object]:
    return verdict_as_json(Verdict("reject", 30, (), defects, TEXT, claims=claims))


def test_rejecting_defects_stand_first_then_absent_claims_then_marks() -> None:
    """Each absent claim with the sentence that it was written in."""
    absent = Claim("figure", "9,999", (14, 19), "absent")
    lines = reasons_for_next(
        verdict(
            Defect("a", "It is marked.", rejects=False),
            Defect("b", "It is too short.", rejects=True),
            claims=(absent, Claim("figure", "1", (0, 1), "supported")),
        )
    )
    assert lines == (
        "It is too short.",
        "No note has the figure '9,999'; you wrote: Boats rose to 9,999 in a year.",
        "Only marked: It is marked.",
    )


def test_what_is_left_out_is_counted() -> None:
    """At most so many characters, but for the line that counts the rest."""
    many = [Defect(f"d{n}", f"Reason {n}. " + "word " * 100, rejects=True) for n in range(40)]
    lines = reasons_for_next(verdict(*many))
    assert lines[0].startswith("Reason 0.")
    assert sum(len(line) + 1 for line in lines[:-1]) <= MOST_CHARACTERS
    assert lines[-1].startswith(f"{40 - (len(lines) - 1)} more lines are left out")


def test_one_endless_reason_is_cut() -> None:
    """It still says something."""
    (line,) = reasons_for_next(verdict(Defect("a", "x" * 90_000, rejects=True)))
    assert line.endswith("…")
    assert len(line) < MOST_CHARACTERS


def test_nothing_was_rejected_or_an_earlier_version_stored_less() -> None:
    """No verdict gives no reasons; a stored one without claims gives its messages."""
    assert reasons_for_next(None) == ()
    old = {"defects": [{"check": "a", "message": "It  is\nbad.", "rejects": True}]}
    assert reasons_for_next(old) == ("It is bad.",)


def test_another_agent_is_told_no_word_of_the_rejected_answer() -> None:
    """It may have been made of what this one may not read: rules and counts, no text."""
    absent = Claim("figure", "9,999", (14, 19), "absent")
    stored = verdict(
        Defect("hedging", "It says 'Boats rose'.", rejects=True),
        Defect("style", "It says 'Most pay'.", rejects=False),
        claims=(absent, Claim("figure", "1", (0, 1), "supported")),
    )
    lines = reasons_without_words(stored)
    assert lines == (
        "The rules that rejected another agent's answer: hedging",
        "It made 1 claims that no note has.",
    )
    assert reasons_without_words(None) == ()
