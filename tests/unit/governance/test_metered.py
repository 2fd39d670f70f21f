from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.config.sections import BudgetSection
from daemon.errors import OutcomeUnknown, ProviderBusy, ProviderPermanent, StoreError
from daemon.governance.budget import Budget, Caller, Refusal
from daemon.governance.metered import MeteredProvider
from daemon.llm.prices import load_prices
from daemon.llm.provider import Completion, Prompt, Usage
from daemon.store import effects
from daemon.store.api_calls import CallRow, list_recent
from daemon.store.budget import budget_faults
from daemon.store.database import Database, open_database
from daemon.store.owner_lock import OwnerLock
from tests.standins.paid_provider import PaidProvider, Step, prompt, reply

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
CALLER = Caller("attempt", sprint_id=3, item="prices", agent="analyst")


@dataclass
class House:
    """One life of the daemon, with all that a call passes through."""

    db: Database
    clock: ManualClock = field(default_factory=lambda: ManualClock(NOON))
    stop: threading.Event = field(default_factory=threading.Event)
    busy: list[float] = field(default_factory=list)

    def budget(self, cap: str = "20") -> Budget:
        return Budget(
            self.db, load_prices(None), BudgetSection(daily_cap_usd=Decimal(cap)), self.clock
        )

    def metered(
        self,
        provider: PaidProvider,
        *,
        cap: str = "20",
        owner: str = "this life",
        gate: Callable[[], Refusal | None] = lambda: None,
        max_tries: int = 4,
    ) -> MeteredProvider:
        return MeteredProvider(
            provider,
            self.budget(cap),
            self.db,
            self.clock,
            max_tries=max_tries,
            deadline_seconds=300,
            owner=owner,
            stop=self.stop,
            jitter=lambda: 0.0,
            gate=gate,
            busy=self.busy.append,
        )

    def calls(self) -> list[CallRow]:
        """Oldest first."""
        return list_recent(self.db, 100)[::-1]

    def outcomes(self) -> list[tuple[str, int | None]]:
        return [(call.end.outcome, call.cost_micros) for call in self.calls()]

    def effect_state(self, key: str = "k") -> str | None:
        effect = effects.find_effect(self.db, key)
        return effect.state if effect else None


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    database = open_database(tmp_path / "state" / "sprintd.db", busy_timeout_seconds=0.1)
    parts = House(database)
    yield parts
    assert budget_faults(parts.db) == []
    parts.db.close()


def busy(after: float | None = None) -> ProviderBusy:
    return ProviderBusy("overloaded", retry_after_seconds=after, status=529, request_id="req_b")


def unknown() -> OutcomeUnknown:
    return OutcomeUnknown("timed out", request_id="req_u")


def permanent() -> ProviderPermanent:
    return ProviderPermanent("the key was refused", setting="ANTHROPIC_API_KEY", status=401)


def test_a_reply_is_stored_and_billed_before_it_is_given_out(house: House) -> None:
    """Effect, bill and call are all there when the caller sees the text."""
    provider = PaidProvider()
    metered = house.metered(provider)
    assert metered.complete("k", prompt(), CALLER) == reply()
    assert metered.stored_reply("k") == reply()
    assert house.effect_state() == "done"
    assert house.outcomes() == [("replied", 400_000)]


def test_a_paid_reply_is_never_paid_for_again(house: House) -> None:
    """The same key in a later life gets the stored reply; the provider is not asked."""
    house.metered(PaidProvider([reply("Once.")])).complete("k", prompt(), CALLER)
    later = PaidProvider()
    answer = house.metered(later, owner="later life", cap="0").complete("k", prompt(), CALLER)
    assert answer == reply("Once.")
    assert later.sent == []


