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
    parse_address,
    spellings,
    written_key,
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
    searched: bool = False

    def add(self, stand: _Stand) -> None:
        self.stands.append(stand)
        self.by_address.setdefault(stand.address, stand)
        self.by_words.setdefault(stand.address.shown.lower(), stand)

    def same(self, address: Address) -> _Stand | None:
        """The same address; paths that differ in case alone are one."""
        return self.by_address.get(address) or self.by_words.get(address.shown.lower())


class _Addresses:
    """The addresses of some notes. Those with a scheme are found in one pass, and read only where an
    output names their host otherwise than they are written; a host that is named without a scheme is
    looked for only where an address is not among them."""

    def __init__(self, notes: Sequence[NoteText]) -> None:
        self._notes = notes
        self._sites: dict[str, _Site] = {}
        self._written: dict[str, tuple[NoteText, int, int]] = {}
        self._unread: dict[str, list[tuple[NoteText, int, int]]] = {}
        for note in notes:
            for key, start, end in note.addresses:
                self._written.setdefault(key, (note, start, end))
                self._unread.setdefault(key.partition("/")[0], []).append((note, start, end))

    def as_written(self, text: str, address: Address) -> _Stand | None:
        """The address where a note has it in these very letters."""
        held = self._written.get(written_key(text))
        return _Stand(*held, address) if held else None

    def site(self, address: Address) -> _Site:
        """All that the notes have of the address's host, as far as it can matter to it."""
        host = address.host
        if host not in self._sites:
            self._sites[host] = _Site()
            for name in spellings(host):
                for note, start, end in self._unread.get(name, ()):
                    found = parse_address(note.raw[start:end])
                    if found and found.host == host:
                        self._sites[host].add(_Stand(note, start, end, found))
        site = self._sites[host]
        if not site.searched and not site.same(address):
            site.searched = True
            self._search(host, site)
        return site

    def _search(self, host: str, site: _Site) -> None:
        for note in self._notes:
            if host == DOI_HOST:
                for doi in find_dois(note.raw):
                    site.add(_Stand(note, doi.start, doi.end, doi.address))
                continue
            for name in spellings(host):
                at = note.lower.find(name)
                while at >= 0 and len(site.stands) + len(site.below) < _MOST_PLACES:
                    _stand(site, note, at, at + len(name))
                    at = note.lower.find(name, at + len(name))


def url_claims(
    reading: Reading, given: NoteText, notes: Sequence[NoteText], profile: Profile
) -> Iterable[Claim]:
    """One claim for each address outside of code blocks that the task itself does not name.

    *supported*: the same address (scheme, www, fragment, tracking apart), or a site of which the notes
    have an address. *weak*: the notes have it with another query, only addresses below it, or only
    the site's name. *absent*: another path of a known host, an unknown host, a dummy host that the notes do not have.
    """
    if profile == "code":
        return
    lower = reading.raw.lower()
    if len(lower) != len(reading.raw):
        lower = reading.open
    code = code_blocks(reading.raw, reading.masks)
    held, asked = _Addresses(notes), _Addresses((given,))
    for found in find_addresses(reading.raw, lower):
        if blocked_by(code, found.start, found.end) or _is_asked(found, asked):
            continue
        yield _claim(reading, found, held, notes)


def code_blocks(raw: str, masks: Sequence[Mask]) -> list[tuple[int, int]]:
    """Fenced code; an address between single backticks is still given as an address."""
    return [
        (mask.start, mask.end)
        for mask in masks
        if mask.kind == "code" and raw[mask.start : mask.end].lstrip().startswith(("```", "~~~"))
    ]


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


def _is_asked(found: FoundAddress, asked: _Addresses) -> bool:
    """Whether the question itself gave this address; a dummy one is never given."""
    if is_dummy(found.address.host.partition(":")[0]):
        return False
    return asked.site(found.address).same(found.address) is not None


def _claim(
    reading: Reading, found: FoundAddress, held: _Addresses, notes: Sequence[NoteText]
) -> Claim:
    span = reading.span(found.start, found.end)
    status: ClaimStatus = "supported"
    note = ""
    stand = held.as_written(reading.raw[found.start : found.end], found.address)
    if stand is None:
        status, stand, note = _judge(reading, found, held.site(found.address), notes)
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
    if same:
        return "supported", same, ""
    if site.stands and not address.path and not address.query:
        stand = site.stands[0]
        return "supported", stand, f"the notes have {stand.address.shown}"
    if site.stands:
        return _other_path(address, site)
    if is_dummy(address.host.partition(":")[0]):
        return "absent", None, "a dummy address"
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
