"""Any text becomes a message that Slack takes, and that does nothing to its readers."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.config.phrases import Phrases
from daemon.notify import message
from daemon.notify.slack_blocks import brief_of, draw, plain_of, where_it_stands
from daemon.notify.slack_buttons import Look
from tests.standins.slack_page import live_parts, render_page
from tests.standins.slack_rules import message_faults, texts_of

LOOK = Look(Phrases("en"), "https://sprintd.example.com", is_public=True)


def texts(payload: dict[str, Any]) -> list[str]:
    return list(texts_of(draw(payload, LOOK).blocks))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=300), st.text(max_size=300), st.integers(1, 40))
def test_every_text_is_within_slacks_limits(title: str, text: str, times: int) -> None:
    """As the strict stand-in counts them."""
    payload = {"title": title, "text": text * times}
    body: dict[str, Any] = {"blocks": draw(payload, LOOK).blocks, "text": brief_of(payload)}
    assert list(message_faults(body)) == []
    assert body["text"].strip()


def test_a_text_of_a_stranger_is_inert() -> None:
    """Nobody is mentioned and nothing links: < > & are escaped and the text is verbatim."""
    hostile = "<!channel> <@U01> <https://evil.example|Approve> & **go**"
    (block,) = draw({"text": hostile}, LOOK).blocks
    assert block["text"]["verbatim"] is True
    assert "<" not in block["text"]["text"]
    assert ">" not in block["text"]["text"]
    shown = "&lt;!channel&gt; &lt;@U01&gt; &lt;https://evil.example|Approve&gt; &amp; *go*"
    assert block["text"]["text"] == shown
    assert "<" not in brief_of({"text": hostile, "title": hostile})
    assert "<" not in plain_of({"text": hostile, "title": hostile}, LOOK)


def test_headings_lists_and_bold_are_as_slack_writes_them() -> None:
    """Everything else stays as it was written."""
    text = "## Learned\n- one **thing**\n  * two\nsnake_case and 3 * 4 * 5"
    assert texts({"text": text}) == ["*Learned*\n• one *thing*\n  • two\nsnake_case and 3 * 4 * 5"]


def test_no_escape_is_cut_and_what_is_left_out_is_told() -> None:
    """A part counts its text as it is sent, and the note says how much is missing."""
    found = texts({"text": "<" * 5_000})
    assert [len(part) for part in found] == [3_000] * 4 + [len(found[-1])]
    assert all(part.replace("&lt;", "") == "" for part in found[:-1])
    assert found[-1] == "… 2,000 more characters are left out here."


def test_control_characters_do_not_pass() -> None:
    """They could reverse or hide what is read, so their numbers stand there."""
    assert texts({"text": "a\x00b\u202ec\x1b[31m"}) == ["a[U+0000]b[U+202E]c[U+001B][31m"]


def test_an_empty_message_still_says_something() -> None:
    """Slack refuses a message without text."""
    assert texts({"text": " \n"}) == ["–"]
    assert brief_of({}) == "–"
    assert plain_of({}, LOOK) == "–"


def test_a_title_that_only_repeats_the_text_is_left_out() -> None:
    """A short alert is not said twice, also where its title was cut."""
    for title in ("The key is wrong.", "The key is…"):
        payload = {"title": title, "text": "The key is wrong. Mend it."}
        assert texts(payload) == ["The key is wrong. Mend it."]
        assert plain_of(payload, LOOK) == "The key is wrong. Mend it."
    assert texts({"title": "Digest", "text": "News"}) == ["Digest", "News"]


def test_every_message_in_parts_is_within_slacks_limits() -> None:
    """However long and however many they are; buttons always arrive, and what is missing is told."""
    words = '\U0001f468\u200d\U0001f469\u200d\U0001f467 <&> e\u0301 "quoted" ' * 12
    buttons = [message.button("Unblock " + "B" * 200, "item.unblock", f"B{n}", style="danger",
                              confirm=words) for n in range(5)]  # fmt: skip
    for count, many in ((0, 0), (1, 1), (3, 40), (60, 3), (2, 500)):
        parts = [message.heading(words)]
        for _ in range(count):
            entries = [message.line(words, mark="B01", detail=words) for _ in range(many)]
            parts += [message.lines(entries, title="Learned"), message.text(words * many)]
        parts += [message.bar("Money", 3, 4), message.small(words), message.buttons(buttons)]
        drawn = draw({"parts": parts}, LOOK)
        blocks = [*drawn.blocks, where_it_stands(LOOK, file=False)]
        assert list(message_faults({"blocks": blocks, "text": "x"})) == []
        assert drawn.blocks[-1]["type"] == "actions"
        assert (drawn.left_out > 0) == (count * many > 3)


def test_what_is_left_out_is_counted_and_the_longest_list_gives_way() -> None:
    """A short list beside a long one stays whole."""
    long = message.lines([message.line("word " * 30) for _ in range(500)], title="Long")
    short = message.lines([message.line("one"), message.line("two")], title="Short")
    drawn = draw({"parts": [long, short]}, LOOK)
    found = list(texts_of(drawn.blocks))
    assert found[-1] == "*Short*\n• one\n• two"
    assert drawn.left_out > 400
    assert found[-2] == f"… and {drawn.left_out} more"
    shown = sum(text.count("• ") for text in found[:-2])
    assert shown + drawn.left_out == 500
    rest = message.line("", mark="9,500 more on the page", stands_for=9_500)
    entries = [*long["entries"], rest]
    *_, note = texts({"parts": [message.lines(entries, title="Long")]})
    at_all = sum(text.count("• ") for text in texts({"parts": [message.lines(entries)]}))
    assert note == f"… and {10_000 - at_all:,} more"


def test_links_lead_to_our_page_and_nowhere_else() -> None:
    """The label is the item's id; an address of anybody else, or a trick with ours, is no link."""
    ours = "https://sprintd.example.com/items/B01"
    strange = ("https://evil.example/B01", "https://sprintd.example.com.evil.example/",
               "https://sprintd.example.com/x|y>", "javascript:alert(1)", "")  # fmt: skip
    entries = [message.line("Boats", mark="B01", link=link) for link in (ours, *strange)]
    (block,) = draw({"parts": [message.lines(entries)]}, LOOK).blocks
    assert live_parts([block]) == [ours]
    assert block["text"]["text"].splitlines() == [f"• *<{ours}|B01>* Boats", *["• *B01* Boats"] * 5]
    assert live_parts(draw({"parts": [message.lines(entries)]}, Look(Phrases("en"))).blocks) == []