def test_the_money_is_reserved_before_the_provider_is_asked(house: House) -> None:
    """While the call is under way, its worst case, its row and its effect are on the disk."""
    seen: list[tuple[int, list[tuple[str, int | None]], str | None]] = []

    def look(_: Prompt) -> Completion:
        today = house.budget().today()
        seen.append((today.reserved_micros, house.outcomes(), house.effect_state()))
        return reply()

    house.metered(PaidProvider([look])).complete("k", prompt(), CALLER)
    assert seen == [(400_000, [("started", None)], "started")]


def test_a_key_in_use_elsewhere_is_not_asked_again(house: House) -> None:
    """Nobody knows yet whether the first one will be billed."""
    second = PaidProvider()
    errors: list[str] = []

    def ask_again(_: Prompt) -> Completion:
        try:
            house.metered(second).complete("k", prompt(), CALLER)
        except OutcomeUnknown as error:
            errors.append(str(error))
        return reply()

    house.metered(PaidProvider([ask_again])).complete("k", prompt(), CALLER)
    assert errors == ["k was asked before and is started"]
    assert second.sent == []


@pytest.mark.parametrize(
    ("cap", "model", "reason"), [("0.39", "claude-haiku-4-5", "cap"), ("20", "gpt", "no_price")]
)
def test_a_refused_call_reaches_no_network(house: House, cap: str, model: str, reason: str) -> None:
    """The provider is not asked, nothing is left behind, and the key may be used later."""
    provider = PaidProvider()
    answer = house.metered(provider, cap=cap).complete("k", prompt(model=model), CALLER)
    assert isinstance(answer, Refusal)
    assert answer.reason == reason
    assert (provider.sent, house.calls(), house.effect_state()) == ([], [], None)
    assert house.metered(provider).complete("k", prompt(), CALLER) == reply()


def test_a_halted_daemon_asks_nothing(house: House) -> None:
    """The gate's refusal is given back as it is; a stored reply is still given out."""
    provider = PaidProvider()
    house.metered(provider).complete("paid", prompt(), CALLER)
    halted = Refusal.by_gate("halted: three failures")
    metered = house.metered(provider, gate=lambda: halted)
    assert metered.complete("k", prompt(), CALLER) is halted
    assert metered.complete("paid", prompt(), CALLER) == reply()
    assert len(provider.sent) == 1


def test_a_gate_that_closes_between_two_tries_ends_them(house: House) -> None:
    """The second try is refused; the first was not billed, so the key is free again."""
    provider = PaidProvider([busy()])
    words = iter([None, Refusal.by_gate("halted")])
    answer = house.metered(provider, gate=lambda: next(words)).complete("k", prompt(), CALLER)
    assert isinstance(answer, Refusal)
    assert len(provider.sent) == 1
    assert house.effect_state() is None


def test_a_stopping_daemon_asks_nothing_new(house: House) -> None:
    """Asked to stop, it refuses before any money is set aside."""
    house.stop.set()
    provider = PaidProvider()
    answer = house.metered(provider).complete("k", prompt(), CALLER)
    assert isinstance(answer, Refusal)
    assert answer.reason == "gate"
    assert provider.sent == []


def test_three_times_overloaded_then_a_reply(house: House) -> None:
    """Each try has its own money and its own row; the first three were not billed."""
    provider = PaidProvider([busy(), busy(), busy()])
    assert house.metered(provider).complete("k", prompt(), CALLER) == reply()
    assert house.outcomes() == [("not_billed", 0)] * 3 + [("replied", 400_000)]
    assert [call.reservation_key for call in house.calls()] == [f"k/try/{n}" for n in (1, 2, 3, 4)]
    assert house.clock.slept == [1.0, 2.0, 4.0]


def test_tries_are_bounded_and_end_in_the_services_own_error(house: House) -> None:
    """Nothing was billed, so the key may be used again; its tries count on."""
    provider = PaidProvider([busy()] * 3)
    with pytest.raises(ProviderBusy, match="overloaded"):
        house.metered(provider, max_tries=2).complete("k", prompt(), CALLER)
    assert len(provider.sent) == 2
    assert house.effect_state() is None
    house.metered(provider).complete("k", prompt(), CALLER)
    assert [call.reservation_key for call in house.calls()] == [f"k/try/{n}" for n in (1, 2, 3, 4)]


