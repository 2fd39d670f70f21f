"""Reads a prices.toml: rows in file order, or every fault with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from daemon.config.sections import MICROS_PER_USD, Section
from daemon.config.text_file import read_text
from daemon.config.toml_syntax import syntax_faults
from daemon.errors import Fault, WorkspaceInvalid

_MAX_USD = 100_000


def _to_micros(value: object) -> int:
    """US dollars per million tokens, as a number or as text, to whole micro-dollars per million."""
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        raise ValueError("is not a price; write US dollars per million tokens, such as 2.50")
    try:
        usd = Decimal(value)
    except InvalidOperation:
        raise ValueError(f"{value!r} is not a number") from None
    if not usd.is_finite():
        raise ValueError(f"{value} is not a price")
    if not 0 <= usd <= _MAX_USD:
        raise ValueError(f"{value} is not between 0 and {_MAX_USD:,} USD per million tokens")
    if usd * MICROS_PER_USD % 1:
        raise ValueError(f"{value} has more than six decimals")
    return int(usd * MICROS_PER_USD)


def _no_moment(value: object) -> object:
    if isinstance(value, datetime) or not isinstance(value, date):
        raise ValueError("is not a day; write it without quotes, such as 2026-10-07")
    return value


Micros = Annotated[int, BeforeValidator(_to_micros)]


class PriceRow(Section):
    """One [[price]] row; the five prices are micro-dollars per million tokens.

    `up_to_prompt_tokens` is the longest whole prompt that it bills; None is a prompt of any length.
    """

    models: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    effective_from: Annotated[date, BeforeValidator(_no_moment)]
    up_to_prompt_tokens: Annotated[int, Field(gt=0, le=1_000_000_000)] | None = None
    input: Micros
    output: Micros
    cache_write_5m: Micros
    cache_write_1h: Micros
    cache_read: Micros
    source: Annotated[str, Field(min_length=1)]

    def reaches(self, prompt_tokens: int) -> bool:
        """Whether a prompt of this length is short enough for this row."""
        return self.up_to_prompt_tokens is None or prompt_tokens <= self.up_to_prompt_tokens

    def longest_prompt(self, otherwise: int) -> int:
        """The longest prompt it bills; `otherwise` where there is no limit."""
        return otherwise if self.up_to_prompt_tokens is None else self.up_to_prompt_tokens


class _PriceFile(Section):
    price: list[PriceRow] = Field(default_factory=list)


def read_price_file(path: Path, *, name: str) -> list[PriceRow]:
    """The rows of a file that faults call `name`. Raises WorkspaceInvalid with all faults."""
    text = read_text(path, name)
    try:
        raw = tomllib.loads(text, parse_float=Decimal)
    except (RecursionError, ValueError, InvalidOperation) as error:
        raise WorkspaceInvalid(syntax_faults(error, text, name)) from error
    try:
        rows = _PriceFile.model_validate(raw).price
    except ValidationError as error:
        lines = text.splitlines()
        raise WorkspaceInvalid(_row_fault(name, lines, one) for one in error.errors()) from error
    clashes = list(_clashes(name, text.splitlines(), rows))
    if clashes:
        raise WorkspaceInvalid(clashes)
    return rows


def _row_fault(name: str, lines: Sequence[str], error: ErrorDetails) -> Fault:
    loc = error["loc"]
    key = ".".join(str(part + 1) if isinstance(part, int) else part for part in loc)
    message = error["msg"].removeprefix("Value error, ")
    cure = ""
    if error["type"] == "missing":
        message, cure = "is missing", "a model without all five prices has no price"
    elif error["type"] == "extra_forbidden":
        known = PriceRow.model_fields if len(loc) > 1 else _PriceFile.model_fields
        message, cure = "is not a key here", f"known keys: {', '.join(known)}"
    return Fault(name, _line_of(lines, loc), key, message, cure)


def _clashes(name: str, lines: Sequence[str], rows: Iterable[PriceRow]) -> Iterable[Fault]:
    """Two rows that would bill the same prompt on the same day: which one holds, nobody knows."""
    seen: dict[tuple[str, date, int | None], int] = {}
    for number, row in enumerate(rows):
        for model in row.models:
            place = (model, row.effective_from, row.up_to_prompt_tokens)
            if place in seen:
                line = _line_of(lines, ("price", number))
                message = f"prices {model!r} from {row.effective_from} a second time"
                cure = f"the first is row {seen[place] + 1}; keep one of them"
                yield Fault(name, line, f"price.{number + 1}", message, cure)
            seen.setdefault(place, number)


def _line_of(lines: Sequence[str], loc: tuple[Any, ...]) -> int:
    """The line of a row's key; of the row where the key is not in it; 0 for neither."""
    if len(loc) < 2 or not isinstance(loc[1], int):
        return _first_line(lines, 0, loc[0]) if loc else 0
    headers = [at for at, line in enumerate(lines) if re.match(r"\s*\[\[\s*price\s*\]\]", line)]
    if loc[1] >= len(headers):
        return 0
    start = headers[loc[1]]
    end = headers[loc[1] + 1] if loc[1] + 1 < len(headers) else len(lines)
    return (_first_line(lines[:end], start, loc[2]) if len(loc) > 2 else 0) or start + 1


def _first_line(lines: Sequence[str], start: int, key: object) -> int:
    pattern = re.compile(rf"\s*[\[\"']*\s*{re.escape(str(key))}\b")
    return next((at + 1 for at in range(start, len(lines)) if pattern.match(lines[at])), 0)
