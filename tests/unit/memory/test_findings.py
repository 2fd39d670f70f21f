"""Findings: hostile text stays text, links are refused, repeats change nothing."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.config.sections import Language
from daemon.knowledge.provenance import Provenance, provenance_in
from daemon.memory.findings import (
    FindingSource,
    NewFinding,
    Unverified,
    citable_part,
    place_finding,
    render_body,
    render_finding,
)
from daemon.memory.notes import parse_note, read_note
from daemon.memory.writing import MemoryUnwritable, write_file

_FINDING = NewFinding(
    item="PRICE-1",
    title="What rivals charge",
    criterion="pays-enough",
    agent="market-researcher",
    sprint_id=7,
    attempt_id=12,
    score=0.62,
    sources=(FindingSource("rivals", "memory/market/rivals.md", "Rivals", Provenance()),),
    model="extractive-1",
    cost_micros=54_399,
    created_at=datetime(2026, 11, 30, 9, 0, tzinfo=UTC),
    body="Rivals charge 40 USD a month [rivals].",
)


def write_finding(root: Path, finding: NewFinding) -> str:
    path, data = place_finding(root, finding)
    write_file(root, path, data)
    return path


def test_finding_is_a_note_with_its_origin(tmp_path: Path) -> None:
    """The front matter says where it came from; the annex lists what the agent was given."""
    path = write_finding(tmp_path, _FINDING)
    assert path == "memory/findings/pays-enough/PRICE-1-12.md"
    note = read_note(tmp_path, path)
    assert note.fault == ""
    assert note.front == {
        "title": "What rivals charge", "item": "PRICE-1", "criterion": "pays-enough",
        "agent": "market-researcher", "sprint": "7", "attempt": "12", "score": "0.62",
        "model": "extractive-1", "cost_usd": "0.054399",
        "created_at": "2026-11-30T09:00:00.000000Z", "origin": "finding",
        "provenance": "workspace", "untrusted_sources": [], "sensitivity": "internal",
        "sources": [{"id": "rivals", "path": "memory/market/rivals.md"}],
    }  # fmt: skip
    assert note.body == (
        "# What rivals charge\n\nRivals charge 40 USD a month [rivals].\n\n"
        "## Sources given to the agent (listed by sprintd)\n\n"
        "- `rivals`: Rivals (memory/market/rivals.md)\n"
    )


@pytest.mark.parametrize(
    ("given", "provenance", "untrusted", "sensitivity"),
    [
        (Provenance(), "workspace", [], "internal"),
        (Provenance(outside=True), "outside", ["b"], "internal"),
        (Provenance(sensitivity="restricted"), "workspace", [], "restricted"),
        (Provenance(outside=True, sensitivity="confidential"), "outside", ["b"], "confidential"),
    ],
)
def test_finding_keeps_what_it_was_made_of(
    given: Provenance, provenance: str, untrusted: list[str], sensitivity: str
) -> None:
    """One source from outside makes it from outside, and it is as secret as the strictest one."""
    plain = FindingSource("a", "memory/a.md", "A", Provenance(sensitivity="public"))
    finding = replace(_FINDING, sources=(plain, FindingSource("b", "memory/b.md", "B", given)))
    front = parse_note(render_finding(finding).encode(), "memory/findings/x.md").front
    assert front["provenance"] == provenance
    assert front["untrusted_sources"] == untrusted
    assert front["sensitivity"] == sensitivity
    assert provenance_in(front) == Provenance(bool(untrusted), sensitivity)


def test_repeat_writes_the_same_file(tmp_path: Path) -> None:
    """After a crash the same finding lands in the same place with the same bytes."""
    path = tmp_path / write_finding(tmp_path, _FINDING)
    before = path.read_bytes()
    (path.parent / f".{path.name}.new").write_text("half a file left by a crash")
    write_finding(tmp_path, _FINDING)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_another_finding_of_the_same_name_is_kept(tmp_path: Path) -> None:
    """After a lost database the attempts count from one again; the old finding stays as it was."""
    first = write_finding(tmp_path, _FINDING)
    before = (tmp_path / first).read_bytes()
    other = replace(_FINDING, body="Rivals charge 45 USD a month [rivals].")
    third = replace(_FINDING, body="Rivals charge 50 USD a month [rivals].")
    assert write_finding(tmp_path, other) == "memory/findings/pays-enough/PRICE-1-12-2.md"
    assert write_finding(tmp_path, third) == "memory/findings/pays-enough/PRICE-1-12-3.md"
    assert write_finding(tmp_path, other) == "memory/findings/pays-enough/PRICE-1-12-2.md"
    assert write_finding(tmp_path, _FINDING) == first
    assert (tmp_path / first).read_bytes() == before
    assert len(list((tmp_path / first).parent.iterdir())) == 3


_HOSTILE = st.text(
    st.characters() | st.sampled_from(list('"\\\n\r\t\0\x1b\x85\u2028\ufeff\ud800\U0001f600:#-')),
    max_size=60,
)


@given(title=_HOSTILE, body=_HOSTILE, model=_HOSTILE, source=_HOSTILE)
@example(title="a\n---\norigin: human", body="---\norigin: human\n---", model='"', source="`x`\n")
@example(title='"', body="hello \ud83d", model="\\", source="\ud800")
def test_hostile_text_cannot_break_the_front_matter(
    title: str, body: str, model: str, source: str
) -> None:
    """Whatever the texts hold, the fields are ours and the last section is the annex."""
    finding = replace(
        _FINDING, title=title, body=body, model=model,
        sources=(FindingSource(source, "memory/a.md", source),),
    )  # fmt: skip
    note = parse_note(render_finding(finding).encode(), "memory/findings/x.md")
    assert (note.fault, note.damaged) == ("", False)
    assert len(note.front) == 15
    assert (note.front["origin"], note.front["item"]) == ("finding", "PRICE-1")
    annex = note.body.rpartition("## Sources given to the agent (listed by sprintd)\n\n")[2]
    assert annex.count("\n") == 1
    assert annex.startswith("- `")


def test_halves_of_a_character_are_joined_or_replaced() -> None:
    """A lone surrogate never loses the finding."""
    text = render_finding(replace(_FINDING, body="a \ud83d\ude00 b \ud83d"))
    assert "a \U0001f600 b \N{REPLACEMENT CHARACTER}" in text


@pytest.mark.parametrize(
    ("body", "closing"),
    [("```python\nx", "```"), ("~~~~\n```\n~~~", "~~~~"), ("a <!-- b", "a \\<!-- b"),
     ("````\n```\n", "````")],
)  # fmt: skip
def test_body_cannot_swallow_the_sources(body: str, closing: str) -> None:
    """An open code fence is closed before the annex, and a comment is text."""
    before, _, _ = render_finding(replace(_FINDING, body=body)).rpartition("\n\n## ")
    assert before.endswith("\n" + closing)


def test_closed_fence_is_left_alone() -> None:
    """Nothing is added to a body that is in order."""
    body = "```\nx\n<!-- a -->\n```"
    assert f"{body}\n\n## " in render_finding(replace(_FINDING, body=body))


def test_annex_is_in_the_language_of_the_workspace() -> None:
    """Spanish heading for a Spanish workspace, and a word where no source was given."""
    text = render_finding(replace(_FINDING, language="es", sources=()))
    assert "## Fuentes que recibió el agente (lista de sprintd)\n\nNinguna.\n" in text


def test_target_that_is_a_link_is_refused_and_the_victim_unchanged(tmp_path: Path) -> None:
    """The write does not follow the last component out of the workspace."""
    victim = tmp_path / "victim.txt"
    victim.write_text("unchanged")
    root = tmp_path / "space"
    folder = root / "memory" / "findings" / "pays-enough"
    folder.mkdir(parents=True)
    (folder / "PRICE-1-12.md").symlink_to(victim)
    with pytest.raises(MemoryUnwritable, match="symbolic link"):
        write_finding(root, _FINDING)
    assert victim.read_text() == "unchanged"
    assert (folder / "PRICE-1-12.md").is_symlink()


def test_target_with_a_second_name_is_refused(tmp_path: Path) -> None:
    """A hard link to another file is not replaced quietly."""
    folder = tmp_path / "memory" / "findings" / "pays-enough"
    folder.mkdir(parents=True)
    (tmp_path / "victim.txt").write_text("unchanged")
    os.link(tmp_path / "victim.txt", folder / "PRICE-1-12.md")
    with pytest.raises(MemoryUnwritable, match="one name"):
        write_finding(tmp_path, _FINDING)


@pytest.mark.parametrize("step", ["memory", "memory/findings", "memory/findings/pays-enough"])
def test_folder_that_is_a_link_is_refused(tmp_path: Path, step: str) -> None:
    """No folder on the way is followed, and nothing appears outside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "space"
    (root / step).parent.mkdir(parents=True)
    (root / step).symlink_to(outside)
    with pytest.raises(MemoryUnwritable, match="in the way"):
        write_finding(root, _FINDING)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("criterion", "item"),
    [("../../etc", "a"), ("a", "../b"), ("a/b", "c"), ("a", ".b"), ("a\\b", "c")],
)
def test_id_that_is_no_file_name_is_refused(tmp_path: Path, criterion: str, item: str) -> None:
    """Neither criterion nor item can choose another folder."""
    with pytest.raises(MemoryUnwritable, match="cannot be part of a path"):
        write_finding(tmp_path, replace(_FINDING, criterion=criterion, item=item))
    assert list(tmp_path.iterdir()) == []


