"""The doctor's look at what people set: files, keys, prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from daemon.bootstrap import state_dir_of
from daemon.cli.doctor_result import Result, fault, ok, warn
from daemon.cli.inspection import Inspection
from daemon.config.phrases import Phrases
from daemon.config.secrets import find_secret
from daemon.config.sections import Config
from daemon.errors import SprintdError
from daemon.llm.choosing import API_KEY, provider_in_use
from daemon.llm.prices import UnknownPrice, load_prices
from daemon.notify.senders import (
    NOTION_TOKEN,
    SLACK_APP_TOKEN,
    SLACK_SIGNING_SECRET,
    SLACK_TOKEN,
)
from daemon.reports.mute import find_mute, mute_cure, mute_text
from daemon.store.database import Database

_ENGLISH = Phrases("en")
_PUT_IT = "put it into /etc/sprintd for systemd, or into state/secrets with mode 0600"


@dataclass(frozen=True)
class Place:
    """A workspace and the environment that it is looked at from.

    `health` is what the daemon that runs here says of itself, or why it does not answer; None where
    none runs. `is_sound` is False where config.toml has faults; `config` has the defaults then.
    """

    root: Path
    config: Config
    environ: Mapping[str, str]
    health: Mapping[str, Any] | str | None
    is_sound: bool = True

    def told(self, key: str) -> Any:
        """A key of the daemon's answer, or None."""
        return self.health.get(key) if isinstance(self.health, Mapping) else None


def check_files(inspection: Inspection) -> Result:
    """The workspace's files; what the other checks say themselves is left to them."""
    faults = [one for one in inspection.faults if not one.key.startswith("provider.")]
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        return fault("files", f"{faults[0]}{more}", "sprintd check lists all of them")
    if inspection.warnings:
        message = f"{len(inspection.warnings)} warnings; the first: {inspection.warnings[0]}"
        return warn("files", message, "sprintd check lists all of them")
    return ok("files", "config.toml, backlog, agents, map and rules are sound")


def check_provider(place: Place) -> tuple[str, Result]:
    """The kind of provider that a start from here would use, and what there is to say of its key.

    A key that systemd loads is seen by the service alone, so a running daemon's word counts more.
    """
    section = place.config.provider
    running = str(place.told("provider") or "")
    try:
        kind: str = provider_in_use(place.root, section, place.environ)
    except SprintdError as error:
        if running.startswith("claude"):
            return "claude", _seen_by_the_daemon(API_KEY, running)
        return "", fault(f"key {API_KEY}", str(error), _PUT_IT)
    if kind == "claude":
        return kind, ok(f"key {API_KEY}", "is there, or not asked for by the server in base_url")
    if running.startswith("claude"):
        return "claude", _seen_by_the_daemon(API_KEY, running)
    if kind == "extractive" and section.kind == "auto":
        message = "there is none here, so the offline writer would work"
        return kind, warn(f"key {API_KEY}", message, f"{_PUT_IT}, unless that is what you want")
    return kind, ok(f"key {API_KEY}", f"is not needed by {kind}")


def check_tokens(place: Place) -> Iterator[Result]:
    """The tokens of the channels that are configured."""
    if not place.is_sound:
        message = "were not looked at, for config.toml, which names the channels, has faults"
        yield warn("tokens", message, "mend the files, then run this again")
        return
    yield _check_token(place, SLACK_TOKEN, "slack", "slack.channel", place.config.slack.channel)
    if place.config.slack.channel:
        yield _check_way_in(place)
    target = place.config.notion.findings_data_source
    yield _check_token(place, NOTION_TOKEN, "notion", "notion.findings_data_source", target)


