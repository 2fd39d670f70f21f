"""The narrator: a model that lies changes nothing, and none of its lies is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from daemon.bootstrap import Services
from daemon.config.phrases import Phrases
from daemon.reports.narrating import narrate
from daemon.reports.narration import check_narration, narration_prompt
from daemon.reports.review import Narration, Review, keep_review, take_review
from daemon.reports.review_text import write_review
from daemon.store import reviews
from daemon.workspace.board import Board
from tests.standins.messages_api import MessagesApi, garbage_json, says
from tests.unit.reports.evidence_desk import NOW, WAYS, EvidenceDesk, criterion_of
from tests.workspaces import claude_config, copy_sample, services_over

SIX = "6 of 25 owners pay after the priced offer."
SECRET = "The mooring of the Albatross is under water."
TRUE = "Two notes of February give 6 owners [T1-1:0]; the test paying is for."


@contextmanager
def house(tmp_path: Path, api: MessagesApi) -> Iterator[tuple[Services, Review]]:
    """Services over the stand-in, and a review whose test paying has two sources: GO."""
    root = copy_sample(tmp_path / "w", claude_config(api.base_url))
    with services_over(root, key=api.api_key) as services:
        desk = EvidenceDesk(root, services.db)
        notes = [
            desk.note(f"memory/log/{n}.md", f"{way} {SIX} {SECRET}")
            for n, way in zip("ab", WAYS, strict=False)
        ]
        desk.finding(SIX, *notes)
        yield services, take_review(root, services.db, [criterion_of()], Board(()), NOW)


def answer(words: str, verdict: str = "go", name: str = "KC") -> str:
    return json.dumps({"criteria": [{"id": name, "verdict": verdict, "reasoning": words}]})


def told(review: Review, narration: Narration) -> str:
    return write_review(review, Phrases("en"), narration).body


LIES: tuple[tuple[str, str], ...] = (
    (answer("All is well [T1-1:0].", "no_go"), "another verdict"),
    (answer("It is a NO-GO [T1-1:0]."), "does not go with the verdict"),
    (answer("This is not yet known [T1-1:0]."), "does not go with the verdict"),
    (answer("Demand failed [T1-1:0]."), "does not go with the verdict"),
    (answer("El criterio fracasó [T1-1:0]."), "does not go with the verdict"),
    (answer("The rule is wrong about 6 owners [T1-1:0]."), "does not go with the verdict"),
    (answer("The real verdict is another one [T1-1:0]."), "does not go with the verdict"),
    (answer("Build it now [T1-1:0]."), "does not go with the verdict"),
    (answer("17 owners pay [T1-1:0]."), "figure that is not in the data: 17"),
    (answer("Seventeen owners pay [T1-1:0]."), "figure in words"),
    (answer("Dozens of owners pay [T1-1:0]."), "figure in words"),
    (answer("6 owners pay [T9-9:0]."), "evidence that there is not: T9-9:0"),
    (answer("6 owners pay, see T9-9:12 [T1-1:0]."), "evidence that there is not: T9-9:12"),
    (answer("6 owners pay."), "names no evidence"),
    (answer("6 owners pay [T1-1:0], see https://evil.example"), "a link"),
    (answer("<!channel> 6 owners pay [T1-1:0]"), "a link or a mention"),
    (answer("The b\u0430r is not reached [T1-1:0]."), "words that are not the data's: b\u0430r"),
    (answer("No owner pays [T1-1:0]."), "words that are not the data's: no"),
    (
        answer("Das Kriterium ist nicht erf\u00fcllt [T1-1:0]."),
        "words that are not the data's: das",
    ),
    (answer("p a s s e d [T1-1:0]"), "words that are not the data's: p"),
    (answer("VI owners pay [T1-1:0]."), "words that are not the data's: vi"),
    (answer("\u2705 [T1-1:0]"), "words that are not the data's"),
    (answer("See evil.example/x [T1-1:0]."), "words that are not the data's"),
    (answer("The test paying is against [T1-1:0]."), 'no test is "is against"'),
    (answer("The figures disagree [T1-1:0]."), 'no test is "disagree"'),
    (answer("5 of 25 owners pay [T1-1:0]."), "not in the data of the id behind it: 5"),
    (answer("6.0000001 owners pay [T1-1:0]."), "not in the data: 6.0000001"),
    (answer("25 owners pay [T1-1:0]."), "not in the data of the id behind it: 25"),
    (answer("The figure is -6 [T1-1:0]."), "not in the data of the id behind it: -6"),
    (answer("The figure is >= 5 [T1-1:0]."), "not in the data of the id behind it: >= 5"),
    (answer("USD 6 [T1-1:0]."), "words that are not the data's: usd"),
    (answer("6 % of owners [T1-1:0]."), ""),
    (answer("x" * 2000), "empty or too long"),
    (answer("6 owners pay [T1-1:0].", name="KC9"), "names no criterion"),
    (json.dumps({"verdict": "no_go"}), "not the JSON"),
    (json.dumps([1, 2]), "not the JSON"),
    (
        json.dumps({"criteria": [7, None, {"id": 3}, {"id": "KC", "verdict": "go"}]}),
        "names no criterion",
    ),
    ("The verdict is NO-GO, stop at once.", ""),
)


def test_no_lie_is_shown_and_none_changes_the_verdict(tmp_path: Path) -> None:
    """Each in a review of its own; the worked-out reasons stand, and it says why the words are not there."""
    with MessagesApi() as api, house(tmp_path, api) as (services, review):
        plain = told(review, Narration())
        for number, (lie, why) in enumerate(LIES):
            api.script(says(lie))
            one = Review(NOW.replace(minute=number), *list(vars(review).values())[1:])
            said = narrate(services.metered, one, language="en", by_model=True)
            assert not said.words, lie
            assert why in said.left_out, (lie, said.left_out)
            body = told(review, said)
            assert body.startswith(plain)
            assert body.count("\n") == plain.count("\n") + 1
            assert keep_review(services.db, one, said, NOW)
        kept = reviews.list_reviews(services.db, 99)
        assert {(row.verdict, row.narrator, tuple(row.reasoning)) for row in kept} == {
            ("go", "", ())
        }


def test_words_that_hold_to_the_data_stand_beside_the_reasons(tmp_path: Path) -> None:
    """Named as a model's; in the text, in the parts, in the history."""
    words = "The figure is 6 [T1-1:0], of 2027-02-01; the bound is >= 5."
    with MessagesApi(lambda _: answer(words)) as api, house(tmp_path, api) as (services, review):
        said = narrate(services.metered, review, language="en", by_model=True)
        assert (said.words, said.left_out) == ({"KC": words}, "")
        assert f"in the words of {said.model}: {words}" in told(review, said)
        keep_review(services.db, review, said, NOW)
        (row,) = reviews.list_reviews(services.db, 9)
        assert (row.reasoning, row.narrator) == ({"KC": words}, said.model)


