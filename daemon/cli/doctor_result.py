"""What one look of the doctor comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Grade = Literal["ok", "warn", "fault"]


@dataclass(frozen=True)
class Result:
    """`check` is what was looked at; `cure` what to do, empty where there is nothing to do."""

    check: str
    grade: Grade
    message: str
    cure: str = ""


def ok(check: str, message: str) -> Result:
    return Result(check, "ok", message)


def warn(check: str, message: str, cure: str) -> Result:
    return Result(check, "warn", message, cure)


def fault(check: str, message: str, cure: str) -> Result:
    return Result(check, "fault", message, cure)