def test_the_service_is_left_alone_as_long_as_it_asks(house: House) -> None:
    """Whoever watches over the daemon is told before each wait and each call how long it takes."""
    house.metered(PaidProvider([busy(90.0)])).complete("k", prompt(), CALLER)
    assert house.clock.slept == [90.0]
    assert house.busy == [300, 90.0, 300]


def test_a_wait_that_is_too_long_ends_the_call_and_says_until_when(house: House) -> None:
    """An hour is for the next sprint, not for a waiting one."""
    provider = PaidProvider([busy(3600.0)])
    with pytest.raises(ProviderBusy, match="left alone until 2026-11-30 13:00 UTC") as caught:
        house.metered(provider).complete("k", prompt(), CALLER)
    assert caught.value.retry_after_seconds == 3600.0
    assert house.clock.slept == []


def test_a_permanent_error_is_not_tried_again(house: House) -> None:
    """A person has to change something first; nothing was billed."""
    provider = PaidProvider([permanent()])
    with pytest.raises(ProviderPermanent, match="the key was refused"):
        house.metered(provider).complete("k", prompt(), CALLER)
    assert len(provider.sent) == 1
    assert house.outcomes() == [("not_billed", 0)]
    assert house.budget().today().spent_micros == 0


def test_an_unknown_outcome_is_tried_once_more_with_money_of_its_own(house: House) -> None:
    """Both count in full: the one that may have been billed, and the one that was."""
    provider = PaidProvider([unknown()])
    assert house.metered(provider).complete("k", prompt(), CALLER) == reply()
    assert house.outcomes() == [("unknown", 400_000), ("replied", 400_000)]
    assert house.calls()[0].end.request_id == "req_u"


def test_a_second_unknown_outcome_ends_the_call(house: House) -> None:
    """Two may have been billed; the key is lost and is never asked again."""
    provider = PaidProvider([unknown(), unknown()])
    with pytest.raises(OutcomeUnknown, match="timed out"):
        house.metered(provider).complete("k", prompt(), CALLER)
    assert house.outcomes() == [("unknown", 400_000)] * 2
    assert house.effect_state() == "lost"
    slept = len(house.clock.slept)
    with pytest.raises(OutcomeUnknown, match="k was asked before and is lost"):
        house.metered(provider).complete("k", prompt(), CALLER)
    assert len(provider.sent) == 2
    assert len(house.clock.slept) == slept


def test_after_the_deadline_an_unknown_outcome_is_not_tried_again(house: House) -> None:
    """It came too late to be worth a second bill."""

    def hang(_: Prompt) -> Completion:
        house.clock.advance(timedelta(seconds=300))
        raise unknown()

    provider = PaidProvider([hang])
    with pytest.raises(OutcomeUnknown):
        house.metered(provider).complete("k", prompt(), CALLER)
    assert len(provider.sent) == 1


def test_no_money_for_the_second_try_leaves_the_first_one_unknown(house: House) -> None:
    """The refusal must not hide that something may have been billed."""
    provider = PaidProvider([unknown()])
    with pytest.raises(OutcomeUnknown, match=r"timed out; not asked again: the daily cap of 0\.50"):
        house.metered(provider, cap="0.50").complete("k", prompt(), CALLER)
    assert house.effect_state() == "lost"
    assert house.budget().today().spent_micros == 400_000


def test_no_try_follows_a_stop_during_the_wait(house: House) -> None:
    """The error before the wait is what is told; the shutdown pays for nothing."""

    def stop(_: Prompt) -> Completion:
        house.stop.set()
        raise busy()

    provider = PaidProvider([stop])
    with pytest.raises(ProviderBusy, match="overloaded"):
        house.metered(provider).complete("k", prompt(), CALLER)
    assert len(provider.sent) == 1
    assert house.effect_state() is None


