"""Which sentences lead a brief, and which only stand beside the answer."""

from __future__ import annotations

from daemon.llm.extractive import FRAMES, ExtractiveProvider
from daemon.llm.provider import Prompt, SourceText
from tests.briefs import quoted_sentences

FRAME = FRAMES["en"]


def note(name: str, text: str, *, named: bool = False, folder: str = "memory/") -> SourceText:
    return SourceText(name, f"{folder}{name}.md", name.title(), text, named=named)


def brief_of(question: str, *sources: SourceText, language: str = "en", tokens: int = 2000) -> str:
    prompt = Prompt("m", "", "", tokens, question, sources, language=language)
    return ExtractiveProvider().send(prompt).text


def part(brief: str, heading: str) -> list[str]:
    """The quotations below a heading of the frame."""
    return quoted_sentences(brief.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0])


QUAYS = note(
    "quays",
    "# Quays\n\nHow many quays there are, and of what length.\n\n"
    "Nine quays of stone stand in the bay, 2,400 metres in all. The oldest quay is 180 metres long. "
    "Nobody paints them.\n\nNot known: who owns the quays.\n",
    named=True,
)
RIVAL = note(
    "rival",
    "# Rival\n\nA new quay costs USD 9 million, and a quay of wood lasts 30 years. "
    "Every quay needs a crane for 12 tonnes.\n",
)


def test_what_the_item_names_leads() -> None:
    """Also where another note has more words of the question."""
    brief = brief_of("What does a new quay of wood cost?", RIVAL, QUAYS)
    assert part(brief, FRAME.best)[0].startswith(("Nine quays", "The oldest quay"))
    assert "A new quay costs USD 9 million, and a quay of wood lasts 30 years." in brief


def test_figures_of_a_named_note_are_quoted_whatever_the_question_says() -> None:
    """The person who named it knew why; of another note only what answers is quoted."""
    other = note("boats", "# Boats\n\nThe bay has 77 rowing clubs. A gale sank 14 skiffs.\n")
    named = note("storms", "# Storms\n\nIn one winter 31 gales blew. A mast broke.\n", named=True)
    brief = brief_of("How safe is the anchorage?", other, named)
    assert quoted_sentences(brief) == ["In one winter 31 gales blew."]


def test_each_named_note_has_its_turn() -> None:
    """One long note does not push the others out of a brief."""
    long = note(
        "long", "# L\n\n" + "\n\n".join(f"Crane {n} lifts {n * 3} tonnes of sand." for n in range(9, 99)),
        named=True,
    )  # fmt: skip
    short = note("short", "# S\n\nThe toll is 55 pesos.\n", named=True)
    assert "- The toll is 55 pesos. [short]" in brief_of("What do cranes lift?", long, short)


def test_a_sentence_that_points_back_stands_behind_what_it_means() -> None:
    """ "These" without its sentence before would say nothing."""
    text = "# Fees\n\nThe council set three fees for trawlers. These tariffs rose by 12 % in May.\n"
    quoted = part(brief_of("By how much did tariffs rise?", note("fees", text)), FRAME.best)
    assert quoted == [
        "The council set three fees for trawlers.", "These tariffs rose by 12 % in May.",
    ]  # fmt: skip
    spanish = "# T\n\nEl cabildo fijó tres tasas. Esas tarifas subieron un 12 % en mayo.\n"
    brief = brief_of("¿Cuánto subieron las tarifas?", note("t", spanish), language="es")
    assert part(brief, FRAMES["es"].best)[0] == "El cabildo fijó tres tasas."


def test_every_sentence_is_quoted_once_also_as_the_one_before() -> None:
    """An antecedent that answers by itself is not repeated."""
    text = (
        "# F\n\nThe council set 3 tariffs. These tariffs rose by 12 %. Both tariffs fell later.\n"
    )
    quoted = quoted_sentences(brief_of("Which tariffs rose?", note("fees", text)))
    assert len(quoted) == len(set(quoted)) == 3
    assert quoted.index("The council set 3 tariffs.") < quoted.index("These tariffs rose by 12 %.")


def test_what_people_wrote_as_open_stands_under_what_the_notes_do_not_say() -> None:
    """It is the most honest line of a note, and never the first pick."""
    brief = brief_of("Who owns the quays?", QUAYS)
    assert part(brief, FRAME.gaps) == ["Not known: who owns the quays."]
    assert not [line for line in part(brief, FRAME.best) if line.startswith("Not known")]


def test_what_a_note_announces_is_not_quoted() -> None:
    """Its first words say what it is about, and nothing about that."""
    assert "How many quays there are" not in brief_of("How many quays are there?", QUAYS)


def test_opening_words_without_a_figure_lead_only_where_nothing_else_does() -> None:
    """They mostly introduce; a sentence further down answers."""
    text = "# Tides\n\nTides matter to skippers.\n\nTides rise by 4 metres in June.\n"
    assert part(brief_of("What of tides?", note("t", text)), FRAME.best)[0].startswith("Tides rise")
    alone = note("t", "# Tides\n\nTides matter to skippers.\n")
    assert part(brief_of("What of tides?", alone), FRAME.best) == ["Tides matter to skippers."]


def test_opening_words_of_a_note_that_nobody_named_are_left_out() -> None:
    """Beside what the item names they say nothing."""
    text = (
        "# Piers\n\nPiers of wood and quays of stone matter to skippers.\n\nA pier lasts 9 years.\n"
    )
    lines = "\n\n".join(f"Quay {n} is {n * 9} metres long and carries goods." for n in range(3, 30))
    quays = note("quays", f"# Quays\n\n{lines}\n", named=True)
    brief = brief_of("How long is each quay, and who are the skippers?", quays, note("p", text))
    assert "matter to skippers" not in brief


def test_a_short_limit_keeps_the_best() -> None:
    """Evidence goes first, then what is open, then the picks themselves."""
    brief = brief_of("What does a new quay of wood cost?", RIVAL, QUAYS, tokens=95)
    assert FRAME.evidence not in brief
    assert len(part(brief, FRAME.best)) >= 1
