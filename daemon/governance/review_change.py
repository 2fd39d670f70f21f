"""What changed in a verdict since the review before, and which evidence did it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from daemon.governance.kill_criteria import CriterionVerdict, JudgedTest, TestState


@dataclass(frozen=True)
class ChangedTest:
    """`before` is None for a test that was not there. `came` and `went` are ids of evidence that
    counts now and did not, and the other way round."""

    test: str
    before: str | None
    now: TestState
    came: tuple[str, ...]
    went: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """`before` is the outcome of the review before, None for the first one of a criterion."""

    before: str | None
    tests: tuple[ChangedTest, ...] = ()
    gone: tuple[str, ...] = ()  # tests that were there and are not any more


def snapshot(verdict: CriterionVerdict) -> dict[str, Any]:
    """What `change_since` needs of a verdict, as JSON can hold it."""
    return {
        "outcome": verdict.outcome,
        "tests": {
            one.test.id: {"state": one.state, "counted": _counted(one)} for one in verdict.tests
        },
    }


def change_since(before: Mapping[str, Any] | None, verdict: CriterionVerdict) -> Change:
    """Every test that stands elsewhere or rests on something else than in the snapshot `before`;
    None: there is none. One that does not have the form of a snapshot is none either."""
    known = _tests_of(before)
    if before is None or known is None:
        return Change(None)
    changes = [_test_change(known.get(one.test.id), one) for one in verdict.tests]
    now = {one.test.id for one in verdict.tests}
    return Change(
        str(before.get("outcome", "")),
        tuple(filter(None, changes)),
        tuple(sorted(set(known) - now)),
    )


def _tests_of(before: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    tests = before.get("tests") if before else None
    if not isinstance(tests, dict):
        return None
    whole = all(
        isinstance(one, dict) and isinstance(one.get("counted"), list) and "state" in one
        for one in tests.values()
    )
    return tests if whole else None


def _test_change(before: Mapping[str, Any] | None, now: JudgedTest) -> ChangedTest | None:
    counted = _counted(now)
    earlier = list(before["counted"]) if before else []
    came = tuple(one for one in counted if one not in earlier)
    went = tuple(one for one in earlier if one not in counted)
    state = str(before["state"]) if before else None
    if state == now.state and not came and not went:
        return None
    return ChangedTest(now.test.id, state, now.state, came, went)


def _counted(verdict: JudgedTest) -> list[str]:
    return list(dict.fromkeys(one.evidence.id for one in verdict.counted))
