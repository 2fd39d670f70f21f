"""Which notes are one source, and which are two that happen to agree."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import permutations

from daemon.quality.measure_copies import Telling, canonical_address, copies, publisher_of

SAID = "6 of 25 owners pay after the priced offer."
RELEASE = (
    "The harbour of Valdivia announced on Thursday that its new moorings were let within three weeks, "
    "after a long winter in which the old piers had been closed for repairs and families waited."
)
REWORDED = (
    "The port of Valdivia announced on Thursday that its new moorings were let within three weeks, "
    "after a hard winter in which the old piers had been shut for repairs and families waited."
)
ANA = "Ana walked the north quay on Monday with the harbour master and wrote down each purse."
CLERK = "The clerk telephoned every family from the yacht club, the papers of the bank beside him."


def note(path: str, beside: str, *, address: str = "", on: date | None = None) -> Telling:
    body = f"{beside}\n\n{SAID}\n" if beside else f"{SAID}\n"
    return Telling(path, address or path, Decimal(6), bool(address), on, SAID, SAID, body)


def passage(path: str, beside: str, address: str, on: date | None = None) -> Telling:
    """A paragraph with its source named below, in a long note of other things."""
    text = f"{beside} {SAID}\nSource: https://{address} (2027-02-01)"
    return Telling(path, address, Decimal(6), True, on, SAID, text, f"{path} is long.\n\n{text}")


def count(*tellings: Telling) -> int:
    return len(tellings) - len(copies(tellings))


def test_one_text_under_two_names_or_headings_is_one_source() -> None:
    """A header, a date, a line that names a source, or a greeting makes no second one of it."""
    first = note("a.md", ANA)
    for other in (
        ANA,
        f"# The count of the north quay\n\n{ANA}",
        f"{ANA}\n\nReprinted on 2027-02-20.",
        f"Newsletter, third of March.\n\n{ANA}",
        ANA.replace("walked", "paced").replace("purse", "wallet"),
    ):
        assert count(first, note("b.md", other)) == 1, other


def test_two_people_who_came_to_the_same_are_two_sources() -> None:
    """The result is in the same words by rule; what stands beside it is their own."""
    assert count(note("a.md", ANA), note("b.md", CLERK)) == 2


def test_long_notes_of_one_subject_are_no_copies() -> None:
    """They share its words, and not what they say with them."""
    words = re.findall(r"\w+", f"{ANA} {CLERK}".lower())
    one, other = (" ".join(order) + "." for order in (words, sorted(words)))
    assert count(note("a.md", one), note("b.md", other)) == 2
    assert count(note("a.md", one), note("b.md", f"Reprinted by us. {one}")) == 1


def test_a_note_with_nothing_of_its_own_is_no_second_source() -> None:
    """Nor are ten of them; and one more of them never makes fewer of the others."""
    bare = [note(f"{n}.md", "Again.") for n in range(10)]
    assert count(*bare) == 1
    assert count(note("a.md", ANA), note("b.md", CLERK), *bare) == 2


def test_a_syndicated_text_is_one_source_under_any_addresses() -> None:
    """Lightly reworded too. Two addresses that a note names for one plain sentence are two."""
    one = passage("a.md", RELEASE, "first.example/news")
    for text in (RELEASE, REWORDED, f"By our own reporter. {RELEASE}"):
        assert count(one, passage("b.md", text, "second.example/today")) == 1, text
    assert count(passage("a.md", "", "first.example"), passage("b.md", "", "second.example")) == 2
    assert count(one, passage("b.md", CLERK, "second.example/today")) == 2


def test_one_publisher_with_the_same_date_and_figure_is_one_source() -> None:
    """On another day it may have counted again."""
    day = date(2027, 2, 1)
    one = passage("a.md", ANA, "news.port.example/count", day)
    other = passage("b.md", CLERK, "port.example/press/6-of-25", day)
    assert count(one, other) == 1
    assert count(one, replace(other, dated_on=date(2027, 2, 8))) == 2
    assert count(one, replace(other, figure=Decimal(7))) == 2
    assert count(one, replace(other, dated_on=None), replace(one, path="c.md")) == 2


def test_another_figure_is_no_copy_of_a_text() -> None:
    """Two counts that were written down after one pattern."""
    assert count(note("a.md", ANA), replace(note("b.md", ANA), figure=Decimal(7))) == 2


def test_the_order_of_notes_changes_nothing() -> None:
    """Neither how many sources there are, nor which is the original."""
    notes = [
        note("a.md", ANA),
        note("b.md", f"{ANA} She was cold."),
        note("c.md", CLERK),
        note("d.md", ""),
    ]
    found = set()
    for order in permutations(notes):
        of = copies(order)
        found.add(frozenset((order[at].path, order[to].path) for at, to in of.items()))
    assert found == {frozenset({("a.md", "b.md"), ("d.md", "b.md")})}


def test_spellings_of_one_address_are_one() -> None:
    """Its page for telephones, its printed page, its copy in an archive, any mark of a campaign."""
    for address in (
        "https://www.port.example/count?utm_source=x",
        "http://port.example/count/",
        "m.port.example/count",
        "amp.port.example/count/amp",
        "port.example//count/index.html",
        "port.example/c%6funt#top",
        "web.archive.org/web/20270101000000/https://www.port.example/count",
        "PORT.example/count/print",
    ):
        assert canonical_address(address) == "port.example/count", address
    assert canonical_address("Our list") == "our list"
    assert canonical_address("m.example") == "m.example"


def test_a_publisher_is_the_registered_name() -> None:
    """Words that are no address have none."""
    assert publisher_of("news.port.example/x") == "port.example"
    assert publisher_of("diario.com.ec/x") == publisher_of("www.diario.com.ec") == "diario.com.ec"
    assert publisher_of("our list") == publisher_of("localhost/x") == ""