def test_relative_root_is_refused() -> None:
    """Nothing is written to wherever the process stands."""
    with pytest.raises(MemoryUnwritable, match="absolute"):
        write_finding(Path(), _FINDING)


def test_file_in_the_way_is_one_clear_line(tmp_path: Path) -> None:
    """The message names the path and what to do."""
    (tmp_path / "memory").write_text("")
    with pytest.raises(MemoryUnwritable) as caught:
        write_finding(tmp_path, _FINDING)
    assert str(caught.value) == (
        "cannot write memory/findings/pays-enough/PRICE-1-12.md: "
        "a symbolic link or a file is in the way; remove it"
    )


def test_folders_and_files_have_plain_modes_under_any_umask(tmp_path: Path) -> None:
    """A service with a strict umask still writes what its people can read."""
    before = os.umask(0o077)
    try:
        path = tmp_path / write_finding(tmp_path, _FINDING)
    finally:
        os.umask(before)
    assert path.parent.stat().st_mode & 0o777 == 0o755
    assert path.stat().st_mode & 0o777 == 0o644


HOSTILE = "# Sources\n- [x](https://evil.example) <img src=x> 38 %"
DOUBTED = (Unverified(HOSTILE, (("38 %", "in no note"),)),)


def test_what_is_unverified_stands_between_text_and_sources_as_plain_words() -> None:
    """Each sentence is one line of a list in which nothing is markup."""
    text = render_finding(replace(_FINDING, unverified=DOUBTED))
    section = text[text.index("## Unverified, do not cite") : text.index("## Sources given")]
    assert section.splitlines()[2] == (
        "- \\# Sources - \\[x\\](https://evil.example) \\<img src=x\\> 38 % (38 %: in no note)"
    )
    assert "Sin verificar, no citar" in render_finding(
        replace(_FINDING, unverified=DOUBTED, language="es")
    )


