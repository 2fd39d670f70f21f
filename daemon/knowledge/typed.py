"""Types the text scalars of a parsed manifest, and notes what does not fit, with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from daemon.config.yaml_file import Document
from daemon.errors import Fault
from daemon.knowledge.fields import GRANTING, RESTRICTING, near_misses
from daemon.knowledge.unit import PaymentMethod, Step, SubManifest

Place = tuple[str | int, ...]

# The protocol reads the words of YAML 1.1 too, in any case; a field that is no flag keeps its text.
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})
_COUNT = re.compile(r"[0-9]{1,12}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Typed:
    """Every reader takes the mapping a field stands in and the field's place; missing is empty.

    What is wrong in a field that decides anything is an error; the value read is then the empty
    one, which is harmless because a manifest with an error drives nothing.
    """

    def __init__(self, document: Document, file: str) -> None:
        self.file = file
        self.errors: list[Fault] = []
        self.diagnostics: list[Fault] = []
        self._document = document

    def line(self, at: Place) -> int:
        return self._document.line_of(at)

    def fail(self, at: Place, message: str, cure: str = "") -> None:
        self.errors.append(Fault(self.file, self.line(at), _dotted(at), message, cure))

    def note(self, at: Place, message: str, cure: str = "") -> None:
        self.diagnostics.append(Fault(self.file, self.line(at), _dotted(at), message, cure))

    def check_names(self, mapping: Mapping[str, Any], at: Place, known: frozenset[str]) -> None:
        """Note every field that looks misspelt; it is an error where the one meant restricts."""
        if known.issuperset(mapping):
            return
        for key, meant in near_misses((key for key in mapping if isinstance(key, str)), known):
            tell = self.fail if meant in RESTRICTING else self.note
            tell((*at, key), "is no field of a manifest", f"did you mean {meant}")

    def text(self, mapping: Mapping[str, Any], at: Place) -> str:
        value = mapping.get(str(at[-1]))
        if value is None or isinstance(value, str):
            return value or ""
        self.fail(at, "is not text")
        return ""

    def texts(self, mapping: Mapping[str, Any], at: Place) -> tuple[str, ...]:
        """A list of texts. A bare text is an error: read as a list it would mean its letters."""
        value = mapping.get(str(at[-1]))
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            self.fail(at, "is not a list of texts", "write it as [one, two]")
            return ()
        if not all(value):
            self.fail(at, "has an empty entry, which would match everything", "remove it")
        return tuple(entry for entry in value if entry)

    def flag(self, mapping: Mapping[str, Any], at: Place) -> bool:
        """True or False as written; False where it is missing or is neither.

        A grant that is neither is only noted: without it less is open, not more.
        """
        value = mapping.get(str(at[-1]))
        word = value.lower() if isinstance(value, str) else ""
        if value is not None and word not in _TRUE and word not in _FALSE:
            tell = self.note if at[-1] in GRANTING else self.fail
            tell(at, f"{_shown(value)} is neither true nor false", "write true or false")
        return word in _TRUE

    def day(self, mapping: Mapping[str, Any], at: Place) -> str:
        """An ISO date as text, or empty."""
        value = self.text(mapping, at)
        if value and not _is_day(value):
            self.fail(at, f"{value!r} is no date", "write it as 2026-01-31")
            return ""
        return value

    def one_of(self, mapping: Mapping[str, Any], at: Place, allowed: tuple[str, ...]) -> str:
        value = self.text(mapping, at)
        if value and value not in allowed:
            self.fail(at, f"{value!r} is none of {', '.join(allowed)}")
            return ""
        return value

    def count(self, mapping: Mapping[str, Any], at: Place) -> int | None:
        value = self.text(mapping, at)
        if value and not _COUNT.fullmatch(value):
            self.fail(at, f"{value!r} is no whole number", "write digits only")
            return None
        return int(value) if value else None

    def mapping(self, mapping: Mapping[str, Any], at: Place) -> dict[str, Any]:
        value = mapping.get(str(at[-1]))
        if value is None or isinstance(value, dict):
            return value or {}
        self.fail(at, "is not a mapping of fields")
        return {}

    def mappings(
        self, mapping: Mapping[str, Any], at: Place
    ) -> Iterator[tuple[Place, dict[str, Any]]]:
        value = mapping.get(str(at[-1]))
        if value is not None and not isinstance(value, list):
            self.fail(at, "is not a list")
            return
        for index, entry in enumerate(value or ()):
            if isinstance(entry, dict):
                yield (*at, index), entry
            else:
                self.fail((*at, index), "is not a mapping of fields")

    def payment(self, mapping: Mapping[str, Any], at: Place) -> tuple[PaymentMethod, ...] | None:
        """The methods of a payment block in their order; None where there is no block."""
        if mapping.get(str(at[-1])) is None:
            return None
        block = self.mapping(mapping, at)
        return tuple(self._method(m, p) for p, m in self.mappings(block, (*at, "methods")))

    def sub_manifests(self, raw: Mapping[str, Any]) -> Iterator[SubManifest]:
        for at, entry in self.mappings(raw, ("manifests",)):
            identity = self.mapping(entry, (*at, "agent_identity"))
            named = entry.get("context") is not None
            yield SubManifest(
                id=self.text(entry, (*at, "id")),
                url=self.text(entry, (*at, "url")),
                context=self.texts(entry, (*at, "context")) if named else None,
                credential_hint=self.text(identity, (*at, "agent_identity", "credential_hint")),
                identity_required=self.flag(identity, (*at, "agent_identity", "required")),
            )

    def steps(self, mapping: Mapping[str, Any], at: Place) -> Iterator[Step]:
        for here, entry in self.mappings(mapping, at):
            names = ("id", "uses", "authority_level")
            yield Step(*(self.text(entry, (*here, name)) for name in names))

    def rate_tiers(self, raw: Mapping[str, Any]) -> tuple[str, ...]:
        """The tiers that say anything; a name without a block is none."""
        tiers = self.mapping(raw, ("rate_limits",))
        return tuple(sorted(name for name, tier in tiers.items() if isinstance(tier, dict)))

    def _method(self, entry: Mapping[str, Any], at: Place) -> PaymentMethod:
        kind = self.text(entry, (*at, "type"))
        text = self.text(entry, (*at, "price_per_request"))
        price = _price(text)
        if not kind:
            self.fail((*at, "type"), "is missing", "name the payment method")
        if kind == "x402" and price is None:
            self.fail((*at, "price_per_request"), f"{text!r} is no price", "write a number as text")
        return PaymentMethod(kind, self.text(entry, (*at, "currency")), text, price)


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str) else "this"


def _dotted(at: Place) -> str:
    return ".".join(map(str, at))


def _is_day(value: str) -> bool:
    try:
        return bool(_DAY.fullmatch(value)) and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _price(text: str) -> Decimal | None:
    """None for what is no number, is not finite or is below zero: such a price buys nothing."""
    try:
        price = Decimal(text)
    except InvalidOperation:
        return None
    return price if price.is_finite() and price >= 0 else None
