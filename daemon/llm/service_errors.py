"""What an error answer of the Messages API means for money, and what a person has to change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from daemon.config.redaction import redact
from daemon.errors import OutcomeUnknown, ProviderBusy, ProviderError, ProviderPermanent

KEY_SETTING = "ANTHROPIC_API_KEY"
BASE_URL_SETTING = "provider.base_url"
CONTEXT_SETTING = "sprint.context_ceiling_tokens"
BILLING_SETTING = "billing"

_BILLING_WORDS = ("credit balance", "spend limit", "spending limit", "usage limit")
_BILLING_CODES = ("spend_limit", "billing", "organization_on_hold")
_MAY_BE_BILLED = (408, 409, 425)  # of the 4xx, these say nothing about the request itself
_QUOTE_LENGTH = 240


@dataclass(frozen=True)
class ErrorAnswer:
    """An answer with an error status. `kind`, `code` and `message` are empty where not given.

    `code` is the service's stable name of the cause; `headers` has its names in lower case.
    """

    status: int
    kind: str
    code: str
    message: str
    headers: Mapping[str, str]
    request_id: str | None


@dataclass(frozen=True)
class Asked:
    """Whom was asked for what: `model_setting` is the key of config.toml that named the model."""

    host: str
    model: str
    model_setting: str


def explain(answer: ErrorAnswer, asked: Asked, now: datetime) -> ProviderError:
    """The error that an answer stands for.

    Refused before any work and curable by a person: ProviderPermanent. Refused for the moment:
    ProviderBusy. Everything else may have been worked on, and billed: OutcomeUnknown.
    """
    if answer.status in (429, 503, 529):
        return _for_the_moment(answer, asked, now)
    cause = _permanent_cause(answer, asked)
    if cause is None:
        return OutcomeUnknown(
            f"{asked.host} failed ({answer.status}){_quote(answer)}; the call may have been billed",
            status=answer.status,
            request_id=answer.request_id,
        )
    setting, sentence = cause
    return _permanent(answer, setting, sentence)


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """The wait that `retry-after-ms` or `retry-after` asks for; None where it cannot be read.

    Takes seconds (also with a fraction) or an HTTP date. A moment in the past is 0.
    """
    milliseconds = _finite(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    text = headers.get("retry-after", "").strip()
    seconds = _finite(text)
    if seconds is not None:
        return max(0.0, seconds)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:  # "-0000": a UTC time that does not say where it was written
        moment = moment.replace(tzinfo=now.tzinfo)
    return max(0.0, (moment - now).total_seconds())


def _for_the_moment(answer: ErrorAnswer, asked: Asked, now: datetime) -> ProviderError:
    """Busy; but 429 without retry-after, or with a code of billing, is a spend limit."""
    told_to_wait = "retry-after" in answer.headers or "retry-after-ms" in answer.headers
    if answer.status == 429 and (_is_billing_code(answer) or not told_to_wait):
        return _permanent(
            answer,
            BILLING_SETTING,
            f"{asked.host} allows no more spending for now; raise the spend limit of the account "
            "or wait until it begins anew",
        )
    wait = retry_after_seconds(answer.headers, now)
    when = f"; it asks to wait {wait:g} s" if wait is not None else ""
    what = "limits the rate of calls" if answer.status == 429 else "is overloaded"
    return ProviderBusy(
        f"{asked.host} {what} ({answer.status}){_quote(answer)}{when}",
        retry_after_seconds=wait,
        status=answer.status,
        request_id=answer.request_id,
    )


def _permanent_cause(answer: ErrorAnswer, asked: Asked) -> tuple[str, str] | None:
    """The setting to change and a sentence, or None where the outcome is unknown."""
    status, host, model = answer.status, asked.host, asked.model
    if status == 402 or (status in (400, 403) and _is_about_money(answer)):
        return BILLING_SETTING, f"the account at {host} cannot pay; add credit or raise its limit"
    if status == 413 or (status == 400 and "prompt is too long" in answer.message.lower()):
        return CONTEXT_SETTING, f"the prompt is too large for {model}; lower {CONTEXT_SETTING}"
    if status == 404 and answer.kind == "not_found_error":
        setting = asked.model_setting
        return setting, f"{host} does not have the model {model}; name another in {setting}"
    if status == 404 or 300 <= status < 400:
        cure = f"there is no Messages API at {host}; correct {BASE_URL_SETTING}"
        return BASE_URL_SETTING, cure
    if not 400 <= status < 500 or status in _MAY_BE_BILLED:
        return None
    strange = f"{host} does not take the requests of the Messages API; correct {BASE_URL_SETTING}"
    return {
        400: (asked.model_setting, f"{host} does not accept this request for {model}"),
        401: (KEY_SETTING, f"{host} does not accept the key; set {KEY_SETTING} anew"),
        403: (KEY_SETTING, f"the key in {KEY_SETTING} may not use {model} at {host}"),
    }.get(status, (BASE_URL_SETTING, strange))


def _permanent(answer: ErrorAnswer, setting: str, sentence: str) -> ProviderPermanent:
    return ProviderPermanent(
        f"{sentence} ({answer.status}){_quote(answer)}",
        setting=setting,
        status=answer.status,
        request_id=answer.request_id,
    )


def _is_about_money(answer: ErrorAnswer) -> bool:
    """By code where there is one; an empty account has none, only words."""
    text = answer.message.lower()
    return _is_billing_code(answer) or any(words in text for words in _BILLING_WORDS)


def _is_billing_code(answer: ErrorAnswer) -> bool:
    return answer.kind == "billing_error" or any(word in answer.code for word in _BILLING_CODES)


def _quote(answer: ErrorAnswer) -> str:
    """The service's own words on one line, without secrets, cut where they are long.

    Redacted before the cut: half a secret looks like none. Whatever tells of a call (channels,
    page, database) has these words from here.
    """
    words = " ".join("".join(c if c.isprintable() else " " for c in answer.message).split())
    words = redact(words)
    if len(words) > _QUOTE_LENGTH:
        words = words[:_QUOTE_LENGTH].rstrip() + "..."
    return f": {words}" if words else ""


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
