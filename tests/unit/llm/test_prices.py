from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.errors import WorkspaceInvalid
from daemon.llm.prices import PriceTable, UnknownPrice, load_prices
from daemon.llm.provider import Usage

TODAY = date(2026, 11, 30)
PACKAGE = load_prices(None)


def usd(text: str) -> int:
    dollars, _, fraction = text.partition(".")
    return int(dollars) * 1_000_000 + int(fraction.ljust(6, "0"))


@pytest.mark.parametrize(
    ("model", "input_usd", "output_usd", "write_5m", "write_1h", "read"),
    [
        ("claude-haiku-5-5", "0.10", "0.50", "0.125", "0.20", "0.01"),
        ("claude-haiku-4-5", "1", "5", "1.25", "2", "0.10"),
        ("claude-sonnet-5-5", "2", "10", "2.50", "4", "0.10"),
        ("claude-sonnet-5", "2", "10", "2.50", "4", "0.20"),
        ("claude-sonnet-4-6", "3", "15", "3.75", "6", "0.30"),
        ("claude-sonnet-4-5", "3", "15", "3.75", "6", "0.30"),
        ("claude-opus-5-5", "4", "20", "5", "8", "0.20"),
        ("claude-opus-5", "5", "25", "6.25", "10", "0.50"),
        ("claude-opus-4-8", "5", "25", "6.25", "10", "0.50"),
        ("claude-opus-4-7", "5", "25", "6.25", "10", "0.50"),
        ("claude-opus-4-6", "5", "25", "6.25", "10", "0.50"),
        ("claude-opus-4-5", "5", "25", "6.25", "10", "0.50"),
        ("claude-fable-5-2", "8", "40", "10", "16", "0.20"),
        ("claude-fable-5-1", "10", "50", "12.50", "20", "0.25"),
        ("extractive-1", "0", "0", "0", "0", "0"),
    ],
)
def test_the_package_knows_five_prices_of_every_model(
    model: str, input_usd: str, output_usd: str, write_5m: str, write_1h: str, read: str
) -> None:
    """A million tokens of each of the five kinds cost what the service's price page says."""
    small = 100_000
    kinds = [(input_usd, 0), (output_usd, 1), (write_5m, 2), (write_1h, 3), (read, 4)]
    for price, place in kinds:
        counts = [0, 0, 0, 0, 0]
        counts[place] = small
        assert PACKAGE.cost_micros(model, Usage(*counts), TODAY) == usd(price) * small // 1_000_000


def test_a_cached_token_is_charged_once() -> None:
    """3 plain, 12,304 written and 550 output tokens cost 0.054399 USD, not 0.091311."""
    usage = Usage(input_tokens=3, output_tokens=550, cache_write_5m_tokens=12_304)
    assert PACKAGE.cost_micros("claude-sonnet-4-6", usage, TODAY) == 54_399


@pytest.mark.parametrize(
    "model", ["claude-opus-4.5", "claude-opus-4.1", "Claude-Opus-5", "", "gpt"]
)
def test_a_model_outside_the_table_has_no_price(model: str) -> None:
    """A dot for a hyphen is another model: it is refused by name, and never costs zero."""
    with pytest.raises(UnknownPrice, match=r"has no price; add it to prices\.toml"):
        PACKAGE.cost_micros(model, Usage(1_000, 1_000), TODAY)
    with pytest.raises(UnknownPrice):
        PACKAGE.worst_case_micros(model, input_tokens=1_000, output_tokens=1_000, on=TODAY)


def test_a_dated_id_has_the_price_of_its_name() -> None:
    """The service may answer with the dated id of the model that was asked for."""
    dated = PACKAGE.price_list("claude-haiku-5-5-20261007", TODAY)
    assert dated == PACKAGE.price_list("claude-haiku-5-5", TODAY)
    with pytest.raises(UnknownPrice):
        PACKAGE.price_list("claude-haiku-5-5-latest", TODAY)


def test_an_empty_table_prices_nothing() -> None:
    """Where no table could be read, every model is unknown."""
    with pytest.raises(UnknownPrice):
        PriceTable({}).worst_case_micros("extractive-1", input_tokens=1, output_tokens=1, on=TODAY)


def test_a_price_holds_from_its_day_on() -> None:
    """Sonnet 5.5 reads its cache at 0.20 USD until 6 October 2026 and at 0.10 from the 7th."""
    usage = Usage(0, 0, cache_read_tokens=1_000_000)
    before = PACKAGE.cost_micros("claude-sonnet-5-5", usage, date(2026, 10, 6))
    after = PACKAGE.cost_micros("claude-sonnet-5-5", usage, date(2026, 10, 7))
    assert (before, after) == (200_000, 100_000)


