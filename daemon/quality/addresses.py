"""Web addresses in a text, and when two of them are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from urllib.parse import unquote

DOI_HOST = "doi.org"

_STOPS = r"\s<>\"`\[\]{}|\\^。、，；：）】》」"
_WHOLE = re.compile(rf"https?://[^{_STOPS}]+")
_WHOLE_LOUD = re.compile(rf"HTTPS?://[^{_STOPS}]+")
_REST = re.compile(rf"[^{_STOPS}]*")
_WWW = re.compile(rf"www\.(?<![\w.@/-]www\.)[\w-]+\.[^{_STOPS}]+")
_DOI = re.compile(rf"10\.(?<![\w.]10\.)\d{{4,9}}/[^{_STOPS}]+")
_ENDINGS = frozenset((
             "com",         "org",         "net",         "gov",         "edu",         "gob",
    "ec",         "io",         "ai",         "mx",         "ar",         "cl",         "co",
    "pe",         "br",         "uk",         "eu",         "fr",         "es",         "ca",
    "au",         "ch",         "info",         "int",         "dev",         "app",
    "law",         "legal",         "tech",         "news",         "online",         "site",
    "cloud",         "jp",         "cn",         "ru",         "nl",
))  # fmt: skip
_ENDING = re.compile(rf"\.(?:{'|'.join(sorted(_ENDINGS))})(?![\w@-]|\.\w)")
_ALSO_WORDS = frozenset(("es", "co", "ca", "ai", "law", "legal", "news", "site", "online", "app"))
_NO_SITES = frozenset(("asp.net", "vb.net", "socket.io", "ado.net"))
_LABELS = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_]{2,24}")
_DUMMY = re.compile(
    r"(?:.*\.)?(?:example\.(?:com|org|net|edu|ec|es|co)|example|invalid|test|localhost|localdomain)"
    r"|(?:127|0)\.\d+\.\d+\.\d+"
    r"|(?:your|my|the|some|tu|mi)-?(?:site|domain|website|company|firm|sitio|dominio|empresa)"
    r"\.[a-z.]+|(?:domain|website|url|link|sample|placeholder|foo|foobar|dominio|ejemplo)\.(?:com|org|net)"
)
_TRACKING = re.compile(
    r"(?:utm_\w+|gclid|fbclid|msclkid|yclid|dclid|igshid|mc_[ce]id|_hs(?:enc|mi)|ref_src|s_cid)(?:=|$)"
)
_SCHEME = re.compile(r"(?i)^https?://")
_HOST_END = re.compile(r"[/?]")
_TRAILING = ".,;:!?'*_~…"
_SLASHES = re.compile(r"/{2,}")


@dataclass(frozen=True)
class Address:
    """What makes two addresses the same: no scheme, no www, no fragment, no tracking.

    `host` is in lower case and punycode; `path` is decoded, empty for the site itself; a DOI has the
    host doi.org.
    """

    host: str
    path: str
    query: str

    @property
    def shown(self) -> str:
        path = f"/{self.path}" if self.path else ""
        return f"{self.host}{path}?{self.query}" if self.query else f"{self.host}{path}"


@dataclass(frozen=True)
class FoundAddress:
    """An address at [start, end). `bare` names a site as words do: no scheme, no www, no path."""

    start: int
    end: int
    address: Address
    bare: bool = False


def find_addresses(raw: str, lower: str) -> list[FoundAddress]:
    """Every address of a text in order; `lower` is the same text in lower case."""
    found: list[FoundAddress] = []
    every = [*find_dois(raw), *_bare(raw, lower)]
    for start, end in written_out(raw):
        address = parse_address(raw[start:end])
        if address:
            every.append(FoundAddress(start, end, address))
    for one in sorted(every, key=lambda one: (one.start, -one.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found


def written_out(raw: str) -> Iterable[tuple[int, int]]:
    """Where addresses with a scheme, or with www in front, stand."""
    patterns = (_WHOLE, _WHOLE_LOUD, _WWW) if "HTTP" in raw else (_WHOLE, _WWW)
    for pattern in patterns:
        for match in pattern.finditer(raw):
            text = match.group()
            if not text[-1].isalnum():
                text = trimmed(text)
            yield match.start(), match.start() + len(text)


def written_key(text: str) -> str:
    """An address as a dictionary key: without scheme, www and the last slash, in lower case."""
    return text.lower().rpartition("://")[2].removeprefix("www.").rstrip("/")


def find_dois(raw: str) -> Iterable[FoundAddress]:
    """Every DOI, with or without an address around it."""
    for match in _DOI.finditer(raw):
        text = trimmed(match.group())
        yield FoundAddress(
            match.start(), match.start() + len(text), Address(DOI_HOST, text.lower(), "")
        )


def parse_address(text: str) -> Address | None:
    """An address as written, with or without scheme; None where it has no host. Never raises."""
    text = unescape(text).partition("#")[0]
    text = _SCHEME.sub("", text)
    behind = _HOST_END.search(text)
    cut = behind.start() if behind else len(text)
    host = _host(text[:cut])
    if not host:
        return None
    path, _, query = text[cut:].partition("?")
    path = _SLASHES.sub("/", unquote(path)).strip("/")
    if host in (DOI_HOST, "dx.doi.org"):
        return Address(DOI_HOST, path.lower(), "")
    kept = sorted(part for part in query.split("&") if part and not _TRACKING.match(part))
    return Address(host, path, unquote("&".join(kept)))


def is_dummy(host: str) -> bool:
    """A host that stands for any other: example.com, localhost, your-site.com."""
    return _DUMMY.fullmatch(host) is not None


def spellings(host: str) -> tuple[str, ...]:
    """How a text may write the host: in punycode and in its own letters."""
    if "xn--" not in host:
        return (host,)
    try:
        return (host, host.encode("ascii").decode("idna"))
    except UnicodeError:
        return (host,)


def address_at(raw: str, start: int, host_end: int) -> tuple[int, Address | None]:
    """The address whose host is [start, host_end): where it ends, and what it is."""
    rest = _REST.match(raw, host_end)
    text = trimmed(raw[start : rest.end() if rest else host_end])
    return start + len(text), parse_address(text)


def trimmed(text: str) -> str:
    """Without the punctuation of the sentence around it, and without a bracket that it did not open."""
    while text:
        if text[-1] in _TRAILING:
            text = text.rstrip(_TRAILING)
        elif (text[-1] == ")" and text.count(")") > text.count("(")) or text.endswith(("(", "&")):
            text = text[:-1]
        else:
            break
    return text


def _bare(raw: str, lower: str) -> Iterable[FoundAddress]:
    """Sites named without a scheme. An ending that is a word too counts only with a path behind it."""
    for ending in _ENDING.finditer(lower):
        if not raw[ending.start() : ending.end()].islower():
            continue
        start = ending.start()
        while start and (raw[start - 1].isalnum() or raw[start - 1] in ".-"):
            start -= 1
            if ending.start() - start > 120:
                break
        labels = _LABELS.fullmatch(lower, start, ending.end())
        before = raw[start - 1 : start]
        if not labels or before in ("@", "/", "_", "[", "\\") or labels.group() in _NO_SITES:
            continue
        end, address = _with_path(raw, start, ending.end())
        last = ending.group()[1:]
        if address and (address.path or last not in _ALSO_WORDS or labels.group().count(".") > 1):
            yield FoundAddress(start, end, address, bare=not (address.path or address.query))


def _with_path(raw: str, start: int, host_end: int) -> tuple[int, Address | None]:
    if raw[host_end : host_end + 1] != "/":
        return host_end, parse_address(raw[start:host_end])
    return address_at(raw, start, host_end)


def _host(text: str) -> str:
    """The host in lower case and punycode, without user, www, port and the dot at its end."""
    host = text.rpartition("@")[2].lower()
    name, _, port = host.partition(":")
    host = name if port in ("", "80", "443") else host
    host = host.rstrip(".").removeprefix("www.")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return host
    return host
