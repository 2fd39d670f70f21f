"""Reads one `action_scope`, strictly: what is misspelt or unsound is an error with its line."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from daemon.knowledge.action import ActionScope, Deny, Limits
from daemon.knowledge.fields import near_misses
from daemon.knowledge.path_scope import entry_fault
from daemon.knowledge.typed import Place, Typed
from daemon.knowledge.well_formed import is_host, is_name

_SCOPE_FIELDS = frozenset(
    {"tools", "paths", "writes", "hosts", "capabilities", "spend", "limits", "deny"}
)
_DENY_FIELDS = frozenset({"tools", "paths", "capabilities", "hosts"})
_SPEND_FIELDS = frozenset({"max_spend", "allowed_vendors", "currency"})
_LIMIT_FIELDS = frozenset({"calls", "writes", "spend_usd"})
# What each permission of the protocol's `authority` is about, as kinds of targets.
_AUTHORITY_KINDS: Mapping[str, frozenset[str]] = {
    "read": frozenset({"read"}),
    "summarize": frozenset(),
    "modify": frozenset({"write"}),
    "share_externally": frozenset({"host", "capability"}),
    "execute": frozenset({"tool"}),
}
_ANSWERS = ("initiative", "requires_approval", "denied")
_MICROS = 1_000_000
_USD = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?")


class ScopeFields(Typed):
    """Typed, with the fields of a scope. `tools` are the names that a scope may give or deny."""

    tools: frozenset[str] = frozenset()

    def action_scope(
        self, entry: Mapping[str, Any], at: Place, base: ActionScope, defaults: Mapping[str, Any]
    ) -> ActionScope:
        """`base` (id, actors, held) with what the entry declares; `defaults`: the root authority."""
        here = (*at, "action_scope")
        scope = self.mapping(entry, here)
        self.check_closed(scope, here, _SCOPE_FIELDS)
        spend, spend_at = self.mapping(scope, (*here, "spend")), (*here, "spend")
        self.check_closed(spend, spend_at, _SPEND_FIELDS)
        answers = self._answers(entry, at, defaults)
        return dataclasses.replace(
            base,
            tools=self._tools(scope, (*here, "tools")),
            reads=self._paths(scope, (*here, "paths")),
            writes=self._paths(scope, (*here, "writes")),
            hosts=self._hosts(scope, (*here, "hosts")),
            capabilities=self._names(scope, (*here, "capabilities")),
            max_spend_micros=self._purchase(spend, spend_at),
            vendors=self._names(spend, (*spend_at, "allowed_vendors")),
            limits=self._limits(scope, (*here, "limits")),
            deny=self._deny(scope, (*here, "deny")),
            level=self.text(entry, (*at, "authority_level")),
            asks=_kinds(answers, "requires_approval"),
            refuses=_kinds(answers, "denied"),
        )

    def check_closed(self, mapping: Mapping[str, Any], at: Place, known: frozenset[str]) -> None:
        """Every unknown key is an error: left out by mistake, a denial would open something."""
        for key in sorted(set(mapping) - known):
            self.fail((*at, key), "is no field known here", f"use {', '.join(sorted(known))}")

    def check_close(self, mapping: Mapping[str, Any], at: Place, known: frozenset[str]) -> None:
        """A key that looks misspelt is an error; others are carried."""
        for key, meant in near_misses(mapping, known):
            self.fail((*at, key), "is no field known here", f"did you mean {meant}")

    def _limits(self, scope: Mapping[str, Any], at: Place) -> Limits:
        limits = self.mapping(scope, at)
        self.check_closed(limits, at, _LIMIT_FIELDS)
        return Limits(
            calls=self.count(limits, (*at, "calls")),
            writes=self.count(limits, (*at, "writes")),
            spend_micros=self._usd(limits, (*at, "spend_usd")),
        )

    def _deny(self, scope: Mapping[str, Any], at: Place) -> Deny:
        deny = self.mapping(scope, at)
        self.check_closed(deny, at, _DENY_FIELDS)
        return Deny(
            tools=self._tools(deny, (*at, "tools")),
            paths=self._paths(deny, (*at, "paths")),
            capabilities=self._names(deny, (*at, "capabilities")),
            hosts=self._hosts(deny, (*at, "hosts")),
        )

    def _purchase(self, spend: Mapping[str, Any], at: Place) -> int | None:
        """The most for one purchase, in micro-dollars; None where nothing is declared."""
        currency = self.text(spend, (*at, "currency"))
        if spend and currency != "USD":
            self.fail((*at, "currency"), f"{currency!r} is not USD", "write amounts in USD")
        return self._usd(spend, (*at, "max_spend"))

    def _usd(self, mapping: Mapping[str, Any], at: Place) -> int | None:
        text = self.text(mapping, at)
        if not text:
            return None
        micros = _micros(text)
        if micros is None:
            self.fail(at, f"{text!r} is no amount in dollars", "write it as 0.50")
        return micros

    def _paths(self, mapping: Mapping[str, Any], at: Place) -> tuple[str, ...]:
        entries = self.texts(mapping, at)
        for index, entry in enumerate(entries):
            fault = entry_fault(entry)
            if fault:
                self.fail((*at, index), f"{entry!r} {fault}", "write it as memory/findings/")
        return entries

    def _names(self, mapping: Mapping[str, Any], at: Place) -> frozenset[str]:
        return self._checked(mapping, at, is_name, "name each one; there are no wildcards")

    def _tools(self, mapping: Mapping[str, Any], at: Place) -> frozenset[str]:
        """The names, each of a tool that there is.

        A skill of the protocol may name the tools of other programs, so that there only what looks
        misspelt is an error.
        """
        names = self._names(mapping, at)
        misspelt = dict(near_misses(names, self.tools))
        for index, name in enumerate(self.texts(mapping, at) if self.tools else ()):
            if name not in self.tools and (at[0] != "units" or name in misspelt):
                meant = misspelt.get(name)
                cure = f"did you mean {meant}" if meant else f"use {', '.join(sorted(self.tools))}"
                self.fail((*at, index), f"{name!r} is no tool known here", cure)
        return names

    def _hosts(self, mapping: Mapping[str, Any], at: Place) -> frozenset[str]:
        return self._checked(mapping, at, is_host, "write the plain name, as api.example.org")

    def _checked(
        self, mapping: Mapping[str, Any], at: Place, is_sound: Callable[[str], bool], cure: str
    ) -> frozenset[str]:
        entries = self.texts(mapping, at)
        for index, entry in enumerate(entries):
            if not is_sound(entry):
                self.fail((*at, index), f"{entry!r} cannot be matched", cure)
        return frozenset(entries)

    def _answers(
        self, entry: Mapping[str, Any], at: Place, defaults: Mapping[str, Any]
    ) -> dict[str, str]:
        here = (*at, "authority")
        own = self.mapping(entry, here)
        self.check_close(own, here, frozenset(_AUTHORITY_KINDS))
        answers = {}
        for name in _AUTHORITY_KINDS:
            given = self.one_of(own, (*here, name), _ANSWERS)
            answers[name] = given or self.one_of(defaults, ("authority", name), _ANSWERS)
        return answers


def _kinds(answers: Mapping[str, str], wanted: str) -> frozenset[str]:
    found = (_AUTHORITY_KINDS[name] for name, answer in answers.items() if answer == wanted)
    return frozenset[str]().union(*found)


def _micros(text: str) -> int | None:
    """Exactly, or None: nothing is rounded, infinite or below zero."""
    return int(Decimal(text) * _MICROS) if _USD.fullmatch(text) else None