def test_before_its_first_price_a_model_has_none() -> None:
    """A machine whose clock stands in 1970 gets no price at all."""
    with pytest.raises(UnknownPrice, match="its first is from 2026-01-01"):
        PACKAGE.cost_micros("claude-sonnet-5-5", Usage(1, 1), date(1970, 1, 1))


def test_a_long_prompt_is_billed_wholly_in_the_dear_tier() -> None:
    """Cached tokens count towards the length, and the output takes the same tier."""
    short = Usage(50_000, 1_000, cache_read_tokens=50_000)
    long = Usage(50_000, 1_000, cache_read_tokens=50_001)
    assert PACKAGE.cost_micros("claude-haiku-5-5", short, TODAY) == 5_000 + 500 + 500
    assert PACKAGE.cost_micros("claude-haiku-5-5", long, TODAY) == 25_000 + 2_500 + 2_501


def test_the_worst_case_takes_the_dearest_tier_that_can_be_hit() -> None:
    """One token over the border and the whole bound is counted at the dear prices."""
    ask = {"output_tokens": 1_000, "on": TODAY}
    below = PACKAGE.worst_case_micros("claude-haiku-5-5", input_tokens=100_000, **ask)
    above = PACKAGE.worst_case_micros("claude-haiku-5-5", input_tokens=100_001, **ask)
    assert below == 12_500 + 500
    assert above == 62_501 + 2_500


def test_the_worst_case_counts_a_one_hour_write_only_where_it_is_asked_for() -> None:
    """A five-minute write can be added by a proxy; a one-hour write must be asked for."""
    ask = {"input_tokens": 1_000_000, "output_tokens": 0, "on": TODAY}
    assert PACKAGE.worst_case_micros("claude-opus-5", **ask) == 6_250_000
    assert PACKAGE.worst_case_micros("claude-opus-5", **ask, with_1h_cache=True) == 10_000_000


def test_a_fraction_is_rounded_up_once_for_the_whole_call() -> None:
    """A single cached token costs a whole micro-dollar; three kinds are summed before rounding."""
    read = Usage(0, 0, cache_read_tokens=1)
    mixed = Usage(1, 1, cache_read_tokens=1)
    assert PACKAGE.cost_micros("claude-haiku-5-5", read, TODAY) == 1
    assert PACKAGE.cost_micros("claude-haiku-5-5", mixed, TODAY) == 1


def test_two_hundred_dimes_are_twenty_dollars() -> None:
    """Money is whole micro-dollars: sums of 0.10 USD are exact."""
    dime = PACKAGE.cost_micros("claude-haiku-4-5", Usage(100_000, 0), TODAY)
    assert sum([dime] * 200) == 20_000_000


@pytest.mark.parametrize("count", [-1, 1.5, float("nan"), None, True, 10**12])
def test_a_count_that_is_no_number_of_tokens_is_not_priced(count: object) -> None:
    """A null, negative or broken count must not turn into a cost of zero."""
    with pytest.raises(UnknownPrice, match="is not a number of tokens"):
        PACKAGE.cost_micros("claude-haiku-4-5", Usage(1, count), TODAY)  # type: ignore[arg-type]
    with pytest.raises(UnknownPrice, match="is not a number of tokens"):
        PACKAGE.worst_case_micros(
            "claude-haiku-4-5",
            input_tokens=count,  # type: ignore[arg-type]
            output_tokens=1,
            on=TODAY,
        )


@given(
    model=st.sampled_from(PACKAGE.model_ids),
    parts=st.lists(st.integers(0, 400_000), min_size=4, max_size=4),
    output=st.integers(0, 128_000),
    slack=st.integers(0, 200_000),
    asks_1h=st.booleans(),
)
def test_no_usage_within_its_bounds_costs_more_than_the_worst_case(
    model: str, parts: list[int], output: int, slack: int, asks_1h: bool
) -> None:
    """However the prompt is split between plain, written and read tokens, the hold covers it."""
    plain, write_5m, write_1h, read = parts
    usage = Usage(plain, output, write_5m, write_1h if asks_1h else 0, read)
    cost = PACKAGE.cost_micros(model, usage, TODAY)
    worst = PACKAGE.worst_case_micros(
        model,
        input_tokens=usage.prompt_tokens + slack,
        output_tokens=output,
        on=TODAY,
        with_1h_cache=asks_1h,
    )
    assert cost <= worst


ROW = """\
[[price]]
models = ["{model}"]
effective_from = {start}
input = {input}
output = "15"
cache_write_5m = 3.75
cache_write_1h = 6
cache_read = "0.30"
source = "a contract"
"""


def write(root: Path, *rows: str) -> Path:
    (root / "prices.toml").write_text("\n".join(rows), encoding="utf-8")
    return root


