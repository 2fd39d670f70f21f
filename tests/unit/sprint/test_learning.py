"""A draft is tried on everything that was ever accepted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.quality.rules import QualityRules, parse_rules
from daemon.sprint.learning import CannotLearn, Lesson, draft_from, newest_accepted, try_out
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database, open_database
from tests.unit.quality.judging import REPORT
from tests.unit.sprint.test_rejudging import keep, row_of

SELLS = "Act now and be the first of 500 winners."


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "state" / "sprintd.db")
    yield opened
    opened.close()


def lesson(db: Database, row: AttemptRow, words: str, *, phrase: bool = False) -> Lesson:
    draft = draft_from(db, row, QualityRules(), message="It sells.", words=words, phrase=phrase)
    return try_out(db, row, draft, toml="", remark="r", max_rejections=3)


def test_the_narrowest_way_that_rejects_the_output_is_taken(db: Database) -> None:
    """Most of a text: by share. Its opening: as a head. One of many sentences: it only marks."""
    bulk = row_of(db, keep(db, f"{SELLS} The port has forty old berths.", "accepted"))
    assert lesson(db, bulk, SELLS).draft.where == "sentence"
    head = row_of(db, keep(db, f"{SELLS}\n\n{REPORT}", "accepted"))
    assert lesson(db, head, SELLS).draft.where == "head"
    filler = "\n\n".join(f"Berth {n} of the port lies on the {n + 7}th mole, beside a shed."
                         for n in range(60))  # fmt: skip
    long = row_of(db, keep(db, f"{filler}\n\n{SELLS}\n\n{filler}", "accepted"))
    found = lesson(db, long, SELLS)
    assert not found.draft.rejects
    assert parse_rules(found.new_text, "quality.toml").patterns[0].action == "flags"


def test_other_accepted_outputs_that_it_would_reject_are_named(db: Database) -> None:
    """Not the one it was learned from, not rejected ones, not those without the words."""
    other = keep(db, f"{SELLS.replace('500', '12')} The mole is long and old.", "accepted")
    keep(db, f"{SELLS} The quay is wet.", "rejected")
    keep(db, REPORT, "accepted")
    row = row_of(db, keep(db, f"{SELLS} The port has forty old berths.", "accepted"))
    found = lesson(db, row, SELLS)
    assert [one.row.id for one in found.would_reject] == [other]
    assert found.would_mark == ()


def test_what_is_there_already_is_refused(db: Database) -> None:
    """By its regex, whatever its name."""
    row = row_of(db, keep(db, f"{SELLS} The port has forty old berths.", "accepted"))
    known = parse_rules(lesson(db, row, SELLS).new_text, "quality.toml")
    with pytest.raises(CannotLearn, match="already, as domain"):
        draft_from(db, row, known, message="Other.", words=SELLS, phrase=False)


def test_a_text_of_one_sentence_has_no_counter_example(db: Database) -> None:
    """Without one the pattern would have no test of what it leaves alone."""
    row = row_of(db, keep(db, SELLS, "accepted"))
    with pytest.raises(CannotLearn, match="no other sentence"):
        draft_from(db, row, QualityRules(), message="m", words=SELLS, phrase=False)


def test_the_newest_accepted_output_is_the_one_that_is_meant(db: Database) -> None:
    """None where there is none."""
    assert newest_accepted(db, "T1") is None
    keep(db, "one", "accepted")
    two = keep(db, "two", "accepted")
    keep(db, "three", "rejected")
    found = newest_accepted(db, "T1")
    assert found is not None
    assert found.id == two