@pytest.mark.parametrize("blow", [KeyboardInterrupt(), SystemExit(1)])
def test_an_interrupted_call_counts_in_full(house: House, blow: BaseException) -> None:
    """Ctrl-C or an exit in the middle of a call: it may be billed, and the exit goes on."""
    with pytest.raises(type(blow)):
        house.metered(PaidProvider([blow])).complete("k", prompt(), CALLER)
    assert house.outcomes() == [("unknown", 400_000)]
    assert house.effect_state() == "lost"


def test_a_provider_that_breaks_counts_in_full_and_is_not_tried_again(house: House) -> None:
    """What it did before it broke is unknown; it would break the same way again."""
    provider = PaidProvider([ZeroDivisionError("inside")])
    with pytest.raises(OutcomeUnknown, match="ZeroDivisionError: inside") as caught:
        house.metered(provider).complete("k", prompt(), CALLER)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert len(provider.sent) == 1
    assert house.outcomes() == [("unknown", 400_000)]


@pytest.mark.parametrize(
    "answer",
    [None, "text", Completion("x", "m", None, "end_turn"), reply(usage=Usage(1, 1.5))],  # type: ignore[arg-type]
    ids=["nothing", "text", "no usage", "broken usage"],
)
def test_a_provider_that_gives_no_proper_reply_counts_in_full(house: House, answer: object) -> None:
    """A reply without whole token counts is no reply, and not a free one."""
    provider = PaidProvider([lambda _: answer])  # type: ignore[list-item, return-value]
    with pytest.raises(OutcomeUnknown, match="TypeError: the"):
        house.metered(provider).complete("k", prompt(), CALLER)
    assert house.outcomes() == [("unknown", 400_000)]


def test_a_reply_from_a_model_without_a_price_is_kept(house: House) -> None:
    """A proxy answered with another model: paid for, so used, at the worst case."""
    foreign = reply(model="house-1", usage=Usage(5, 5))
    assert house.metered(PaidProvider([foreign])).complete("k", prompt(), CALLER) == foreign
    assert house.outcomes() == [("replied", 400_000)]


def test_a_broken_character_is_repaired_in_what_is_stored_and_given_out(house: House) -> None:
    """Half a surrogate pair costs neither the reply nor its bill; both readers see the same."""
    metered = house.metered(PaidProvider([reply("hello \ud83d")]))
    answer = metered.complete("k", prompt(), CALLER)
    assert isinstance(answer, Completion)
    assert answer.text == "hello \N{REPLACEMENT CHARACTER}"
    assert metered.stored_reply("k") == answer
    assert house.outcomes() == [("replied", 400_000)]


class Death(BaseException):
    """A life ends at once."""


def start_and_die(house: House, key: str) -> None:
    """An earlier life ends inside its call: nothing more is written after that moment."""

    def die(_: Prompt) -> Completion:
        house.db.close()
        raise Death

    with pytest.raises(Death):
        house.metered(PaidProvider([die]), owner="earlier life").complete(key, prompt(), CALLER)
    house.db = open_database(house.db.path)


def test_what_an_earlier_life_left_open_is_counted_in_full_once(house: House) -> None:
    """Its effect is lost, its hold is spent, its key is told; a second sweep finds nothing."""
    start_and_die(house, "k")
    assert house.budget().today().reserved_micros == 400_000
    provider = PaidProvider()
    metered = house.metered(provider)
    with pytest.raises(OutcomeUnknown, match="k was asked before and is started"):
        metered.complete("k", prompt(), CALLER)
    assert metered.recover(house.clock.now()) == ["k"]
    assert metered.recover(house.clock.now()) == []
    assert house.outcomes() == [("unknown", 400_000)]
    today = house.budget().today()
    assert (today.spent_micros, today.reserved_micros) == (400_000, 0)
    with pytest.raises(OutcomeUnknown, match="k was asked before and is lost"):
        metered.complete("k", prompt(), CALLER)
    assert provider.sent == []


