"""Agents and playbooks: one Markdown file each, named like its id."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.workspace.agents import load_agents, load_playbooks
from tests.unit.workspace.small_workspace import edit, write, write_workspace


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "message"),
    [
        ("id: ada", "id: eve", 2, "id", "eve is not the file's name"),
        ("id: ada", "id: 'a b'", 2, "id", "not a well-formed id"),
        ("id: ada", "id: ../ada", 2, "id", "not a well-formed id"),
        ("name: Ada", "name: '  '", 3, "name", "is empty"),
        ("tier: routine", "teir: routine", 4, "teir", "unknown key"),
        ("max_output_tokens: 2000", "max_output_tokens: 0", 7, "max_output_tokens", "at least 100"),
        ("teams: [growth]", "teams: growth", 5, "teams", "expects a list, found 'growth'"),
        ("notes/*.md", "../notes", 6, "reads[1]", "'../notes' leaves its folder"),
        ("notes/*.md", "/etc", 6, "reads[1]", "is absolute"),
        ("notes/*.md", "notes\\x", 6, "reads[1]", "backslash"),
        ("notes/*.md", '""', 6, "reads[1]", "is empty"),
        ("notes/*.md", "cafe\u0301/", 6, "reads[1]", "NFC"),
        ("notes/*.md", "a//b", 6, "reads[1]", "empty component"),
        ("notes/*.md", "state/", 6, "reads[1]", "private to the daemon"),
        ("notes/*.md", "State/secrets/x", 6, "reads[1]", "private to the daemon"),
    ],
)
def test_a_faulty_key_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, key: str, message: str
) -> None:
    """Ids, types, limits and reading scopes are checked; the other agent still loads."""
    root = write_workspace(tmp_path)
    edit(root, "agents/ada.md", old, new)
    parsed = load_agents(root)
    assert [agent.id for agent in parsed.nouns] == ["ben"]
    by_key = {fault.key: fault for fault in parsed.faults}
    assert by_key[key].line == line
    assert message in by_key[key].message


def test_an_agent_without_instructions_is_a_fault(tmp_path: Path) -> None:
    """Front matter alone asks a model for nothing."""
    root = write_workspace(tmp_path)
    edit(
        root,
        "agents/ada.md",
        "Answer the question with figures and say where each one comes from.",
        "",
    )
    (fault,) = load_agents(root).faults
    assert "has no instructions" in fault.message


def test_readme_hidden_and_other_files_define_nothing(tmp_path: Path) -> None:
    """Editors and authors may leave such files beside the agents."""
    root = write_workspace(tmp_path)
    for name in ("README.md", ".ada.md", "ada.md~", "notes.txt"):
        write(root, f"agents/{name}", "anything")
    assert [agent.id for agent in load_agents(root).nouns] == ["ada", "ben"]
    assert load_agents(root).faults == ()


def test_a_pipe_or_folder_in_place_of_an_agent_is_a_fault(tmp_path: Path) -> None:
    """A pipe would otherwise hold the daemon up for ever."""
    import os

    root = write_workspace(tmp_path)
    os.mkfifo(root / "agents" / "pipe.md")
    (root / "agents" / "folder.md").mkdir()
    parsed = load_agents(root)
    assert [fault.file for fault in parsed.faults] == ["agents/folder.md", "agents/pipe.md"]
    assert len(parsed.nouns) == 2


def test_a_playbook_is_read_with_its_profile(tmp_path: Path) -> None:
    """Front matter and instructions."""
    (playbook,) = load_playbooks(write_workspace(tmp_path)).nouns
    assert (playbook.id, playbook.profile, playbook.file) == (
        "memo",
        "report",
        "agents/playbooks/memo.md",
    )
    assert playbook.instructions == "State the result first."


def test_a_playbook_asks_no_judge_unless_it_says_so(tmp_path: Path) -> None:
    """Left out is off; true is on."""
    root = write_workspace(tmp_path)
    path = root / "agents" / "playbooks" / "memo.md"
    assert [playbook.judge for playbook in load_playbooks(root).nouns] == [False]
    path.write_text(path.read_text().replace("profile: report", "profile: report\njudge: true"))
    assert [playbook.judge for playbook in load_playbooks(root).nouns] == [True]


def test_a_judge_is_on_or_off(tmp_path: Path) -> None:
    """Any other word is a fault with file, line and key."""
    root = write_workspace(tmp_path)
    path = root / "agents" / "playbooks" / "memo.md"
    path.write_text(path.read_text().replace("profile: report", "profile: report\njudge: often"))
    (fault,) = load_playbooks(root).faults
    assert (fault.file, fault.key) == ("agents/playbooks/memo.md", "judge")
    assert fault.line > 1
