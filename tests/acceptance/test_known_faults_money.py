"""Faults with money that users of such programs reported in public: none of them happens here."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from decimal import Decimal
from pathlib import Path

import pytest

from daemon.bootstrap import Services
from daemon.config.sections import BudgetSection
from daemon.errors import OutcomeUnknown, StoreError
from daemon.governance.budget import Budget, Caller, Refusal, Reservation
from daemon.llm.prices import load_prices
from daemon.llm.provider import Completion, Prompt, Usage
from daemon.sprint.runner import run_sprint
from daemon.store import events
from daemon.store.api_calls import CallEnd, find_call, list_recent
from daemon.store.budget import budget_faults, find_hold, settle
from tests.standins.messages_api import MessagesApi, changed, cut_after, held
from tests.standins.researcher import write_reply
from tests.workspaces import NOON, ROOT, claude_config, copy_sample, services_over

PAYER = """
import sys
from pathlib import Path
from daemon.governance.budget import Caller, Refusal
from daemon.llm.provider import Prompt
from tests.workspaces import services_over

name = sys.argv[3]
with services_over(Path(sys.argv[1]), key=sys.argv[2]) as services:
    prompt = Prompt("claude-haiku-4-5", "You answer.", "What is known?", 80_000)
    print("ready", flush=True)
    sys.stdin.readline()
    answer = services.metered.complete(f"call/{name}", prompt, Caller("attempt", item=name))
    print(answer.message if isinstance(answer, Refusal) else "reply", flush=True)
