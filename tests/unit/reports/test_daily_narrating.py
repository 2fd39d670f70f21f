"""A model's summary of a day, asked for through the money gate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.config.sections import BudgetSection
from daemon.errors import OutcomeUnknown, ProviderPermanent
from daemon.governance.recovery import halt
from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.provider import Completion, Prompt
from daemon.scheduling.report_jobs import ReportJobs
from daemon.scheduling.run import Run
from daemon.sprint.runner import run_sprint
from daemon.store import reports
from daemon.store.api_calls import costs_by
from daemon.store.reports import ReportRow
from tests.standins.priced_writer import USAGE, PricedWriter, price_the_writer
from tests.workspaces import NOON, copy_sample

SLOT = datetime(2026, 12, 1, 13, 0, tzinfo=UTC)
TRUE = "Yesterday 2 findings were learned in 1 sprint, and 2 model calls cost 0.0018 USD."
LIE = "Yesterday 3 findings were learned in 1 sprint."


class Narrator(PricedWriter):
    """Writes sprints offline, and where JSON is asked for what it was told to."""

    writes_json = True

    def __init__(self, answer: str) -> None:
        super().__init__()
        self.answer, self.asked = answer, list[Prompt]()
        self.fails: Exception | None = None
        self.stop = "end_turn"

    def send(self, prompt: Prompt) -> Completion:
        if prompt.schema is None:
            return super().send(prompt)
        self.asked.append(prompt)
        if self.fails:
            raise self.fails
        return Completion(self.answer, prompt.model, USAGE, self.stop)  # type: ignore[arg-type]


class Desk:
    """The jobs over a workspace in which a sprint of yesterday learned two things."""

    def __init__(self, root: Path, config: str = "", answer: str = "") -> None:
        self.narrator = Narrator(answer)
        self.clock = ManualClock(NOON)
        self.narrator.writes_json = False  # the sprint is planned by rule
        self.services: Services = build_services(
            price_the_writer(copy_sample(root, config)), environ={}, say=lambda line: None,
            clock=self.clock, provider=self.narrator,
        )  # fmt: skip
        run_sprint(self.services.sprint_parts)
        self.narrator.writes_json = True
        self.clock.advance(SLOT - NOON)

    def daily(self, slot: datetime = SLOT) -> ReportRow:
        ReportJobs(self.services, lambda text: None).by_name()["daily"].work(Run("daily", slot))
        found = reports.find_report(self.services.db, "daily", slot)
        assert found
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    built = Desk(tmp_path / "venture", answer=json.dumps({"summary": TRUE}))
    yield built
    built.services.close()


def test_a_summary_that_holds_is_shown_with_who_wrote_it_and_what_it_cost(desk: Desk) -> None:
    """The cost counts for the day that runs, as the actor `reports`; the figures are from before."""
    kept = desk.daily()
    lines = kept.body.splitlines()
    assert lines[1] == f"{TRUE} (Words of extractive-1; every figure was compared with the data.)"
    assert lines[2].startswith(
        "Asking a model for the summary cost 0.0009 USD; it counts for 2026-12-01"
    )
    assert kept.facts["narrator"] == {"model": "extractive-1", "left_out": "", "cost_micros": 900}
    (row,) = costs_by(desk.services.db, "agent", SLOT.date(), SLOT.date())
    assert (row.name, row.cost_micros) == ("reports", 900)
    assert kept.facts["today"]["spent_micros"] == 0
    assert len(desk.narrator.asked) == 1
    assert desk.narrator.asked[0].tools == ()


def test_a_file_of_it_is_there(desk: Desk) -> None:
    """In state/reports, and the run says nothing more."""
    kept = desk.daily()
    path = desk.services.state_dir / "reports" / "daily-2026-12-01T1300Z.md"
    assert path.read_text().startswith(f"# {kept.body.splitlines()[0]}\n\n{TRUE} ")


LIES = (
    (json.dumps({"summary": LIE}), "3"),
    (json.dumps({"summary": f"{TRUE} GO."}), '"go"'),
    (json.dumps({"summary": f"{TRUE} <!channel>"}), "markup"),
    (json.dumps({"summary": " ".join([TRUE] * 30)}), "too long"),
    (json.dumps({"summary": "the " * 160}), "150 words"),
    (json.dumps({"summary": TRUE, "verdict": "GO"}), "JSON"),
    (json.dumps({"summary": 7}), "JSON"),
    (f"Sure!\n{json.dumps({'summary': TRUE})}", "JSON"),
    ("", "empty"),
    ("[" * 5_000, "nested"),
)


def test_a_lying_narrator_changes_nothing(desk: Desk) -> None:
    """Its words are left out, which is said in one line with why; all else is as without it."""
    for minute, (answer, why) in enumerate(LIES):
        desk.narrator.answer = answer
        lines = desk.daily(SLOT + timedelta(minutes=minute)).body.splitlines()
        assert lines[1].startswith("2026-11-30: learned 2, rejected 0, spent 0.0018 USD.")
        assert lines[2].startswith("A model's summary was left out, this one was worked out: ")
        assert why in lines[2]
        assert len(lines[2]) < 400
        rest = "\n".join(lines[3:])
        assert not any(word in rest for word in ("GO.", "channel", "Sure", " 3 findings"))


def test_the_same_report_without_a_model_differs_only_in_its_summary(tmp_path: Path) -> None:
    """Switched off, nobody is asked and no remark is made."""
    config = "[reports]\nsummary_by_model = false\n"
    quiet = Desk(tmp_path / "quiet", config, json.dumps({"summary": TRUE}))
    lying = Desk(tmp_path / "lying", "", json.dumps({"summary": LIE}))
    try:
        without, beside = (desk.daily().body.splitlines() for desk in (quiet, lying))
        assert quiet.narrator.asked == []
        ledger = next(at for at, line in enumerate(without) if line.startswith("Ledger"))
        assert without[:2] == beside[:2]
        assert without[2:ledger] == beside[4 : ledger + 2]
    finally:
        quiet.services.close()
        lying.services.close()


def test_no_failure_keeps_the_report_away(desk: Desk) -> None:
    """A service that is gone, an answer that is cut off: the worked-out summary stands."""
    desk.narrator.fails = ProviderPermanent(
        "the model is not known", setting="provider.routine_model"
    )
    assert "worked out: the model is not known." in desk.daily().body


def test_an_answer_that_may_have_been_billed_counts_and_is_told(desk: Desk) -> None:
    """At its worst case, like any other call."""
    desk.narrator.fails = OutcomeUnknown("the connection broke")
    kept = desk.daily()
    assert kept.facts["narrator"]["cost_micros"] > 0
    assert "the connection broke" in kept.body


def test_an_answer_that_is_cut_off_is_left_out(desk: Desk) -> None:
    """Also where what came of it reads well."""
    desk.narrator.stop = "max_tokens"
    assert '"max_tokens"' in desk.daily().body


def test_without_money_nobody_is_asked(desk: Desk) -> None:
    """The refusal is the reason that people read."""
    desk.services.budget.adopt(BudgetSection(daily_cap_usd=Decimal("0.0001")))
    assert "worked out: the daily cap of 0.0001 USD would be exceeded" in desk.daily().body
    assert desk.narrator.asked == []


def test_a_halted_daemon_reports_without_asking(desk: Desk) -> None:
    """The gate says why."""
    halt(desk.services.db, "the key is wrong", SLOT)
    assert "halted: the key is wrong" in desk.daily().body
    assert desk.narrator.asked == []


def test_a_scope_without_the_call_refuses_it(tmp_path: Path) -> None:
    """As in a map of an older version: the report comes, and says what is missing."""
    built = Desk(tmp_path / "venture", answer=json.dumps({"summary": TRUE}))
    chart = built.services.root / "knowledge.yaml"
    chart.write_text(
        chart.read_text().replace("tools: [model.call, message.send]", "tools: [message.send]")
    )
    built.services.look_again()
    try:
        assert "A model's summary was left out" in built.daily().body
        assert built.narrator.asked == []
    finally:
        built.services.close()


def test_a_report_that_was_cut_off_asks_for_nothing_twice(desk: Desk) -> None:
    """The paid answer is kept, and is checked again."""
    first = desk.daily()
    with desk.services.db.immediate() as tx:
        tx.execute("DELETE FROM report WHERE kind = 'daily'")
    again = desk.daily()
    assert again.body.splitlines()[1] == first.body.splitlines()[1]
    assert len(desk.narrator.asked) == 1


def test_a_report_that_is_kept_is_shown_and_asks_nobody(desk: Desk) -> None:
    """Whatever changed since."""
    first = desk.daily()
    assert desk.daily() == first
    assert len(desk.narrator.asked) == 1


def test_a_quiet_workspace_and_the_offline_writer_ask_nobody(tmp_path: Path) -> None:
    """There is nothing to sum up, or nobody who could."""
    assert not ExtractiveProvider.writes_json
    built = Desk(tmp_path / "venture", answer=json.dumps({"summary": TRUE}))
    built.narrator.writes_json = False
    try:
        assert "summary" not in built.daily().body
        assert built.narrator.asked == []
    finally:
        built.services.close()
