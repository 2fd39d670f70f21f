"""One frozen, strict class per section of config.toml; config.example.toml documents every key."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from daemon.config.addresses import is_this_machine
from daemon.config.times import DailyTime, WeeklyTime

Language = Literal["en", "es"]
Tier = Literal["reasoning", "routine"]
ProviderName = Literal["auto", "claude", "extractive", "replay"]
Usd = Annotated[Decimal, Field(ge=0, le=1_000_000, allow_inf_nan=False)]

MICROS_PER_USD = 1_000_000


class Section(BaseModel):
    """Strict (no silent conversion), frozen, and closed to unknown keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class DaemonSection(Section):
    """What the daemon is called and which language people and agents use."""

    name: Annotated[str, Field(min_length=1, max_length=80)] = "sprintd"
    language: Language = "en"
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["text", "json"] = "text"
    stop_grace_seconds: Annotated[int, Field(ge=0, le=600)] = 20


class BudgetSection(Section):
    """Hard limits on money. A cap of 0 is a cap of zero: every priced call is refused."""

    daily_cap_usd: Usd = Decimal(20)
    warn_at_percent: Annotated[int, Field(ge=1, le=100)] = 80

    @property
    def daily_cap_micros(self) -> int:
        """The cap in micro-dollars, rounded down so that it is never exceeded."""
        return int(self.daily_cap_usd * MICROS_PER_USD)


class ApprovalsSection(Section):
    """How long people have to answer, and what may be asked for by itself."""

    expire_hours: Annotated[int, Field(ge=1, le=720)] = 24
    raise_cap_usd: Usd = Decimal(5)

    @property
    def raise_cap_micros(self) -> int:
        """By how much a day's cap would be raised, in micro-dollars; 0: nobody is asked."""
        return int(self.raise_cap_usd * MICROS_PER_USD)


class ProviderSection(Section):
    """Which door to a model is used, and how long a call may take."""

    kind: ProviderName = "auto"
    base_url: str = ""
    reasoning_model: Annotated[str, Field(min_length=1)] = "claude-sonnet-5-5"
    routine_model: Annotated[str, Field(min_length=1)] = "claude-haiku-5-5"
    call_deadline_seconds: Annotated[int, Field(ge=5, le=3600)] = 300
    max_tries: Annotated[int, Field(ge=1, le=10)] = 4
    replay_dir: str = ""
    record: bool = False

    @field_validator("base_url")
    @classmethod
    def _check_base_url(cls, value: str) -> str:
        fault = _base_url_fault(value)
        if fault:
            raise ValueError(fault)
        return value


class SprintSection(Section):
    """How often sprints run and how much an agent reads."""

    interval_minutes: Annotated[int, Field(ge=1, le=1440)] = 15
    tracks: Annotated[int, Field(ge=1, le=10)] = 2
    max_attempts: Annotated[int, Field(ge=1, le=10)] = 3
    context_ceiling_tokens: Annotated[int, Field(ge=500, le=900_000)] = 12_000
    max_units: Annotated[int, Field(ge=1, le=500)] = 24
    failures_before_diagnosis: Annotated[int, Field(ge=1, le=20)] = 3


class DigestSection(Section):
    """The hourly digest; silent when nothing happened."""

    minute: Annotated[int, Field(ge=0, le=59)] = 0
    after_first_sprint: bool = True


class JobsSection(Section):
    """When the jobs beside sprint and digest run, always in UTC, and how long one may take."""

    daily_report: DailyTime = "13:00"
    review: WeeklyTime = "mon 14:00"
    consolidation: WeeklyTime = "sun 06:00"
    approvals_every_minutes: Annotated[int, Field(ge=1, le=1440)] = 15
    day_close: DailyTime = "00:00"
    silence_alarm: DailyTime = "08:00"
    deadline_minutes: Annotated[int, Field(ge=1, le=1440)] = 10