"""
FORTY_CENTS = {"input_tokens": 1_000, "output_tokens": 79_800}  # at 1 and 5 USD per million
OPUS_PRICE = """\
[[price]]
models = ["claude-opus-4-1"]
effective_from = 2026-01-01
input = 15
output = 75
cache_write_5m = 18.75
cache_write_1h = 30
cache_read = 1.5
source = "for this test"
"""


def book(
    services: Services, key: str, micros: int, *, cap_usd: str = "20"
) -> Reservation | Refusal:
    """Reserve and settle exactly so much: output of a model that costs 5 micro-dollars a token."""
    section = BudgetSection(daily_cap_usd=Decimal(cap_usd))
    budget = Budget(services.db, load_prices(None), section, services.clock)
    tokens = micros // 5
    answer = budget.reserve(
        key,
        provider="claude",
        model="claude-haiku-4-5",
        input_tokens=0,
        output_tokens=tokens,
        caller=Caller("attempt", item=key),
    )
    if isinstance(answer, Reservation):
        reply = Completion("", "claude-haiku-4-5", Usage(5, tokens - 1), "end_turn")
        assert budget.settle(answer, reply) == micros
    return answer


def test_of_five_processes_with_money_for_one_call_one_reaches_the_provider(tmp_path: Path) -> None:
    """19.50 of 20 USD spent, five processes, 0.40 each: one request, four refusals, 19.90 in the end.

    The one answer is held back until the other four were refused: a call that is under way counts.
    Reported as BerriAI/litellm#34732 and BerriAI/litellm#26672.
    """
    with MessagesApi(models=["claude-haiku-4-5"]) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            assert isinstance(book(services, "earlier", 19_500_000), Reservation)
            gate = threading.Event()
            api.script(held(gate, usage=FORTY_CENTS))
            payers = [start_payer(root, api.api_key, f"p{number}") for number in range(5)]
            for payer in payers:
                assert payer.stdout
                assert payer.stdout.readline() == "ready\n"
            with ThreadPoolExecutor(5) as pool:
                ends = as_completed([pool.submit(let_go, payer) for payer in payers], timeout=60)
                refused = [next(ends).result() for _ in range(4)]
                assert api.wait_for_requests(1, 60)
                assert services.budget.today().spent_micros == 19_500_000
                gate.set()
                assert next(ends).result() == "reply"
            assert all("the daily cap of 20.00 USD would be exceeded" in end for end in refused)
            assert all("19.50 spent, 0.40" in end for end in refused)
            assert len(api.requests) == 1
            today = services.budget.today()
            assert (today.spent_micros, today.reserved_micros) == (19_900_000, 0)
            assert budget_faults(services.db) == []


def start_payer(root: Path, key: str, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PAYER, str(root), key, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def let_go(payer: subprocess.Popen[str]) -> str:
    out, _ = payer.communicate("go\n", timeout=60)
    return out.strip()


def test_tokens_written_to_the_cache_are_charged_once(tmp_path: Path) -> None:
    """3 plain, 12,304 written and 550 output tokens at 3, 3.75 and 15 USD: 0.054399, not 0.091311.

    Reported as BerriAI/litellm#9812, Aider-AI/aider#5516 and danny-avila/LibreChat#13795.
    """
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 12_304,
        "cache_read_input_tokens": 0,
        "output_tokens": 550,
    }
    with MessagesApi(models=["claude-sonnet-4-6"]) as api:
        api.script(changed(usage=usage))
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            prompt = Prompt("claude-sonnet-4-6", "You answer.", "Known? " * 4_000, 1_000)
            services.metered.complete("k", prompt, Caller("attempt"))
            assert services.budget.today().spent_micros == 54_399
            row = find_call(services.db, "k/try/1")
            assert row
            assert row.cost_micros == 54_399


def test_a_misspelt_model_is_refused_before_any_call(tmp_path: Path) -> None:
    """claude-opus-4.1 where the table has claude-opus-4-1: no request, and never a call for 0 USD.

    Reported as SocialGouv/iterion#473, supernovae-st/nika#1368 and Vigil-SOC/vigil#964.
    """
    with MessagesApi(models=["claude-opus-4.1", "claude-opus-4-1"]) as api:
        wrong, right = (f'reasoning_model = "claude-opus-4{mark}1"\n' for mark in ".-")
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url, wrong))
        (root / "prices.toml").write_text(OPUS_PRICE)
        with services_over(root, key=api.api_key) as services:
            end = run_sprint(services.sprint_parts)
            assert end.state == "interrupted"
            assert "the model 'claude-opus-4.1' has no price" in end.reason
            assert api.requests == []
            assert list_recent(services.db, 10) == []
        (root / "config.toml").write_text(claude_config(api.base_url, right))
        with services_over(root, key=api.api_key) as services:
            usage = {"input_tokens": 1_000, "output_tokens": 1_000}
            api.script(changed(usage=usage))
            prompt = Prompt("claude-opus-4-1", "You answer.", "What is known?", 2_000)
            services.metered.complete("k", prompt, Caller("attempt"))
            assert services.budget.today().spent_micros == 90_000


def test_a_reply_of_a_misspelt_model_is_booked_at_its_worst_case_and_flagged(
    tmp_path: Path,
) -> None:
    """A proxy answers as claude-opus-4.1, 1,000 in and 1,000 out: never 0, and a person is told.

    Reported as Vigil-SOC/vigil#964.
    """
    with MessagesApi(models=["claude-haiku-4-5"]) as api:
        usage = {"input_tokens": 1_000, "output_tokens": 1_000}
        api.script(changed(model="claude-opus-4.1", usage=usage))
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            prompt = Prompt("claude-haiku-4-5", "You answer.", "What is known?", 2_000)
            services.metered.complete("k", prompt, Caller("attempt"))
            row = find_call(services.db, "k/try/1")
            assert row
            assert row.cost_micros == row.reserved_micros == services.budget.today().spent_micros
            assert row.cost_micros > 10_000  # 2,000 tokens of output at 5 USD per million
            told = [e for e in events.list_after(services.db, 0) if e.kind == "unpriced_reply"]
            assert "'claude-opus-4.1' has no price" in told[0].facts["reason"]


def test_no_request_asks_for_a_stream(tmp_path: Path) -> None:
    """Every reply comes whole with one bill, so there are no partial counts to add up or to lose.

    Reported as tensorzero/tensorzero#5481, BerriAI/litellm#40100 and ccusage/ccusage#938.
    """
    with MessagesApi(reply=write_reply) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            for _ in range(4):
                run_sprint(services.sprint_parts)
        assert len(api.requests) >= 8
        assert {request.body.get("stream", False) for request in api.requests} == {False}
        accepted = {request.headers["accept"] for request in api.requests}
        assert accepted == {"application/json"}


@pytest.mark.parametrize("sent", [0, 40])
def test_a_reply_that_is_cut_off_is_booked_at_its_whole_reservation(
    tmp_path: Path, sent: int
) -> None:
    """The connection ends before or inside the reply, twice: each time the whole hold is spent.

    Reported as tensorzero/tensorzero#5481.
    """
    with MessagesApi() as api:
        api.script(cut_after(sent), cut_after(sent))
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            prompt = Prompt("claude-haiku-5-5", "You answer.", "What is known?", 2_000)
            held_micros = services.metered.worst_case_micros(prompt)
            with pytest.raises(OutcomeUnknown):
                services.metered.complete("k", prompt, Caller("attempt"))
            assert held_micros > 0
            assert services.budget.today().spent_micros == 2 * held_micros
            assert [call.end.outcome for call in list_recent(services.db, 9)] == ["unknown"] * 2
        assert len(api.requests) == 2


def test_two_hundred_dimes_fill_a_cap_of_twenty_dollars_exactly(tmp_path: Path) -> None:
    """200 x 0.10 is 20.00 and not 20.000000000000014; what equals the cap is allowed, more is not.

    The refusal says which cap and which figures, to the cent. Reported as BerriAI/litellm#14144.
    """
    with services_over(copy_sample(tmp_path / "venture")) as services:
        for number in range(200):
            assert isinstance(book(services, f"dime {number}", 100_000), Reservation)
        assert services.budget.today().spent_micros == 20_000_000
        refusal = book(services, "one more", 100_000)
        assert isinstance(refusal, Refusal)
        assert refusal.message == (
            "the daily cap of 20.00 USD would be exceeded: 20.00 spent, 0.00 reserved, "
            "0.10 asked for; the day ends at 2026-12-01 00:00 UTC "
            "(budget.daily_cap_usd in config.toml)"
        )


@pytest.mark.parametrize("cost", [math.nan, None, -1, 0.5, math.inf], ids=str)
def test_a_cost_that_is_no_amount_is_not_stored(tmp_path: Path, cost: object) -> None:
    """NaN, NULL, a negative and a broken amount are refused, and the reservation stays held.

    Reported as EasyMetaAu/helm-api#6.
    """
    with services_over(copy_sample(tmp_path / "venture")) as services:
        assert isinstance(book(services, "earlier", 100_000), Reservation)
        answer = services.budget.reserve(
            "k",
            provider="claude",
            model="claude-haiku-4-5",
            input_tokens=0,
            output_tokens=1_000,
            caller=Caller("attempt"),
        )
        assert isinstance(answer, Reservation)
        with pytest.raises(StoreError):
            settle(
                services.db,
                "k",
                CallEnd("replied"),
                actual_micros=cost,  # type: ignore[arg-type]
                warn_at_percent=80,
                now=NOON,
            )
        hold = find_hold(services.db, "k")
        assert hold
        assert (hold.state, hold.actual_micros) == ("held", None)
        assert services.budget.today().spent_micros == 100_000
        assert services.budget.today().reserved_micros == 5_000
