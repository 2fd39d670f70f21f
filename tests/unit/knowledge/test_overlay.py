"""Findings are units of the map by a rule, and the author's manifest is never touched."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.overlay import Overlay, make_overlay

_MAP = (
    "units:\n- {id: plain, path: memory/plain.md}\n"
    "- {id: secret, path: memory/secret.md, sensitivity: restricted}\n"
    "- {id: own, path: memory/findings/KC1/T02-2.md, audience: [human]}\n"
)


@dataclass(frozen=True)
class _Finding:
    path: str
    title: str = "Title"
    question: str = "What is it?"
    sources: tuple[str, ...] = ("plain",)


def _overlay(*findings: _Finding) -> Overlay:
    return make_overlay(findings, parse_manifest(_MAP, "knowledge.yaml"))


def test_finding_is_a_unit_that_answers_its_question() -> None:
    """For every agent whose scope covers it, untrusted because a model wrote it, and internal."""
    (unit,) = _overlay(_Finding("memory/findings/KC1/T01-1.md")).units.values()
    assert (unit.id, unit.intent, unit.audience) == ("finding-t01-1", "What is it?", ("agent",))
    assert (unit.untrusted, unit.sensitivity) == (True, "internal")


def test_unit_of_the_author_wins() -> None:
    """The finding that the map names is left to the map, its audience included."""
    overlay = _overlay(_Finding("memory/findings/KC1/T02-2.md"))
    assert overlay.units == {}
    assert overlay.shadowed == {"memory/findings/KC1/T02-2.md": "own"}


@pytest.mark.parametrize(
    ("sources", "sensitivity"),
    [((), "internal"), (("plain",), "internal"), (("plain", "secret"), "restricted"),
     (("gone",), "confidential"), (("finding-t01-1",), "restricted")],
)  # fmt: skip
def test_finding_is_as_sensitive_as_its_strictest_source(
    sources: tuple[str, ...], sensitivity: str
) -> None:
    """Also through an older finding; a source that the map has no more counts as confidential."""
    older = _Finding("memory/findings/KC1/T01-1.md", sources=("secret",))
    newer = _Finding("memory/findings/KC1/T03-3.md", sources=sources)
    units = _overlay(newer, older).units
    assert units[newer.path].sensitivity == sensitivity


def test_two_findings_of_one_name_keep_two_ids() -> None:
    """The older one keeps the id that it was cited by."""
    older, newer = _Finding("memory/findings/KC1/T01-1.md"), _Finding("memory/findings/X/T01-1.md")
    units = _overlay(newer, older).units
    assert [unit.id for unit in units.values()] == [newer.path, "finding-t01-1"]


def test_hash_changes_with_every_finding_and_with_nothing_else() -> None:
    """A stored plan names by it what the daemon had added to the map."""
    first = _Finding("memory/findings/KC1/T01-1.md")
    second = _Finding("memory/findings/KC1/T03-3.md")
    hashes = {_overlay().sha256, _overlay(first).sha256, _overlay(second, first).sha256}
    assert len(hashes) == 3
    assert _overlay(first).sha256 == _overlay(first).sha256
