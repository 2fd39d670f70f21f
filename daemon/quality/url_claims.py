"""The addresses of an output, looked up in its notes: only what stands in them exists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from daemon.quality.addresses import (
    DOI_HOST,
    Address,
    FoundAddress,
    address_at,
    find_addresses,
    find_dois,
    is_dummy,
    spellings,
)
from daemon.quality.claims import Claim, ClaimStatus
from daemon.quality.masks import Mask
from daemon.quality.normalise import Reading
from daemon.quality.note_texts import NoteText, blocked_by
from daemon.quality.verdict import Profile

_MOST_PLACES = 2_000
_NEAREST_AMONG = 200


@dataclass(frozen=True)
class _Stand:
    """An address of a note, and where it stands there."""

    note: NoteText
    start: int
    end: int
    address: Address


@dataclass
class _Site:
    """What the notes have of one host: its addresses, and where only a host below it is named."""

    stands: list[_Stand] = field(default_factory=list)
    below: list[_Stand] = field(default_factory=list)
    by_address: dict[Address, _Stand] = field(default_factory=dict)
    by_words: dict[str, _Stand] = field(default_factory=dict)

    def add(self, stand: _Stand) -> None:
        self.stands.append(stand)
        self.by_address.setdefault(stand.address, stand)
        self.by_words.setdefault(stand.address.shown.lower(), stand)

    def same(self, address: Address) -> _Stand | None:
        """The same address; paths that differ in case alone are one."""
        return self.by_address.get(address) or self.by_words.get(address.shown.lower())


def url_claims(
    reading: Reading, given: NoteText, notes: Sequence[NoteText], profile: Profile
) -> Iterable[Claim]:
    """One claim for each address outside of code blocks that the task itself does not name.

    *supported*: the same address (scheme, www, fragment, tracking apart), or a site of which the notes
    have an address. *weak*: the notes have it with another query, only addresses below it, or only
    the site's name. *absent*: another path of a known host, an unknown host, a dummy host.
    """
    if profile == "code":
        return
    lower = reading.raw.lower()
    if len(lower) != len(reading.raw):
        lower = reading.open
    code = code_blocks(reading.raw, reading.masks)
    sites: dict[str, _Site] = {}
    asked: dict[str, _Site] = {}
    for found in find_addresses(reading.raw, lower):
        if blocked_by(code, found.start, found.end):
            continue
        host = found.address.host
        if host not in sites:
            sites[host] = _site(host, notes)
            asked[host] = _site(host, (given,))
        if _is_asked(found, asked[host]):
            continue
        yield _claim(reading, found, sites[host], notes)


def code_blocks(raw: str, masks: Sequence[Mask]) -> list[tuple[int, int]]:
    """Fenced code; an address between single backticks is still given as an address."""
    return [
        (mask.start, mask.end)
        for mask in masks
        if mask.kind == "code" and raw[mask.start : mask.end].lstrip().startswith(("```", "~~~"))
    ]


def _site(host: str, notes: Sequence[NoteText]) -> _Site:
    site = _Site()
    for note in notes:
        if host == DOI_HOST:
            for doi in find_dois(note.raw):
                site.add(_Stand(note, doi.start, doi.end, doi.address))
            continue
        for name in spellings(host):
            at = note.lower.find(name)
            while at >= 0 and len(site.stands) + len(site.below) < _MOST_PLACES:
                _stand(site, note, at, at + len(name))
                at = note.lower.find(name, at + len(name))
    return site


def _stand(site: _Site, note: NoteText, start: int, host_end: int) -> None:
    text = note.lower
    behind = text[host_end : host_end + 2]
    if behind[:1].isalnum() or (behind[:1] in ("-", "_") and behind[1:].isalnum()):
        return
    if behind[:1] == "." and behind[1:].isalnum():
        return
    before = text[max(0, start - 4) : start]
    is_www = before == "www."
    if not is_www and before[-1:] and (before[-1].isalnum() or before[-1] in "-_"):
        return
    end, address = address_at(note.raw, start, host_end)
    if address is None:
        return
    below = before[-1:] in (".", "@") and not is_www
    stand = _Stand(note, start, end, address)
    if below:
        site.below.append(stand)
    else:
        site.add(stand)


def _is_asked(found: FoundAddress, asked: _Site) -> bool:
    """Whether the question itself gave this address; a dummy one is never given."""
    if is_dummy(found.address.host.partition(":")[0]):
        return False
    return asked.same(found.address) is not None


def _claim(reading: Reading, found: FoundAddress, site: _Site, notes: Sequence[NoteText]) -> Claim:
    span = reading.span(found.start, found.end)
    status, stand, note = _judge(reading, found, site, notes)
    return Claim(
        kind="url",
        text=reading.text[slice(*span)],
        span=span,
        status=status,
        source=stand.note.note.id if stand else "",
        place=stand.note.place(stand.start, stand.end) if stand else None,
        passage=stand.note.passage(stand.start, stand.end) if stand else "",
        note=note,
    )


def _judge(
    reading: Reading, found: FoundAddress, site: _Site, notes: Sequence[NoteText]
) -> tuple[ClaimStatus, _Stand | None, str]:
    address = found.address
    same = site.same(address)
    if is_dummy(address.host.partition(":")[0]):
        note = "a dummy address" + (", though the notes have it" if same else "")
        return ("weak" if same else "absent"), same, note
    if same:
        return "supported", same, ""
    if site.stands and not address.path and not address.query:
        stand = site.stands[0]
        return "supported", stand, f"the notes have {stand.address.shown}"
    if site.stands:
        return _other_path(address, site)
    if site.below and not address.path:
        stand = site.below[0]
        return "weak", stand, f"the notes have only {stand.note.passage(stand.start, stand.end)}"
    if found.bare and _is_only_a_name(reading, found, notes):
        return "weak", None, "the notes have the name, not the address"
    return "absent", None, f"no note has an address of {address.host}"


def _other_path(address: Address, site: _Site) -> tuple[ClaimStatus, _Stand | None, str]:
    for stand in site.stands[:_NEAREST_AMONG]:
        if stand.address.path == address.path and not (stand.address.query and address.query):
            return "weak", stand, f"the notes have {stand.address.shown}"
    for stand in site.stands[:_NEAREST_AMONG]:
        if not address.query and stand.address.path.startswith(address.path + "/"):
            return "weak", stand, f"the notes have {stand.address.shown}, which is below it"
    nearest = max(
        site.stands[:_NEAREST_AMONG], key=lambda stand: _alike(stand.address.path, address.path)
    )
    return "absent", None, f"the notes have {nearest.address.shown}"


def _alike(one: str, other: str) -> int:
    """How many characters two paths begin with together."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


def _is_only_a_name(reading: Reading, found: FoundAddress, notes: Sequence[NoteText]) -> bool:
    """Booking.com: written like a company's name, or the notes name the company."""
    name = found.address.host.partition(".")[0]
    if reading.raw[found.start].isupper():
        return True
    return len(name) >= 4 and any(name in note.lower for note in notes)