def check_prices(place: Place, kind: str, today: date) -> Iterator[Result]:
    """Whether each configured model has a price today."""
    if kind == "extractive":
        yield ok("prices", "the offline writer costs nothing")
        return
    section = place.config.provider
    try:
        prices = load_prices(place.root)
    except SprintdError as error:
        yield fault("prices", str(error).partition("\n")[0], "until then every call is refused")
        return
    for model in sorted({section.reasoning_model, section.routine_model}):
        try:
            prices.price_list(model, today)
        except UnknownPrice as error:
            yield fault("prices", str(error), "until then every call of this model is refused")
        else:
            yield ok("prices", f"{model} has one today")


def check_hidden(place: Place) -> Iterator[Result]:
    """The services that cannot be asked from here, for only the running daemon has the token."""
    for channel, name in (("slack", SLACK_TOKEN), ("notion", NOTION_TOKEN)):
        known = channel in (place.told("delivery") or {}).get("channels", ())
        if known and not has_secret(place, name):
            message = f"was not asked: only the running daemon has {name}"
            yield ok(channel, f"{message}; docs/{channel}.md says how to let the doctor see it")


def check_mute(db: Database, place: Place) -> Iterator[Result]:
    """Messages that wait for a channel without a way out; that its token is missing is told elsewhere."""
    told = (place.told("delivery") or {}).get("channels")
    tokens = {"slack": SLACK_TOKEN, "notion": NOTION_TOKEN}
    seen = [name for name, secret in tokens.items() if has_secret(place, secret)]
    if not place.config.slack.channel and "slack" in seen:
        seen.remove("slack")
    for mute in find_mute(db, place.config, seen if told is None else told):
        if mute.waiting:
            yield warn("outbox", mute_text(mute, _ENGLISH), mute_cure(mute, _ENGLISH))


def has_secret(place: Place, name: str) -> bool:
    """Whether a secret is seen from here and can be used."""
    try:
        return bool(find_secret(name, environ=place.environ, state_dir=state_dir_of(place.root)))
    except SprintdError:
        return False


def _check_way_in(place: Place) -> Result:
    """Whether anybody can press a button in Slack."""
    check, section = "buttons in Slack", place.config.slack
    name = SLACK_APP_TOKEN if section.mode == "socket" else SLACK_SIGNING_SECRET
    try:
        found = find_secret(name, environ=place.environ, state_dir=state_dir_of(place.root))
    except SprintdError as error:
        return fault(check, str(error), "until then nothing comes in")
    told = place.told("inbox") or {}
    if not found and not told.get("way"):
        message = f"do nothing: there is no {name} here, which slack.mode = {section.mode!r} needs"
        return warn(check, message, _PUT_IT)
    if not section.deciders:
        cure = "name the ids of those who may decide, such as U0123456789"
        return warn(check, "decide nothing: slack.deciders is empty", cure)
    if told.get("problem"):
        cure = "it tries again by itself; docs/slack.md says what each word of Slack means"
        return warn(check, f"do nothing now: {told['problem']}", cure)
    number = len(section.deciders)
    who = "1 person" if number == 1 else f"{number} people"
    return ok(check, f"can be pressed by {who}, through {section.mode}")


def _check_token(place: Place, name: str, channel: str, setting: str, target: str) -> Result:
    check = f"key {name}"
    try:
        found = find_secret(name, environ=place.environ, state_dir=state_dir_of(place.root))
    except SprintdError as error:
        return fault(check, str(error), "until then nothing is posted there")
    if not target and found and channel == "notion":
        return ok(check, "is there, for the databases of sprintd notion setup")
    unused = f"{setting} is empty" if channel == "slack" else "nothing is kept in Notion"
    if not target:
        return ok(check, f"is not needed: {unused}")
    if found:
        return ok(check, f"is there, for {setting}")
    if channel in (place.told("delivery") or {}).get("channels", ()):
        return _seen_by_the_daemon(name, channel)
    return fault(check, f"{setting} is set, but there is no {name} here", _PUT_IT)


def _seen_by_the_daemon(name: str, what: str) -> Result:
    return ok(f"key {name}", f"is not seen from here, but the running daemon has it ({what})")