def test_yesterdays_orphan_counts_for_yesterday(house: House) -> None:
    """A crash before midnight does not use up the new day's money."""
    start_and_die(house, "k")
    house.clock.advance(timedelta(days=1))
    house.metered(PaidProvider()).recover(house.clock.now())
    assert house.budget().today().spent_micros == 0
    assert house.outcomes() == [("unknown", 400_000)]


def test_a_sweep_leaves_the_calls_of_its_own_life_alone(house: House) -> None:
    """A call under way is not an orphan."""
    lost: list[str] = []

    def sweep(_: Prompt) -> Completion:
        lost.extend(house.metered(PaidProvider()).recover(house.clock.now()))
        return reply()

    assert house.metered(PaidProvider([sweep])).complete("k", prompt(), CALLER) == reply()
    assert lost == []
    assert house.outcomes() == [("replied", 400_000)]


def test_a_database_that_cannot_be_written_refuses_before_the_call(house: House) -> None:
    """Another program holds the lock: no call, one line, and the tables are as they were."""
    provider = PaidProvider()
    other = open_database(house.db.path)
    with other.immediate():
        answer = house.metered(provider).complete("k", prompt(), CALLER)
    other.close()
    assert isinstance(answer, Refusal)
    assert answer.reason == "store"
    assert "\n" not in answer.message
    assert provider.sent == []


def test_a_reply_that_cannot_be_stored_is_not_given_out(house: House) -> None:
    """Its money stays held, the error names the request, and the key is not asked again."""
    other = open_database(house.db.path)

    def lock(_: Prompt) -> Completion:
        holder = other.immediate()
        holder.__enter__()
        locks.append(holder)
        return reply(request_id="req_42")

    locks: list[object] = []
    provider = PaidProvider([lock])
    metered = house.metered(provider)
    with pytest.raises(StoreError, match=r"the reply req_42 came but could not be stored; 0\.40"):
        metered.complete("k", prompt(), CALLER)
    locks[0].__exit__(None, None, None)  # type: ignore[attr-defined]
    other.close()
    assert house.budget().today().reserved_micros == 400_000
    with pytest.raises(OutcomeUnknown):
        metered.complete("k", prompt(), CALLER)
    assert len(provider.sent) == 1


def test_what_is_known_of_the_provider_is_passed_on(house: House) -> None:
    """Name, model and worst case come from where they are true."""
    metered = house.metered(PaidProvider())
    assert metered.provider_name == "paid"
    assert metered.writes_json
    assert metered.model_for("routine") == "claude-haiku-4-5"
    assert metered.describe() == "a provider for tests; goes nowhere"
    assert metered.worst_case_micros(prompt()) == 400_000


@pytest.mark.parametrize(
    "script", [[busy(), unknown(), busy(), busy()], [unknown(), busy(), unknown()]]
)
def test_a_key_with_one_doubtful_try_is_never_free_again(
    house: House, script: Sequence[Step]
) -> None:
    """One try among them may have been billed, whatever the others were."""
    with pytest.raises(OutcomeUnknown):
        house.metered(PaidProvider(script)).complete("k", prompt(), CALLER)
    assert house.effect_state() == "lost"


def test_a_stop_after_a_doubtful_try_does_not_hide_it(house: House) -> None:
    """The last error said "not billed"; the whole call is in doubt all the same."""

    def stop(_: Prompt) -> Completion:
        house.stop.set()
        raise busy()

    provider = PaidProvider([unknown(), stop])
    with pytest.raises(OutcomeUnknown, match="overloaded; an earlier try may have been billed"):
        house.metered(provider).complete("k", prompt(), CALLER)
    assert len(provider.sent) == 2