HOSTILE = (
    "<!channel> <!here|x> <@U1> <#C1> <!subteam^S1|@ops> @here @everyone #general",
    "<https://evil.example|Approve> [Approve](https://evil.example) https://evil.example www.evil.example",
    "a\u200b\u200d\u2060b \u202eevorppa\u202c \u2066x\u2069 \ufeff\x00\x1b]8;;https://evil\x07",
    "\u05d0\u05d1\u05d2 ~gone~ `code` ```block``` *bold* _it_ > quote &lt;!channel&gt; &amp;lt;@U1&amp;gt;",
    "x" * 100_000,
    "<" * 100_000,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 5_000,
    "e\u0301\u0302" * 9_000,
    "\U0001f1ea\U0001f1f8" * 9_000,
)


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_inert_in_every_part(hostile: str) -> None:
    """Nothing of it is live, hides or turns round; it fits; and the page that shows it has no link."""
    entry = message.line(hostile, mark=hostile, detail=hostile, link=hostile)
    parts = [
        message.heading(hostile), message.text(hostile), message.lines([entry], title=hostile),
        message.bar(hostile, 1, 2), message.small(hostile),
        message.buttons([message.button(hostile, "item.unblock", "B01", confirm=hostile)]),
    ]  # fmt: skip
    payload = {"title": hostile, "text": hostile, "parts": parts}
    for blocks in (draw(payload, LOOK).blocks, draw({**payload, "parts": []}, LOOK).blocks):
        assert live_parts(blocks) == []
        assert "<a " not in render_page([blocks])
        body = {"blocks": blocks, "text": brief_of(payload)}
        assert list(message_faults(body)) == []
        for text in texts_of(blocks):
            assert not re.search("[\u200b\u2060\u202a-\u202e\u2066-\u2069\ufeff\x00\x1b]", text)
            assert not text.startswith(("\u0301", "\u0302", "\u200d"))
    for text in (brief_of(payload), plain_of(payload, LOOK)):
        assert not re.search("[<>]", text)


