"""The nouns of a Knowledge Context Protocol (KCP) manifest, typed and frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from daemon.config.document import Document
from daemon.errors import Fault
from daemon.knowledge.action import LEVELS
from daemon.knowledge.word_index import WordIndex


@dataclass(frozen=True)
class PaymentMethod:
    """One way to pay for a unit. `price` is None where there is no usable number."""

    type: str
    currency: str = ""
    price_text: str = ""
    price: Decimal | None = None


@dataclass(frozen=True)
class Step:
    """One step of a playbook: the unit that it `uses` (empty: none), and the authority it takes.

    `authority_level` is empty where none is declared.
    """

    id: str
    uses: str = ""
    authority_level: str = ""


@dataclass(frozen=True)
class Unit:
    """One piece of knowledge.

    Dates are ISO text, compared as text with the as-of date; empty means open. `size_tokens` and
    `bytes` are None where nothing is declared. `payment` is None where the manifest's own holds.
    `untrusted` is an extension of ours: the text came from outside. `authority_level` is the ceiling
    of a playbook's `steps`, empty where none is declared.
    """

    id: str
    path: str
    intent: str = ""
    scope: str = ""
    kind: str = "knowledge"
    audience: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    not_for: tuple[str, ...] = ()
    valid_from: str = ""
    valid_until: str = ""
    superseded_by: str = ""
    deprecated: bool = False
    load_eligible: bool = False
    access: str = "public"
    sensitivity: str = ""
    size_tokens: int | None = None
    bytes: int | None = None
    payment: tuple[PaymentMethod, ...] | None = None
    untrusted: bool = False
    steps: tuple[Step, ...] = ()
    authority_level: str = ""


@dataclass(frozen=True)
class SubManifest:
    """A manifest elsewhere that this one points to. `context` None: any environment."""

    id: str
    url: str
    context: tuple[str, ...] | None = None
    credential_hint: str = ""
    identity_required: bool = False


@dataclass(frozen=True)
class FieldUse:
    """What becomes of the fields that a manifest uses: dotted names, sorted.

    `enforced` ones can keep a unit from an agent, `planned` ones only rank or describe, `carried`
    ones change nothing here.
    """

    enforced: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """A manifest as it was read. Only one without `errors` may drive an action.

    `authority_scale` has the levels of authority, the lowest first. `sha256` is of the bytes as given;
    `raw` is everything, as text scalars, and `document` knows the lines; None where the text could
    not be read.
    """

    file: str
    sha256: str
    project: str = ""
    version: str = ""
    kcp_version: str = ""
    units: tuple[Unit, ...] = ()
    manifests: tuple[SubManifest, ...] = ()
    payment: tuple[PaymentMethod, ...] = ()
    rate_tiers: tuple[str, ...] = ()
    requires_attestation: bool = False
    trusted_providers: tuple[str, ...] = ()
    authority_scale: tuple[str, ...] = LEVELS
    fields: FieldUse = FieldUse()
    errors: tuple[Fault, ...] = ()
    diagnostics: tuple[Fault, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    document: Document | None = field(default=None, compare=False, repr=False)

    @property
    def governs(self) -> bool:
        """Whether it may drive anything."""
        return not self.errors

    @cached_property
    def words(self) -> WordIndex:
        """Where the words of intents, ids, paths and triggers stand."""
        return WordIndex(((unit.intent, unit.id, unit.path), unit.triggers) for unit in self.units)

    @cached_property
    def memory(self) -> dict[str, Any]:
        """What was worked out of this manifest and will be asked again, by name."""
        return {}
