"""Any text becomes a message that Slack takes, and that does nothing to its readers."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.config.phrases import Phrases
from daemon.notify.slack_blocks import Look, brief_of, draw, plain_of
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
    """They could reverse or hide what is read."""
    assert texts({"text": "a\x00b\u202ec\x1b[31m"}) == ["abc[31m"]


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
