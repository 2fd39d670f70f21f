"""A verdict in sentences: how each test stands, on what, what was not counted, what would move it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daemon.config.phrases import Phrases
from daemon.governance.kill_criteria import CriterionVerdict, JudgedTest
from daemon.governance.kill_criteria_evidence import Counted
from daemon.governance.review_change import Change, ChangedTest
from daemon.reports.plain_text import one_line
from daemon.workspace.criterion_tests import Sign

_MOST_EVIDENCE = 4
_OTHERWISE: dict[Sign, str] = {">=": "<", ">": "<=", "<=": ">", "<": ">=", "=": "≠"}
_MOST_IDS = 3


def state_lines(verdict: CriterionVerdict, phrases: Phrases) -> Iterator[str]:
    """Why the verdict is what it is: a line for each test that something counts for, then the others
    in one line, then what was seen and not counted."""
    say = phrases.text
    if not verdict.tests:
        yield say("review.no_tests")
        return
    for one in verdict.tests:
        if one.state != "open":
            yield _state(one, verdict, phrases)
    silent = [one.test.id for one in verdict.tests if one.state == "open"]
    if silent:
        yield say("review.open", tests=", ".join(silent))
    copied = [f"{path} = {of}" for one in verdict.tests for path, of in one.copies]
    if copied:
        yield say("review.copies", copies=", ".join(_first(copied, _MOST_IDS)))
    edited = {e.path: e.item for one in verdict.tests for e, why in one.missed if why == "edited"}
    if edited:
        items = " ".join(sorted(set(edited.values())))
        yield say("review.edited", paths=", ".join(sorted(edited)), items=items)
    reasons = list(_seen(verdict.tests, phrases))
    if reasons:
        yield say("review.seen", reasons="; ".join(reasons))


def move_lines(verdict: CriterionVerdict, phrases: Phrases) -> list[str]:
    """What evidence would move each test; those that stand in the way of a GO come first."""
    if not verdict.tests:
        return [phrases.text("review.move_none")]
    order = ("contradicted", "void", "against", "unguarded", "too_few", "between", "open", "for")
    tests = sorted(verdict.tests, key=lambda one: order.index(one.state))
    lines: dict[str, list[str]] = {}  # open tests that need the same evidence share a line
    for one in tests:
        if one.state == "open":
            wanted = f"{one.test.id} {_wanted(one, phrases)}"
            lines.setdefault(_needs(one, phrases), []).append(wanted)
        elif move := _move(one, verdict, phrases):
            lines.setdefault(move, [])
    say = phrases.text
    return [
        say("review.move_open", needs=line, tests="; ".join(tests)) if tests else line
        for line, tests in lines.items()
    ]


def change_lines(verdict: CriterionVerdict, change: Change, phrases: Phrases) -> list[str]:
    """What is different from the review before, and which evidence did it."""
    say = phrases.text
    if change.before is None:
        return [say("review.change_first")]
    lines = []
    if change.before != verdict.outcome:
        before = say(f"review.verdict_{change.before}")
        lines.append(say("review.change_verdict", before=before))
    for test in change.tests:
        lines += _test_change(test, phrases)
    if change.gone:
        lines.append(say("review.change_gone", tests=", ".join(change.gone)))
    return lines or [say("review.change_none")]


def confidence_text(hundredths: int) -> str:
    return f"{hundredths / 100:.2f}"


def _state(one: JudgedTest, verdict: CriterionVerdict, phrases: Phrases) -> str:
    say, name = phrases.text, one.test.id
    evidence = "; ".join(
        _evidence(counted, one, phrases) for counted in _sides_first(one.counted)[:_MOST_EVIDENCE]
    )
    if len(one.counted) > _MOST_EVIDENCE:
        evidence += f"; +{len(one.counted) - _MOST_EVIDENCE}"
    if one.state == "too_few":
        have, needed = f"{(one.halves or 0) / 2:g}", one.test.needs.sources
        return say("review.state_too_few", test=name, have=have, needed=needed, evidence=evidence)
    if one.state == "unguarded":
        guards = ", ".join(_open_guards(one, verdict))
        return say("review.state_unguarded", test=name, guards=guards, evidence=evidence)
    return say(f"review.state_{one.state}", test=name, evidence=evidence)


def _sides_first(counted: Sequence[Counted]) -> list[Counted]:
    """The first of each side, then the others: whoever reads of a contradiction sees both of its sides."""
    sides = [one.side for one in counted]
    first = [one for at, one in enumerate(counted) if one.side not in sides[:at]]
    return [*first, *(one for one in counted if one not in first)]


def _evidence(one: Counted, judged: JudgedTest, phrases: Phrases) -> str:
    """The figure, and the first of its sources by name."""
    say, source = phrases.text, one.sources[0]
    if one.evidence.figure is None:
        figure = say("review.evidence_for" if one.side == "for" else "review.evidence_against")
    else:
        figure = f"{one.evidence.figure.normalize():f} {_unit(judged)}".strip()
    named = one_line(source.id)
    if source.state == "named":
        named = say("review.evidence_only_named", source=named)
    more = f" +{len(one.sources) - 1}" if len(one.sources) > 1 else ""
    told = say(
        "review.evidence",
        figure=figure,
        id=one.evidence.id,
        on=source.dated_on,
        source=named + more,
    )
    return told if one.evidence.examined else say("review.evidence_unexamined", evidence=told)


def _unit(judged: JudgedTest) -> str:
    looks = judged.test.looks
    unit = looks.unit[0] if looks.unit else ""
    return f"/ {looks.of} {unit}" if looks.of else unit


def _seen(tests: Sequence[JudgedTest], phrases: Phrases) -> Iterator[str]:
    """How many sentences were not counted for which reason, the most frequent reason first."""
    by_reason: dict[str, list[str]] = {}
    for one in tests:
        for evidence, why in one.missed:
            by_reason.setdefault(why, []).append(evidence.id)
    for name, ids in sorted(by_reason.items(), key=_by_weight):
        known = list(dict.fromkeys(ids))
        shown = ", ".join(_first(known, _MOST_IDS))
        reason = phrases.text(f"review.missed_{name}")
        yield phrases.text("review.seen_reason", count=len(known), reason=reason, ids=shown)


def _first(texts: Sequence[str], most: int) -> list[str]:
    """So many of them, each once, and a sign that there are more."""
    known = list(dict.fromkeys(texts))
    return [*known[:most], *(["..."] if len(known) > most else [])]


def _by_weight(reason: tuple[str, list[str]]) -> tuple[bool, int, str]:
    """Where not even a figure stands, there was the least to count."""
    name, ids = reason
    return name == "no_figure", -len(ids), name


def _move(one: JudgedTest, verdict: CriterionVerdict, phrases: Phrases) -> str:
    """Empty where nothing that could be found would move it."""
    say, name = phrases.text, one.test.id
    if one.state == "too_few":
        missing = _sources(-(-(2 * one.test.needs.sources - (one.halves or 0)) // 2), phrases)
        return say("review.move_too_few", test=name, missing=missing)
    if one.state == "unguarded":
        guards = ", ".join(_open_guards(one, verdict))
        return say("review.move_unguarded", test=name, guards=guards)
    if one.state == "contradicted":
        return say("review.move_contradicted", test=name)
    wanted = _wanted(one, phrases)
    return say(f"review.move_{one.state}", test=name, wanted=wanted) if wanted else ""


def _wanted(one: JudgedTest, phrases: Phrases) -> str:
    """The figures, or the statement, that would move the test from where it stands."""
    say, test = phrases.text, one.test
    if test.go is None:
        if one.state == "open":
            return say("review.wanted_statement")
        return say("review.wanted_opposite") if test.refutes else ""
    go = f"{test.go} {_unit(one)}".strip()
    if one.state == "for":
        turned = (
            f"{_OTHERWISE[test.go.sign]} {test.go.value:,}"  # also between: two sides contradict
        )
        return f"{turned} {_unit(one)}".strip()
    if one.state == "against" or test.no_go is None:
        return say("review.wanted_go", go=go)
    return say("review.wanted_both", go=go, no_go=f"{test.no_go} {_unit(one)}".strip())


def _needs(one: JudgedTest, phrases: Phrases) -> str:
    needs = one.test.needs
    said = phrases.text(
        "review.needs",
        sources=_sources(needs.sources, phrases),
        days=needs.max_age_days,
        confidence=f"{needs.confidence:g}",
    )
    if not needs.places:
        return said
    return phrases.text("review.needs_from", needs=said, places=", ".join(needs.places))


def _sources(count: int, phrases: Phrases) -> str:
    return phrases.text("review.sources", count=count)


def _open_guards(one: JudgedTest, verdict: CriterionVerdict) -> list[str]:
    settled = ("for", "against", "between")
    return [
        other.test.id
        for other in verdict.tests
        if other.test.void
        and other.test.id != one.test.id
        and other.state not in settled
        and (not other.test.guards or one.test.id in other.test.guards)
    ]


def _test_change(test: ChangedTest, phrases: Phrases) -> list[str]:
    say = phrases.text
    now = say(f"review.word_{test.now}")
    lines = []
    if test.before is None:
        lines.append(say("review.change_test_new", test=test.test, now=now))
    elif test.before != test.now:
        before = say(f"review.word_{test.before}")
        lines.append(say("review.change_test", test=test.test, before=before, now=now))
    if test.came:
        lines.append(say("review.change_came", ids=", ".join(test.came[:_MOST_IDS])))
    if test.went:
        lines.append(say("review.change_went", ids=", ".join(test.went[:_MOST_IDS])))
    return lines
