"""Units of measure in English and Spanish: what a number with a unit behind it measures."""

from __future__ import annotations

import re
from typing import NamedTuple


class Unit(NamedTuple):
    """What is measured, and how much of its plainest unit one of this is."""

    kind: str
    factor: float


_UNITS: dict[str, Unit] = {}
for _kind, _factor, _words in (
    ("time", 1 / 24 / 60, "minute minutes min mins minuto minutos"),
    ("time", 1 / 24, "hour hours hr hrs hora horas"),
    ("time", 1.0, "day days dia dias"),
    ("time", 7.0, "week weeks wk semana semanas"),
    ("time", 30.4375, "month months mes meses"),
    ("time", 365.25, "year years yr yrs ano anos"),
    ("length", 1e-9, "nm"),
    ("length", 1e-3, "mm"),
    ("length", 1e-2, "cm"),
    ("length", 1e3, "km kilometre kilometres kilometer kilometers kilometro kilometros"),
    ("mass", 1e-6, "mg"),
    ("mass", 1.0, "kg kilo kilos kilogram kilograms kilogramos"),
    ("mass", 1e3, "tonne tonnes tons tonelada toneladas"),
    ("area", 1e4, "ha hectare hectares hectarea hectareas"),
    ("area", 1e6, "km2 km²"),
    ("power", 1e3, "kw"),
    ("power", 1e6, "mw"),
    ("power", 1e9, "gw"),
    ("energy", 1e3, "kwh"),
    ("energy", 1e6, "mwh"),
    ("energy", 1e9, "gwh"),
    ("bytes", 1e6, "mb"),
    ("bytes", 1e9, "gb"),
    ("bytes", 1e12, "tb"),
):
    _UNITS.update({_word: Unit(_kind, _factor) for _word in _words.split()})
_UNIT = re.compile(r"[ -]?([a-z]{2,11}[2²]?)(?![a-z])")
_SQUARE = re.compile(r"[ -]?(?:square kilomet(?:re|er)s?|kilometros cuadrados|sq\.? ?km)\b")


def unit_at(folded: str, end: int) -> Unit | None:
    """The unit behind a number that ends there, in folded text; None where there is none that is known."""
    if _SQUARE.match(folded, end):
        return _UNITS["km2"]
    found = _UNIT.match(folded, end)
    return _UNITS.get(found[1]) if found else None