def test_underscores_of_a_title_set_nothing_in_italics_and_names_stay_whole() -> None:
    """The first of a pair looks the same and does nothing; a name with some can still be copied."""
    entry = message.line("see _this part_ of a_b_c.py", mark="T_01_b")
    blocks = draw({"parts": [message.lines([entry])]}, LOOK).blocks
    assert "<i>" not in render_page([blocks]).partition("</style>")[2]
    shown = "".join(texts_of(blocks))
    assert "a_b_c.py" in shown
    assert "T_01_b" in shown


def test_nothing_is_cut_inside_a_character() -> None:
    """Families stay together, letters keep their accents, flags both their letters."""
    family, flag = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1ea\U0001f1f8"
    for whole in (family, flag, "e\u0301\u0302", "\u0928\u093f"):
        drawn = draw({"text": "x" + whole * 9_000}, LOOK)
        pieces = [block["text"]["text"] for block in drawn.blocks if block["type"] == "section"]
        assert len(pieces) > 2
        assert pieces[0].removeprefix("x").replace(whole, "") == ""
        assert all(piece.replace(whole, "") == "" for piece in pieces[1:])


def test_no_two_buttons_have_one_name_and_values_arrive_whole() -> None:
    """Slack refuses the first, and a value that was cut would mean another thing."""
    pair = [message.button("Unblock", "item.unblock", item) for item in ("B01", "B02")]
    (block,) = draw({"parts": [message.buttons(pair)]}, LOOK).blocks
    assert [one["action_id"] for one in block["elements"]] == ["item.unblock", "item.unblock#2"]
    assert [one["value"] for one in block["elements"]] == ["B01", "B02"]
    with pytest.raises(ValueError, match="longer than Slack takes"):
        draw({"parts": [message.buttons([message.button("x", "a", "v" * 2_001)])]}, LOOK)


def test_details_are_a_link_only_where_founders_can_open_the_page() -> None:
    """Elsewhere they are asked for by a press like the others."""
    row = message.buttons([message.button("Details", "approval.details", "A7:0123456789abcdef")])
    (open_,) = draw({"parts": [row]}, LOOK).blocks
    assert open_["elements"][0]["url"] == "https://sprintd.example.com/approvals/A7"
    (closed,) = draw({"parts": [row]}, Look(Phrases("en"), "http://127.0.0.1:8642")).blocks
    assert "url" not in closed["elements"][0]


def test_the_bar_shows_how_much_is_used() -> None:
    """Never empty where something is, full where nothing is left, also with a whole of zero."""
    shown = {(part, whole): texts({"parts": [message.bar("x", part, whole)]})[0].splitlines()[0]
             for part, whole in ((0, 20), (1, 1_000), (5, 20), (20, 20), (30, 20), (0, 0))}  # fmt: skip
    assert list(shown.values()) == [
        "░░░░░░░░░░ 0 %", "█░░░░░░░░░ 0 %", "███░░░░░░░ 25 %", "██████████ 100 %",
        "██████████ 150 %", "██████████ 100 %",
    ]  # fmt: skip


def test_a_part_of_a_later_version_is_shown_as_text() -> None:
    """A message that waited through a change of versions still arrives."""
    assert texts({"parts": [{"type": "poem", "text": "a rose"}]}) == ["a rose"]


def test_each_limit_holds_for_the_longest_that_is_let_through() -> None:
    """A mark with a long link, words and detail together; names that get a number; wide values."""
    entry = message.line("w" * 3_000, mark="m" * 100, detail="d" * 3_000)
    for tail in ("a" * 274, "a" * 275, "a" * 970, "&" * 50, "&" * 970):
        parts = [message.lines([{**entry, "link": f"https://sprintd.example.com/{tail}"}])]
        assert list(message_faults({"blocks": draw({"parts": parts}, LOOK).blocks})) == []
    pair = [message.button("x", "a" * 300, value) for value in ("\U0001f600" * 1_000, "2")]
    blocks = draw({"parts": [message.buttons(pair)]}, LOOK).blocks
    assert list(message_faults({"blocks": blocks})) == []
    with pytest.raises(ValueError, match="longer than Slack takes"):
        draw({"parts": [message.buttons([message.button("x", "a", "\U0001f600" * 1_001)])]}, LOOK)
