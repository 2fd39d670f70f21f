"""Takes secrets out of texts: the ones we were told about, and whatever looks like one."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from itertools import pairwise
from urllib.parse import quote, quote_plus, urlsplit

MASK = "[redacted]"
_SHORTEST = 6  # a shorter "secret" would blacken half of every line

_ASSIGNED = (
    r"((?<![A-Za-z])(?:[a-z0-9]{1,30}[_-]){0,4}(?:api_?key|apikey|token|secret|password|passwd)"
    r"(?:=|['\"]\s*:\s*b?['\"]))(?!\[redacted\])[^\s&'\",;)}\]]+"
)
# What a secret looks like even where nobody told us about it. Group 1, where there is one, is kept.
_PATTERNS = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
            re.DOTALL,
        ),
        (r"\b(hooks\.slack(?:-gov)?\.com/)[^\s'\"<>)]+", re.IGNORECASE),
        (r"\b(discord(?:app)?\.com/)api/webhooks/[^\s'\"<>)]+", re.IGNORECASE),
        (r"(/)services/T[A-Za-z0-9]+/B[A-Za-z0-9]+/[A-Za-z0-9]+", 0),
        (r"\b([a-z][a-z0-9+.-]{0,20}://)[^\s/@:'\"]{0,200}:[^\s/@'\"]{1,200}(?=@)", re.IGNORECASE),
        (r"\b(bearer\s+)(?=[^\s'\"]*[\d._~+/=-]|[^\s'\"]{16})[\w.~+/=-]+", re.IGNORECASE),
        (
            r"\b((?:proxy-)?authorization['\"]?\s*[:=]\s*['\"]?)(?!bearer)[^\s'\",]+(?:\s+[\w.~+/=-]+)?",
            re.I,
        ),
        (r"\b(x-api-key['\"]?\s*[:=]\s*b?['\"]?)[^\s'\",}]+", re.IGNORECASE),
        (r"\bsk-[A-Za-z0-9_-]+", 0),
        (r"\bxox[a-z]-[A-Za-z0-9-]+", 0),
        (r"\bxapp-[A-Za-z0-9-]+", 0),
        (r"\b(?:ghp|gho|ghu|ghs|ghr|github_pat)_[A-Za-z0-9_]{16,}", 0),
        (r"\b(?:ntn|secret)_[A-Za-z0-9]{20,}", 0),
        (r"\bAKIA[A-Z0-9]{16}\b", 0),
        (r"\bAIza[A-Za-z0-9_-]{30,}", 0),
        (r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+", 0),
        (_ASSIGNED, re.IGNORECASE),
    )
)


_SECRET_WORDS = frozenset({"apikey", "authorization", "passwd", "password", "secret", "token"})
_SECRET_WORDS |= {"credential", "credentials", "webhook"}
_KEY_KINDS = frozenset({"access", "api", "private", "secret", "signing"})


def is_secret_name(name: str) -> bool:
    """Whether a key of this name holds a secret: api_key, slack-token, webhook_url, signingKey."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
    folded = [word.casefold() for word in words]
    if _SECRET_WORDS.intersection(folded):
        return True
    return any(a in _KEY_KINDS and b == "key" for a, b in pairwise(folded))


class Redactor:
    """Takes the given secrets, in every spelling that they get, and key-like texts out of texts.

    Of a secret that is a URL (a webhook) scheme and host stay, so that a log still says where.
    Secrets of fewer than 6 characters are not searched for.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._masks: dict[str, str] = {}
        for secret in secrets:
            self._learn(secret.strip())
        spellings = sorted(self._masks, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, spellings))) if spellings else None

    def redact(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(lambda match: self._masks[match.group()], text)
        for pattern in _PATTERNS:
            text = pattern.sub(_masked, text)
        return text

    def _learn(self, secret: str) -> None:
        if len(secret) < _SHORTEST:
            return
        if "://" in secret:
            self._learn_url(secret)
        else:
            self._spell(secret, MASK)

    def _learn_url(self, secret: str) -> None:
        """The whole URL, and the parts of it that libraries quote in their errors."""
        try:
            url = urlsplit(secret)
        except ValueError:
            self._spell(secret, MASK)
            return
        host = url.netloc.rpartition("@")[2]
        self._spell(secret, f"{url.scheme}://{host}/{MASK}")
        path = url.path + (f"?{url.query}" if url.query else "")
        for part in (path, url.path):
            if len(part) >= _SHORTEST:
                self._spell(part, f"/{MASK}")
        last = url.path.rstrip("/").rpartition("/")[2]
        if len(last) >= _SHORTEST and not last.isalpha():
            self._spell(last, MASK)

    def _spell(self, secret: str, mask: str) -> None:
        """The secret as it looks in URLs, in JSON, in Python's repr and in basic authentication."""
        raw = secret.encode("utf-8", "surrogatepass")
        spellings = {
            secret,
            quote(secret, safe="", errors="replace"),
            quote(secret, errors="replace"),
            quote_plus(secret, errors="replace"),
            json.dumps(secret)[1:-1],
            repr(secret)[1:-1],
            base64.b64encode(raw).decode("ascii"),
            base64.urlsafe_b64encode(raw).decode("ascii"),
        }
        for spelling in spellings:
            self._masks.setdefault(spelling, mask)


def _masked(match: re.Match[str]) -> str:
    kept = match.group(1) if match.re.groups else ""
    return f"{kept}{MASK}"