def test_a_call_inside_a_transaction_is_refused(house: House) -> None:
    """Its reservation would reach the disk only after the request."""
    provider = PaidProvider()
    with house.db.immediate():
        answer = house.metered(provider).complete("k", prompt(), CALLER)
    assert isinstance(answer, Refusal)
    assert answer.message.endswith("k was asked inside a transaction; this is a fault")
    assert provider.sent == []


def test_a_reply_to_a_key_that_was_given_up_is_not_given_out(house: House) -> None:
    """A sweep declared it lost and its item went back: the late reply must not be used as well."""

    def sweep(_: Prompt) -> Completion:
        later = house.metered(PaidProvider(), owner="later life")
        assert later.recover(house.clock.now()) == ["k"]
        return reply()

    with pytest.raises(StoreError, match="k was given up while the call was under way"):
        house.metered(PaidProvider([sweep])).complete("k", prompt(), CALLER)
    assert house.outcomes() == [("unknown", 400_000)]


def test_whoever_watches_cannot_break_the_books(house: House) -> None:
    """A fault in `busy` counts the call in full, as any other fault between the two steps does."""

    def fail(_seconds: float) -> None:
        raise RuntimeError("watchdog gone")

    metered = MeteredProvider(
        PaidProvider(),
        house.budget(),
        house.db,
        house.clock,
        max_tries=4,
        deadline_seconds=300,
        owner="this life",
        stop=house.stop,
        jitter=lambda: 0.0,
        busy=fail,
    )
    with pytest.raises(OutcomeUnknown, match="watchdog gone"):
        metered.complete("k", prompt(), CALLER)
    assert house.outcomes() == [("unknown", 400_000)]


def test_giving_up_the_connections_reaches_the_provider(house: House) -> None:
    """Stopping the daemon ends a call that hangs."""
    provider = PaidProvider()
    house.metered(provider).close()
    assert provider.closed


def test_the_gate_hears_until_when_the_service_wants_no_call(house: House) -> None:
    """Only where the time is too far off to wait for; with words that name the moment."""
    told: list[tuple[datetime, str]] = []
    for after in (None, 7.0, 3600.0):
        provider = PaidProvider([busy(after)] * 4)
        metered = MeteredProvider(
            provider, house.budget(), house.db, house.clock, max_tries=2, deadline_seconds=300,
            owner="this life", stop=house.stop, jitter=lambda: 0.0,
            leave_alone=lambda until, said: told.append((until, said)),
        )  # fmt: skip
        with pytest.raises(ProviderBusy):
            metered.complete(f"k{after}", prompt(), CALLER)
    (only,) = told
    assert only[0] == house.clock.now() + timedelta(hours=1)
    assert f"left alone until {only[0]:%Y-%m-%d %H:%M} UTC" in only[1]


@pytest.mark.parametrize("lost", ["folder", "database"])
def test_a_lost_folder_or_database_refuses_the_next_call(house: House, lost: str) -> None:
    """Another daemon may pay from a new one; nothing is asked until the own one is back."""
    state, kept = house.db.path.parent, house.db.path.parent.with_name("kept")
    lock = OwnerLock(state)
    lock.acquire(NOON)
    house.db.let_only(lock.check)
    provider = PaidProvider([reply(), reply()])
    metered = house.metered(provider)
    assert isinstance(metered.complete("first", prompt(), CALLER), Completion)
    (state if lost == "folder" else house.db.path).rename(kept)
    refused = metered.complete("second", prompt(), CALLER)
    assert isinstance(refused, Refusal)
    assert refused.reason == "store"
    assert "deleted or replaced" in refused.message
    assert len(provider.sent) == 1
    kept.rename(state if lost == "folder" else house.db.path)
    assert isinstance(metered.complete("second", prompt(), CALLER), Completion)
    lock.release()
