"""Where a text came from and how secret it is: what the map says, and what the file says itself.

The stricter of the two holds. A text that was copied, merged or moved keeps what its front matter
says of it, so that no way through memory turns text from outside into the workspace's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from daemon.knowledge.path_scope import folded
from daemon.knowledge.unit import Unit

SENSITIVITIES = ("", "public", "internal", "confidential", "restricted")
# What lies here came from outside, whatever the map says of it.
OUTSIDE_FOLDERS = ("memory/inbound/", "memory/library/")
# What lies here was written by a model, or put together from what one wrote.
MODEL_FOLDERS = ("memory/findings/", "memory/diagnoses/", "memory/consolidated/", "memory/archive/")
_WRITTEN_BY_MODELS = ("memory/findings/", "memory/diagnoses/")  # nobody's starting notes lie here
WORKSPACE, OUTSIDE = "workspace", "outside"
_STARTING_NOTE = "starting-note"
_NO = frozenset({"", "false", "no", "0", "none", "null"})


@dataclass(frozen=True)
class Provenance:
    """`outside`: some of it came from outside, or may have. `sensitivity` is one of KCP's words,
    empty where nothing is declared."""

    outside: bool = False
    sensitivity: str = ""

    @property
    def confidential(self) -> bool:
        return is_confidential(self.sensitivity)


UNKNOWN = Provenance(outside=True, sensitivity="confidential")  # nobody says, so the worst holds


def is_confidential(sensitivity: str) -> bool:
    """Whether a sensitivity makes a text private data; a word that is not KCP's does."""
    return _rank(sensitivity) >= SENSITIVITIES.index("confidential")


def highest(sensitivities: Iterable[str]) -> str:
    """The strictest of them; empty for none."""
    return max(sensitivities, key=_rank, default="")


def declared_provenance(unit: Unit) -> Provenance:
    """What the map says of a unit, and where its file lies."""
    outside = unit.untrusted or folded(unit.path).startswith(OUTSIDE_FOLDERS)
    return Provenance(outside, unit.sensitivity)


def is_by_model(path: str) -> bool:
    """Whether a path lies where only models and consolidation write."""
    return folded(path).startswith(MODEL_FOLDERS)


def provenance_in(front: Mapping[str, Any], path: str = "") -> Provenance:
    """What the front matter of a file says of it; `path` is where it lies.

    A finding, or anything else that a model wrote, counts as from outside and confidential where it
    does not say what it was made of: it was written before anybody asked, or was edited. What lies
    where only models write was written by one, whatever it says.
    """
    origin, said = _word(front.get("origin")), _word(front.get("provenance"))
    made = origin not in ("", _STARTING_NOTE) or folded(path).startswith(_WRITTEN_BY_MODELS)
    outside = said != WORKSPACE if made or said else False
    outside = outside or _is_said(front.get("untrusted"))
    outside = outside or _is_said(front.get("untrusted_sources"))
    sensitivity = _word(front.get("sensitivity")) or ("confidential" if made else "")
    return Provenance(outside, sensitivity)


def sources_in(front: Mapping[str, Any]) -> tuple[str, ...]:
    """The paths of what a text says that it was made of; what cannot be read is passed over."""
    given = front.get("sources")
    entries = given if isinstance(given, list) else ()
    paths = [entry.get("path") for entry in entries if isinstance(entry, dict)]
    return tuple(path for path in paths if isinstance(path, str) and path)


def understated(declared: Provenance, found: Provenance) -> str:
    """Why a text may not be given out as what the map says it is, as words; empty where it may."""
    if found.outside and not declared.outside:
        return "says that it came from outside, but its unit does not; add untrusted: true to it"
    if found.confidential and not declared.confidential:
        word = found.sensitivity
        return f"is {word}, but its unit does not say so; add sensitivity: {word} to it"
    return ""


def joined(one: Provenance, other: Provenance) -> Provenance:
    """What a text is that is made of both."""
    strictest = highest((one.sensitivity, other.sensitivity))
    return Provenance(one.outside or other.outside, strictest)


def _rank(sensitivity: str) -> int:
    known = sensitivity in SENSITIVITIES
    return SENSITIVITIES.index(sensitivity) if known else len(SENSITIVITIES)


def _word(value: object) -> str:
    """Empty where nothing is said; what is said and is no text is no word that anybody knows."""
    if isinstance(value, str):
        return value.strip().casefold()
    return "" if value is None else "?"


def _is_said(value: object) -> bool:
    if isinstance(value, (list, dict)):
        return bool(value)
    return _word(value) not in _NO