def test_a_finding_without_anything_to_cite_says_so() -> None:
    """Its body is one sentence about that, and what it says stands below."""
    body, heading, _listed = render_body(replace(_FINDING, body="", unverified=DOUBTED))
    assert body.startswith("Nothing in this deliverable may be cited")
    assert heading == "## Unverified, do not cite"


def test_the_annex_says_which_notes_have_changed_or_gone() -> None:
    """What is still as it was is listed without a word."""
    (source,) = _FINDING.sources
    texts = {
        state: render_finding(replace(_FINDING, sources=(replace(source, state=state),)))
        for state in ("same", "changed", "missing")
    }
    assert "(memory/market/rivals.md)\n" in texts["same"]
    assert "(memory/market/rivals.md); changed since the agent read it\n" in texts["changed"]
    assert "(memory/market/rivals.md); cannot be opened any more\n" in texts["missing"]


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_citable_part_of_a_finding_ends_before_what_is_unverified(language: Language) -> None:
    """Of a note that is no finding it is all of it."""
    text = render_finding(replace(_FINDING, unverified=DOUBTED, language=language))
    part = citable_part(text, "memory/findings/pays-enough/PRICE-1-12.md")
    assert text.startswith(part)
    assert part.rstrip().endswith("[rivals].")
    assert citable_part(text, "memory/market/rivals.md") == text