class MemorySection(Section):
    """Which notes are merged every week, into which documents, and how large these may grow."""

    folders: tuple[str, ...] = ("memory/findings/",)
    keep_days: Annotated[int, Field(ge=0, le=3650)] = 7
    documents: tuple[str, ...] = (
        "market-research: *",
        "technical-findings: corpus-engineer, product-architect",
        "funding-intelligence: grant-writer",
        "compliance-analysis: compliance-specialist, legal-domain-expert",
    )
    document_tokens: Annotated[int, Field(ge=500, le=200_000)] = 4000
    order_by_model: bool = True

    @field_validator("folders")
    @classmethod
    def _check_folders(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for folder in value:
            if not re.fullmatch(r"memory/(?!consolidated/|archive/)(?:[^/.\\*][^/\\*]*/)+", folder):
                raise ValueError(f"expects folders such as memory/findings/, not {folder[:80]!r}")
        return value

    @field_validator("documents")
    @classmethod
    def _check_documents(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            if not re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z0-9]+){0,8}:[^:]*[^:\s][^:]*", one):
                raise ValueError(
                    f"expects NAME: and what goes there, as in 'prices: KC3', not {one[:80]!r}"
                )
        names = [one.partition(":")[0] for one in value]
        if not names or len(set(names)) < len(names):
            raise ValueError("expects at least one document, and each name once")
        return value

    @property
    def shelves(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The name of each document, and the criteria, agents and folders that go there."""
        pairs = (one.partition(":") for one in self.documents)
        return tuple((name, tuple(map(str.strip, rest.split(",")))) for name, _, rest in pairs)


class ReportsSection(Section):
    """Whether a model may put days and reviews in words, and how long reports stay as files.

    In the database they stay.
    """

    summary_by_model: bool = True
    keep_days: Annotated[int, Field(ge=0, le=36_500)] = 400


class SlackSection(Section):
    """Where messages are posted; used where both a channel and the secret slack_bot_token are.

    Who may press there, and how that comes in: `socket` with the secret slack_app_token, `http` with
    the secret slack_signing_secret.
    """

    channel: str = ""
    base_url: str = ""
    public: bool = False
    deciders: tuple[str, ...] = ()
    mode: Literal["socket", "http"] = "socket"

    @field_validator("channel")
    @classmethod
    def _check_channel(cls, value: str) -> str:
        if value and not re.fullmatch(r"[CGD][A-Z0-9]{2,30}", value):
            raise ValueError("expects the id of a channel such as C0123456789, not its name")
        return value

    @field_validator("deciders")
    @classmethod
    def _check_deciders(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for user in value:
            if not re.fullmatch(r"[UW][A-Z0-9]{2,30}", user):
                raise ValueError(f"expects ids of people such as U0123456789, not {user[:80]!r}")
        return value

    @field_validator("base_url")
    @classmethod
    def _check_base_url(cls, value: str) -> str:
        return _safe_address(value)


class NotionSection(Section):
    """How pages are written; used where the secret notion_token is and setup made its places."""

    findings_data_source: str = ""
    base_url: str = ""
    public: bool = False

    @field_validator("findings_data_source")
    @classmethod
    def _check_data_source(cls, value: str) -> str:
        if value and not re.fullmatch(r"[0-9a-fA-F]{32}", value.replace("-", "")):
            raise ValueError("expects the id of a data source: 32 hexadecimal digits")
        return value

    @field_validator("base_url")
    @classmethod
    def _check_base_url(cls, value: str) -> str:
        return _safe_address(value)


class WebSection(Section):
    """Where the page, /health and /reset-failures listen."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8642
    allowed_hosts: tuple[str, ...] = ()
    stale_after_seconds: Annotated[int, Field(ge=5, le=86_400)] = 120
    public: bool = False
    address: str = ""

    @field_validator("address")
    @classmethod
    def _check_address(cls, value: str) -> str:
        fault = _page_fault(value)
        if fault:
            raise ValueError(fault)
        return value.rstrip("/")

    @property
    def page_address(self) -> str:
        """Where links to the page lead, without a slash at the end; empty where no port is known."""
        if self.address or not self.port:
            return self.address
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


class Config(Section):
    """The whole of config.toml; a missing section has its defaults."""

    daemon: DaemonSection = DaemonSection()
    budget: BudgetSection = BudgetSection()
    approvals: ApprovalsSection = ApprovalsSection()
    provider: ProviderSection = ProviderSection()
    sprint: SprintSection = SprintSection()
    digest: DigestSection = DigestSection()
    jobs: JobsSection = JobsSection()
    memory: MemorySection = MemorySection()
    reports: ReportsSection = ReportsSection()
    slack: SlackSection = SlackSection()
    notion: NotionSection = NotionSection()
    web: WebSection = WebSection()


def _safe_address(value: str) -> str:
    """An address that a token may be sent to: encrypted, or on this machine."""
    fault = _base_url_fault(value)
    if fault:
        raise ValueError(fault)
    url = urlsplit(value)
    if value and url.scheme != "https" and not is_this_machine(url.hostname or ""):
        raise ValueError("must begin with https:// unless it is on this machine")
    return value


def _page_fault(value: str) -> str:
    """What is wrong with the page's own address, or nothing."""
    if value and not re.fullmatch(r"https?://[A-Za-z0-9.\-\[\]:]+(/[A-Za-z0-9._~\-/]*)?", value):
        return "expects the page's address such as https://sprintd.example.com, without ? and #"
    return ""


def _base_url_fault(value: str) -> str:
    """What is wrong with an address for the provider, or nothing; the SDK adds /v1 by itself."""
    if not value:
        return ""
    try:
        url = urlsplit(value)
    except ValueError:
        return "expects an address such as http://127.0.0.1:8080"
    if url.scheme not in ("http", "https") or not url.hostname or value != value.strip():
        return "expects an address such as http://127.0.0.1:8080"
    if url.username or url.password:
        return "must not hold a user name or password"
    if url.query or url.fragment:
        return "must end with the host or a path, without ? and #"
    if url.path.rstrip("/").endswith("/v1"):
        return "must not end with /v1, which is added for every call"
    return ""
