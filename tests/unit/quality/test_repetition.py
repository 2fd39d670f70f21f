from __future__ import annotations

import pytest

from daemon.quality.assessment import assess
from daemon.quality.claims import Claim
from daemon.quality.normalise import clean, read
from daemon.quality.repetition import _LONG_TOKEN, _RUN, _long_tokens, _may_run, repeats_earlier
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import TaskBrief, Verdict
from tests.unit.quality.judging import REPORT, judge, rejecting


def against(text: str, *earlier: str) -> Verdict:
    brief = TaskBrief("T", "?", profile="answer")
    return assess(text, brief, rules=QualityRules(), earlier=earlier)


@pytest.mark.parametrize(
    "text",
    [
        "The fee is " + "is " * 20 + "high.",
        "the market grows " * 12,
        "Prices: " + "a" * 60,
        "ha" * 90 + " " + "z" * 41,
    ],
)
def test_a_text_that_falls_into_a_loop_of_words_is_rejected(text: str) -> None:
    """Also where the loop is one long token."""
    assert "repetition.tokens" in rejecting(judge(text))


def test_the_same_sentence_again_and_again_is_rejected() -> None:
    """Between other sentences too."""
    text = "".join(f"Case {i} was heard. The market is growing fast.\n" for i in range(5))
    assert "repetition.sentences" in rejecting(judge(text))


def test_rows_rulers_and_zeros_are_no_loop() -> None:
    """Tables repeat by nature."""
    table = "| a | b |\n|---|---|\n" + "| 0 | 0 |\n" * 30
    assert rejecting(judge(f"{REPORT}\n{table}\n{'-' * 80}\n{'=' * 80}\n", "report")) == []


def test_a_verbatim_repeat_of_an_earlier_output_is_rejected() -> None:
    """Figures and white space do not make it new."""
    assert "repetition.earlier" in rejecting(against(REPORT, "other", REPORT.replace("\n", "\n\n")))
    assert "repetition.earlier" in rejecting(against(REPORT.replace("2025", "2026"), REPORT))


def test_a_repeat_with_a_few_words_changed_is_rejected() -> None:
    """Most of its five-word sequences are old."""
    changed = REPORT.replace("The strongest reason is time:", "The main reason is time:")
    assert "repetition.earlier" in rejecting(against(changed, REPORT))


def test_a_text_that_shares_a_paragraph_is_no_repeat() -> None:
    """An update may quote its predecessor."""
    new = " ".join(
        f"Vendor {i} raised its price in the city of its seat {i}." for i in "abcdefghijklm"
    )
    assert rejecting(against(f"{new}\n\n{REPORT[:400]}", REPORT)) == []


FIGURES = (
    "The fee of a first copy is $35 in Quito; a second copy costs $12 and takes nine working days."
)


def grounded(*texts: str) -> tuple[Claim, ...]:
    return tuple(Claim("figure", text, (0, 1), "supported", source="note") for text in texts)


def repeated(text: str, earlier: str, claims: tuple[Claim, ...] = ()) -> list[str]:
    return [one.check for one in repeats_earlier(read(clean(text)), [earlier], claims)]


@pytest.mark.parametrize(
    ("text", "earlier"),
    [
        (f"Status at 14 June 2024. {FIGURES}", f"Status at 7 May 2024. {FIGURES}"),
        (f"Informe de agosto. {FIGURES}", f"Informe de julio. {FIGURES}"),
        (f"{FIGURES} It is as before.", f"{FIGURES} Nothing else was found out."),
    ],
)
def test_a_near_duplicate_with_a_new_date_is_rejected(text: str, earlier: str) -> None:
    """A date is no news, also where the notes have it."""
    assert repeated(text, earlier) == ["repetition.earlier"]
    assert repeated(text, earlier, grounded("14 June 2024", "2024", "$35")) == [
        "repetition.earlier"
    ]