def row(model: str = "house-1", start: str = "2026-01-01", price: str = "3") -> str:
    return ROW.format(model=model, start=start, input=price)


def test_a_workspace_overlays_model_by_model(tmp_path: Path) -> None:
    """Its rows replace all rows of the model they name; every other model keeps its price."""
    prices = load_prices(write(tmp_path, row(), row("claude-sonnet-5-5", "2026-02-01", '"7"')))
    million = Usage(1_000_000, 0)
    assert prices.cost_micros("house-1", million, TODAY) == 3_000_000
    assert prices.cost_micros("claude-sonnet-5-5", million, TODAY) == 7_000_000
    assert prices.cost_micros("claude-opus-5", million, TODAY) == 5_000_000
    with pytest.raises(UnknownPrice):
        prices.cost_micros("claude-sonnet-5-5", million, date(2026, 1, 15))


def test_a_workspace_without_a_price_file_has_the_packages_prices(tmp_path: Path) -> None:
    """No file and an empty file both change nothing."""
    assert load_prices(tmp_path).model_ids == PACKAGE.model_ids
    assert load_prices(write(tmp_path, "")).model_ids == PACKAGE.model_ids


def test_a_prompt_beyond_the_last_tier_has_no_price(tmp_path: Path) -> None:
    """Where every row has a limit, a longer prompt is refused instead of guessed."""
    prices = load_prices(write(tmp_path, row() + "up_to_prompt_tokens = 1000\n"))
    assert prices.cost_micros("house-1", Usage(1_000, 0), TODAY) == 3_000
    with pytest.raises(UnknownPrice, match="no price for a prompt of 1,001 tokens"):
        prices.cost_micros("house-1", Usage(1_001, 0), TODAY)
    with pytest.raises(UnknownPrice):
        prices.worst_case_micros("house-1", input_tokens=1_001, output_tokens=0, on=TODAY)


def faults(root: Path) -> list[str]:
    with pytest.raises(WorkspaceInvalid) as caught:
        load_prices(root)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("price", "told"),
    [
        ("-1", "-1 is not between 0 and 100,000 USD"),
        ("nan", "NaN is not a price"),
        ("inf", "Infinity is not a price"),
        ('"free"', "'free' is not a number"),
        ("true", "is not a price; write US dollars per million tokens"),
        ("[1]", "is not a price"),
        ("0.0000001", "more than six decimals"),
        ("1e9", "not between 0 and 100,000"),
    ],
)
def test_a_bad_price_is_a_fault_on_its_line(tmp_path: Path, price: str, told: str) -> None:
    """File, line, key and what is wrong; no table is made from the rest."""
    (fault,) = faults(write(tmp_path, row(price=price)))
    assert fault.startswith("prices.toml:4: price.1.input: ")
    assert told in fault


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    """A missing price, an unknown key and a moment instead of a day: three lines, three cures."""
    first = row().replace("cache_read", "cached_read")
    second = row("house-2", '"tomorrow"')
    told = faults(write(tmp_path, first, second))
    assert [fault.split(": ")[:2] for fault in told] == [
        ["prices.toml:1", "price.1.cache_read"],
        ["prices.toml:8", "price.1.cached_read"],
        ["prices.toml:13", "price.2.effective_from"],
    ]
    assert "known keys: models, effective_from" in told[1]


def test_two_rows_for_one_prompt_and_day_are_a_fault(tmp_path: Path) -> None:
    """Nobody could say which of the two holds, so neither does."""
    (fault,) = faults(write(tmp_path, row(), row(price="4")))
    assert fault == (
        "prices.toml:11: price.2: prices 'house-1' from 2026-01-01 a second time; "
        "the first is row 1; keep one of them"
    )


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"[[price]\n", "prices.toml:1: the name of a section is not closed; write [section]"),
        (b"prices = []\n", "prices.toml:1: prices: is not a key here; known keys: price"),
        (b"price = 3\n", "prices.toml:1: price:"),
        (b"\n\xff\n", "prices.toml:2: is not UTF-8"),
        (b"#" * 1_048_577, "prices.toml: is larger than 1,048,576 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_fault(tmp_path: Path, body: bytes, told: str) -> None:
    """Neither a broken nor a huge file falls back to the package's prices."""
    (tmp_path / "prices.toml").write_bytes(body)
    assert faults(tmp_path)[0].startswith(told)


def test_a_folder_or_a_dangling_link_in_its_place_is_a_fault(tmp_path: Path) -> None:
    """What is there but cannot be read is not the same as what is not there."""
    (tmp_path / "prices.toml").symlink_to(tmp_path / "gone")
    assert "is missing" in faults(tmp_path)[0]
    (tmp_path / "prices.toml").unlink()
    (tmp_path / "prices.toml").mkdir()
    assert "is not an ordinary file" in faults(tmp_path)[0]
