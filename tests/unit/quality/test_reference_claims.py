from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.quality.claims import SourceNote
from daemon.quality.normalise import clean, read
from daemon.quality.note_texts import PASSAGE_CHARACTERS, note_text
from daemon.quality.reference_claims import reference_claims
from daemon.quality.verdict import TaskBrief
from daemon.sprint.prompts import task_text
from daemon.workspace.definitions import BacklogItem, Playbook
from tests.unit.quality.references import look_up

ROOT = Path(__file__).parents[3]
PIECES = st.sampled_from((
    "https://", "www.a-b.org/", "a.com", "10.1234/", "art. ", "Art. 76 CRE", "§ 5", "(1)", " v. ", "Mata",
    "Ley 15 de 2012", "ISO ", "27001", '"', "«", "»", "'", "> ", "\n", "\n\n", "[", "]", "...", "…", "-", "/",
    "the words of the note ", "T-760/08", "ﬁ", "é", "e\u0301", "İ", "\ud800", "\u200b", "％", "中", "ß", "```\n",
))  # fmt: skip
ANY = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))
BITS = (
    "http://a", "a.com/", "www.", "10.1234/a", '"a b c d e ', "'a'a b c d e ", "«a ", "> a b c d e f\n", "a ... b ",
    "[a.b] ", "[a", "art. 5, ", "arts. 1, 2, ", "art. 5(1)(a)(", "§", "A v. B, ", "A B C D v. ", "ley no. 1-", "1-2-3/",
    "sentencia de ", "F. Supp. 3d 4 ", "26 u.s.c. ", "Ley Orgánica de la ",
    "0", "1 ", "-", "a.", ".com", "(", "x" * 300 + " ",
)  # fmt: skip
HOSTILE = """
import sys
from tests.unit.quality.test_reference_claims import BITS
from tests.unit.quality.references import look_up
size = int(sys.argv[1])
for bit in BITS:
    text = bit * (size // len(bit))
    look_up(text, "The note has a few words.", text[:20_000])
print("read")
"""


@given(ANY, st.lists(ANY, max_size=3), ANY)
def test_no_text_makes_it_fail_and_every_claim_has_its_place(
    output: str, notes: list[str], question: str
) -> None:
    """Spans lie in the text, places in the note, passages are short; statuses fit the kind."""
    text = clean(output)
    claims = look_up(output, *notes, question=question)
    assert [claim.span for claim in claims] == sorted(claim.span for claim in claims)
    for claim in claims:
        assert 0 <= claim.span[0] <= claim.span[1] <= len(text)
        assert claim.kind in ("url", "quote", "norm")
        assert len(claim.passage) <= PASSAGE_CHARACTERS
        if claim.place is not None:
            note = notes[int(claim.source.removeprefix("law.n"))]
            assert 0 <= claim.place[0] <= claim.place[1] <= len(note)
        elif claim.status == "supported":
            pytest.fail("a supported claim without a place")


@given(ANY)
def test_a_note_is_searched_in_views_of_one_length(text: str) -> None:
    """One offset means the same place in all of them."""
    note = note_text(SourceNote("n", text))
    assert len(note.raw) == len(note.lower) == len(note.open)


def test_an_output_that_repeats_its_note_has_no_absent_claim() -> None:
    """Addresses, quotations and norms of a text are supported by the text itself."""
    note = (
        'Under Art. 33 LOPDP and Sentencia 22-19-CN/21 the office wrote "no file may leave the building at'
        ' all" on https://office.gob.ec/a/b?c=1; see Loper v. Raimondo and ISO/IEC 27001:2022.'
    )
    claims = look_up(note, note)
    assert {claim.status for claim in claims} == {"supported"}
    assert {claim.kind for claim in claims} == {"url", "quote", "norm"}


def test_the_complaints_about_the_last_attempt_are_no_part_of_the_task() -> None:
    """They name what was invented; what names it again is as invented as before."""
    item = BacklogItem(
        "T1", "Title", "Question?", "writer", "c1", "memo", 1, added_on=date(2026, 3, 2)
    )
    playbook = Playbook("memo", "Memo", "report", "Write it.", "playbooks/memo.md")
    reason = "These addresses are in no note: https://made-up.org/a; Art. 999 CRE."
    prompt = task_text(item, playbook, [reason])
    text = "See https://made-up.org/a and Art. 999 CRE."
    assert [claim.status for claim in look_up(text, "Nothing.", prompt_text=prompt)] == [
        "absent",
        "absent",
    ]


@pytest.mark.parametrize("size", [50_000])
def test_no_search_is_slow_on_hostile_text(size: int) -> None:
    """Repetition made to make regexes backtrack; the limit is a safety net, not a measurement."""
    ended = subprocess.run(
        [sys.executable, "-c", HOSTILE, str(size)],
        capture_output=True,
        text=True,
        timeout=180,
        cwd=ROOT,
    )
    assert ended.stdout.strip() == "read", ended.stderr


def test_no_source_means_nothing_is_supported() -> None:
    """What was given is all that counts."""
    brief = TaskBrief("T1", "")
    claims = reference_claims(read("See https://a.org/x and Art. 5 CRE."), brief, ())
    assert [claim.status for claim in claims] == ["absent", "absent"]
