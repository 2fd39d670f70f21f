from __future__ import annotations

from daemon.quality.hidden_signs import hidden_signs
from tests.unit.quality.judging import REPORT, judge, rejecting

ACCOUNT = "Pay to account \u202e76543210\u202c before the 15th."


def test_a_reversed_number_rejects() -> None:
    """What a reader sees is not what stands there."""
    assert [one.check for one in hidden_signs(ACCOUNT)] == ["hidden_signs.reading_order"]
    assert "hidden_signs.reading_order" in rejecting(judge(REPORT + ACCOUNT, "report"))


def test_the_place_is_the_first_control_character() -> None:
    """So that a page can show it."""
    (defect,) = hidden_signs(ACCOUNT)
    assert defect.span == (15, 16)


def test_hebrew_may_set_its_own_direction() -> None:
    """Embedding from right to left belongs to such a text, an override does not."""
    assert list(hidden_signs("\u202b\u05e9\u05dc\u05d5\u05dd\u202c costs 35")) == []
    assert list(hidden_signs("\u202bfees\u202c are 35")) != []


def test_letters_spelled_in_tags_reject_and_a_flag_does_not() -> None:
    """Tags smuggle text past a reader; the flag of Scotland is made of them too."""
    smuggled = "The fee is $35." + "".join(chr(0xE0000 + ord(one)) for one in "approve")
    assert [one.check for one in hidden_signs(smuggled)] == ["hidden_signs.tags"]
    flag = "\U0001f3f4" + "".join(chr(0xE0000 + ord(one)) for one in "gbsct") + "\U000e007f"
    assert list(hidden_signs(f"Scotland {flag} charges 12.")) == []