def test_an_update_with_a_new_grounded_figure_is_accepted() -> None:
    """The same wording with what has changed; a figure that no note supports does not count."""
    update = FIGURES.replace("$35", "$41")
    assert repeated(update, FIGURES, grounded("$41", "$12")) == []
    weak = (Claim("figure", "$41", (0, 1), "weak"),)
    assert repeated(update, FIGURES, weak) == ["repetition.earlier"]


def test_half_of_the_wording_is_enough_and_a_third_is_not() -> None:
    """Jaccard of the sequences from 0.5."""
    lines = [f"Vendor {one} told us in {one} that {one} pays late." for one in "abcdefghijkl"]
    assert repeated("\n".join(lines[:9]), "\n".join(lines)) == ["repetition.earlier"]
    assert repeated("\n".join(lines[:4]), "\n".join(lines)) == []


NEWS = "In 2021 the authority opened a permit class for spraying drones below 25 kg. Nine operators hold it."


@pytest.mark.parametrize(
    "text",
    [
        "Breaking: the authority has opened a new permit class for spraying drones below 25 kg. Nine have it.",
        "New this week: the authority opened a permit class for spraying drones below 25 kg.",
        "New this week: 14 firms were interviewed (the same 14 as in sprint 3).",
        "Novedad de la semana: 14 estudios entrevistados (los mismos 14 del sprint 3).",
    ],
)
def test_old_facts_told_as_news_are_marked(text: str) -> None:
    """They stand in an earlier output, or the text says so itself."""
    verdict = against(text, NEWS)
    assert "repetition.stale_news" in [d.check for d in verdict.defects]
    assert verdict.outcome == "flag"


@pytest.mark.parametrize(
    "text",
    [
        "New this week: the authority closed the permit class for spraying drones below 40 kg.",
        "The authority opened a permit class for spraying drones below 25 kg.",
        "New this week: eleven growers asked for a night tariff, and one of them has it.",
    ],
)
def test_what_is_new_or_not_called_new_is_left_alone(text: str) -> None:
    """Another figure, another subject, no claim of news."""
    assert "repetition.stale_news" not in [d.check for d in against(text, NEWS).defects]


def test_a_loop_of_many_words_is_rejected() -> None:
    """Nothing new comes in hundreds of words, though no six words repeat at once."""
    text = "new this week we found 14 firms that pay and 3 that do not. " * 60
    assert "repetition.tokens" in rejecting(judge(text))
    assert "repetition.tokens" in rejecting(judge("1 " * 400))


def test_a_list_of_what_each_source_says_is_no_loop() -> None:
    """Only the words of saying are the same; what is said differs in every line."""
    lines = [
        f"- Offer {n} of the mill costs USD {n + 10} a month, says its price list. [n{n}]"
        for n in range(80, 100)
    ]
    text = "## Answer\nTwenty notes speak on the price of an offer.\n" + "\n".join(lines)
    assert "repetition.sentences" not in rejecting(judge(text, "report"))


@pytest.mark.parametrize(
    "text",
    [
        "a" * 19 + " " + "b" * 20 + "\u2003" + "c" * 1000 + "\n" + "d" * 21,
        "x" * 1001 + " " + "y" * 2015 + " short",
        "",
    ],
)
def test_long_words_are_cut_as_a_regex_cuts_them(text: str) -> None:
    """From 20 signs, each at most 1,000 long; what is left of a longer one counts where it has 20."""
    assert _long_tokens(text) == _LONG_TOKEN.findall(text)


def test_a_long_word_is_let_pass_only_where_nothing_runs_on_in_it() -> None:
    """40 of one sign, 12 of a mark or six times some letters, wherever they begin."""
    for lead in ("", "https://a.example/", "q" * 39, "9" * 25):
        for run in ("z" * 40, "7" * 40, "," * 12, "!" * 12, "ha" * 6, "naranja" * 6):
            token = f"{lead}{run}/end-of-it"
            assert _RUN.search(token)
            assert _may_run(token)
    assert not _may_run("https://registry.example/records/2024/one/two/three/four")
