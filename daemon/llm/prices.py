"""What a call costs, in whole micro-dollars. The figures are in prices.toml.

One micro-dollar is a millionth of a US dollar. A price of 2.50 USD per million tokens is held as
2,500,000 micro-dollars per million tokens, so that every sum is exact and is rounded once, upwards.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from daemon.errors import SprintdError
from daemon.llm.price_file import PriceRow, read_price_file
from daemon.llm.provider import Usage

MAX_TOKENS = 1_000_000_000
PACKAGE_FILE = Path(__file__).with_name("prices.toml")
_TOKENS_PER_PRICE = 1_000_000


_DATED = re.compile(r"-20[0-9]{6}$")


class UnknownPrice(SprintdError):
    """A model has no price on that day, or its usage cannot be priced. Never to be read as zero."""


@dataclass(frozen=True)
class PriceList:
    """One model's prices from one day on: its tiers, the shortest prompts first."""

    effective_from: date
    tiers: tuple[PriceRow, ...]

    def tier_for(self, prompt_tokens: int) -> PriceRow | None:
        """The tier that bills a prompt of this length; None where none reaches so far."""
        return next((tier for tier in self.tiers if tier.reaches(prompt_tokens)), None)


class PriceTable:
    """Every known price. An empty table refuses every model."""

    def __init__(self, lists: Mapping[str, Sequence[PriceList]]) -> None:
        self._lists = {
            model: tuple(sorted(of_model, key=lambda one: one.effective_from))
            for model, of_model in lists.items()
        }

    @property
    def model_ids(self) -> tuple[str, ...]:
        """Every model that has a price on some day, sorted."""
        return tuple(sorted(self._lists))

    def price_list(self, model: str, on: date) -> PriceList:
        """The prices of a model on a UTC day. Raises UnknownPrice.

        A dated id (claude-haiku-5-5-20261007) has the price of its name where it has none itself:
        the service may answer with the dated id of the model that was asked for.
        """
        of_model = self._lists.get(model) or self._lists.get(_DATED.sub("", model))
        if not of_model:
            raise UnknownPrice(f"the model {model!r} has no price; add it to prices.toml")
        valid = [one for one in of_model if one.effective_from <= on]
        if not valid:
            first = of_model[0].effective_from
            raise UnknownPrice(
                f"the model {model!r} has no price on {on}; its first is from {first}"
            )
        return valid[-1]

    def worst_case_micros(
        self,
        model: str,
        *,
        input_tokens: int,
        output_tokens: int,
        on: date,
        with_1h_cache: bool = False,
    ) -> int:
        """The most that a call can cost: any prompt up to `input_tokens`, in any tier.

        Each prompt token counts at the dearest price it may be billed at: plain, written to or
        read from a five-minute cache; one-hour writes only where `with_1h_cache` says that the call
        asks for them. `output_tokens` is the most the model may write. Raises UnknownPrice.
        """
        _check_count("input_tokens", input_tokens)
        _check_count("output_tokens", output_tokens)
        prices = self.price_list(model, on)
        if prices.tier_for(input_tokens) is None:
            raise _too_long(model, input_tokens)
        return max(
            _in_micros(
                min(input_tokens, tier.longest_prompt(input_tokens)) * _dearest(tier, with_1h_cache)
                + output_tokens * tier.output
            )
            for tier in _reachable(prices.tiers, input_tokens)
        )

    def cost_micros(self, model: str, usage: Usage, on: date) -> int:
        """What a call with this usage costs, rounded up once. Raises UnknownPrice.

        The five counts of `usage` do not overlap: cached tokens are not in `input_tokens`, so each
        token is charged once.
        """
        for name in _COUNTS:
            _check_count(name, getattr(usage, name))
        tier = self.price_list(model, on).tier_for(usage.prompt_tokens)
        if tier is None:
            raise _too_long(model, usage.prompt_tokens)
        return _in_micros(
            usage.input_tokens * tier.input
            + usage.output_tokens * tier.output
            + usage.cache_write_5m_tokens * tier.cache_write_5m
            + usage.cache_write_1h_tokens * tier.cache_write_1h
            + usage.cache_read_tokens * tier.cache_read
        )


def load_prices(root: Path | None) -> PriceTable:
    """The package's prices, overlaid model by model by `root`/prices.toml where it exists.

    `root` None means the package's prices alone. Raises WorkspaceInvalid with every fault of the
    file: a price that cannot be read is no price, and the package's does not stand in for it.
    """
    lists = _price_lists(read_price_file(PACKAGE_FILE, name="daemon/llm/prices.toml"))
    overlay = root / "prices.toml" if root else None
    if overlay and (overlay.exists() or overlay.is_symlink()):
        lists.update(_price_lists(read_price_file(overlay, name="prices.toml")))
    return PriceTable(lists)


_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "cache_read_tokens",
)


def _price_lists(rows: Iterable[PriceRow]) -> dict[str, list[PriceList]]:
    by_start: dict[tuple[str, date], list[PriceRow]] = defaultdict(list)
    for row in rows:
        for model in row.models:
            by_start[model, row.effective_from].append(row)
    lists: dict[str, list[PriceList]] = defaultdict(list)
    for (model, start), tiers in by_start.items():
        ordered = sorted(tiers, key=lambda tier: tier.longest_prompt(MAX_TOKENS + 1))
        lists[model].append(PriceList(start, tuple(ordered)))
    return dict(lists)


def _reachable(tiers: Sequence[PriceRow], longest: int) -> list[PriceRow]:
    """The tiers that some prompt of at most `longest` tokens can fall into."""
    shorter = [tier for tier in tiers if tier.longest_prompt(longest) < longest]
    return [*shorter, *[tier for tier in tiers if tier.reaches(longest)][:1]]


def _dearest(tier: PriceRow, with_1h_cache: bool) -> int:  # noqa: FBT001
    sides = (tier.input, tier.cache_write_5m, tier.cache_read)
    return max(*sides, tier.cache_write_1h) if with_1h_cache else max(sides)


def _in_micros(tokens_times_price: int) -> int:
    """Rounded up: a fraction of a micro-dollar is never given away."""
    return -(-tokens_times_price // _TOKENS_PER_PRICE)


def _check_count(name: str, count: int) -> None:
    # A service's reply can hold anything; a count that is none must not become a cost of zero.
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_TOKENS:
        raise UnknownPrice(f"{name} is {count!r}, which is not a number of tokens")


def _too_long(model: str, tokens: int) -> UnknownPrice:
    return UnknownPrice(f"the model {model!r} has no price for a prompt of {tokens:,} tokens")