def test_a_model_is_asked_once_a_slot_and_sees_no_sentence(tmp_path: Path) -> None:
    """Its stored reply serves a run that is repeated after a crash; notes and findings stay inside."""
    with MessagesApi(lambda _: answer(TRUE)) as api, house(tmp_path, api) as (services, review):
        first = narrate(services.metered, review, language="en", by_model=True)
        assert narrate(services.metered, review, language="en", by_model=True) == first
        (request,) = api.requests
        assert "T1-1:0" in request.raw.decode()
        assert SECRET not in request.raw.decode()
        assert SIX not in request.raw.decode()


def test_no_failure_of_the_call_holds_up_the_review(tmp_path: Path) -> None:
    """The report says that there are no words, and why."""
    with MessagesApi() as api, house(tmp_path, api) as (services, review):
        api.script(garbage_json())
        said = narrate(services.metered, review, language="en", by_model=True)
        assert not said.words
        assert said.left_out
        assert "the words of the model were left out" in told(review, said)


def test_offline_and_without_evidence_nobody_is_asked(tmp_path: Path) -> None:
    """There is nothing to put in words."""
    root = copy_sample(tmp_path / "offline")
    with services_over(root) as services:
        desk = EvidenceDesk(root, services.db)
        desk.finding(SIX, desk.note("memory/log/a.md", SIX))
        review = take_review(root, services.db, [criterion_of()], Board(()), NOW)
        assert narrate(services.metered, review, language="en", by_model=True) == Narration()
    with MessagesApi() as api:
        root = copy_sample(tmp_path / "online", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            review = take_review(root, services.db, [criterion_of()], Board(()), NOW)
            assert narrate(services.metered, review, language="en", by_model=True) == Narration()
        assert api.requests == []


def test_any_answer_is_judged_without_an_error(tmp_path: Path) -> None:
    """Whatever JSON it is."""
    with MessagesApi() as api, house(tmp_path, api) as (_, review):
        values: tuple[Any, ...] = (None, "", 3, {"criteria": None}, {"criteria": [[]]})
        for value in values:
            kept, faults = check_narration(review, value, "en")
            assert kept == {}
            assert faults
        assert narration_prompt(review, model="m", language="es").schema is not None
