"""The sample's agents, playbooks and teams: complete, distinct, and in agreement."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from daemon.config.sections import Tier
from daemon.quality.verdict import Profile

CHECKOUT = Path(__file__).parents[3]
AGENTS = CHECKOUT / "agents"
PLAYBOOKS = AGENTS / "playbooks"
FACTS = CHECKOUT.parent / "shared" / "facts" / "facts.json"

FOLDER_OF_FAMILY = {
    "L": "memory/law-sources/",
    "D": "memory/data-protection/",
    "S": "memory/security/",
    "M": "memory/models-and-hosting/",
    "K": "memory/competitors/",
    "R": "memory/pricing/",
    "N": "memory/lawyers-and-demand/",
    "A": "memory/accuracy/",
    "F": "memory/fit/",
    "C": "memory/sales-cycle/",
    "G": "memory/funding/",
}
FINDINGS = "memory/findings/"
AGENT_KEYS = {"id", "name", "tier", "teams", "reads", "max_output_tokens"}
PLAYBOOK_KEYS = {"id", "title", "profile"}
STOCK_PHRASES = ("leverage", "seamless", "cutting-edge", "synerg", "holistic", "game-chang")


def test_ten_agents_and_twenty_five_playbooks_are_shipped() -> None:
    """The sample has exactly ten agents and twenty-five playbooks."""
    assert len(_agent_files()) == 10
    assert len(_playbook_files()) == 25


@pytest.mark.parametrize("path", sorted(AGENTS.glob("*.md")), ids=lambda path: path.stem)
def test_an_agent_file_holds_exactly_the_documented_keys(path: Path) -> None:
    """Front matter has the six keys with values in range; the id is the file name."""
    front, _ = _parts(path)
    assert set(front) == AGENT_KEYS
    assert front["id"] == path.stem
    assert front["tier"] in get_args(Tier)
    assert 2000 <= front["max_output_tokens"] <= 6000


@pytest.mark.parametrize("path", sorted(PLAYBOOKS.glob("*.md")), ids=lambda path: path.stem)
def test_a_playbook_file_holds_exactly_the_documented_keys(path: Path) -> None:
    """Front matter has the three keys and a known profile; the id is the file name."""
    front, _ = _parts(path)
    assert set(front) == PLAYBOOK_KEYS
    assert front["id"] == path.stem
    assert front["profile"] in get_args(Profile)


def test_bodies_have_the_length_of_real_instructions() -> None:
    """Agents have 250 to 600 words of instructions, playbooks 120 to 350."""
    agents = {path.stem: _word_count(path) for path in _agent_files()}
    playbooks = {path.stem: _word_count(path) for path in _playbook_files()}
    assert {name: n for name, n in agents.items() if not 250 <= n <= 600} == {}
    assert {name: n for name, n in playbooks.items() if not 120 <= n <= 350} == {}


def test_no_two_documents_are_one_template() -> None:
    """The 5-word shingles of any two documents overlap by less than 0.15 (Jaccard)."""
    shingles = {path.stem: _shingles(path) for path in _all_files()}
    alike = [
        (one, other)
        for one, other in combinations(sorted(shingles), 2)
        if _jaccard(shingles[one], shingles[other]) >= 0.15
    ]
    assert alike == []


def test_no_paragraph_is_used_in_two_documents() -> None:
    """A paragraph of ten words or more belongs to one document only."""
    seen: dict[str, str] = {}
    for path, paragraph in _long_paragraphs():
        assert seen.setdefault(paragraph, path.stem) == path.stem, paragraph


def test_every_agent_knows_the_rules_that_all_share() -> None:
    """Each agent is told how to mark an estimate, where gaps go, and how to cite a unit."""
    for path in _agent_files():
        body = " ".join(_parts(path)[1].split())
        assert "own estimate" in body, path.stem
        assert '"Not verified"' in body, path.stem
        assert re.search(r"\[[a-z]+(-[a-z]+)+\]", body), path.stem


def test_every_playbook_has_the_same_four_sections() -> None:
    """Use, Contents, Rejected, Done: in this order, none of them empty."""
    for path in _playbook_files():
        text = _parts(path)[1]
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
        assert headings == ["Use", "Contents", "Rejected", "Done"], path.stem
        sections = re.split(r"^## .+$", text, flags=re.MULTILINE)[1:]
        assert all(len(section.split()) >= 8 for section in sections), path.stem


def test_instructions_ask_for_reports_answers_plans_and_templates() -> None:
    """Each profile but code is used, so that each set of quality checks is exercised."""
    used = {_parts(path)[0]["profile"] for path in _playbook_files()}
    assert used == set(get_args(Profile)) - {"code"}


def test_instructions_avoid_stock_phrases() -> None:
    """No document uses the words that announce empty prose."""
    used = [
        (path.stem, phrase)
        for path in _all_files()
        for phrase in STOCK_PHRASES
        if phrase in path.read_text(encoding="utf-8").lower()
    ]
    assert used == []


def test_an_agent_reads_known_memory_folders_only() -> None:
    """`reads` names folders of the sample's memory, each once, with a trailing slash."""
    known = {*FOLDER_OF_FAMILY.values(), FINDINGS}
    for path in _agent_files():
        reads = _parts(path)[0]["reads"]
        assert len(reads) == len(set(reads)), path.stem
        assert set(reads) <= known, path.stem


def test_no_agent_reads_everything() -> None:
    """Least privilege: every agent, the orchestrator too, lacks some folder."""
    for path in _agent_files():
        assert set(FOLDER_OF_FAMILY.values()) - set(_parts(path)[0]["reads"]), path.stem


def test_every_agent_may_read_the_facts_that_its_tasks_use() -> None:
    """For each task, the agent's folders hold all the fact families that it needs."""
    if not FACTS.exists():
        pytest.skip("the facts of the sample are not beside this checkout")
    reads = {path.stem: set(_parts(path)[0]["reads"]) for path in _agent_files()}
    tasks = json.loads(FACTS.read_text(encoding="utf-8"))["tasks"]
    assert len(tasks) == 37
    missing = [
        (task["id"], task["role"], fact)
        for task in tasks
        for fact in task["facts"]
        if FOLDER_OF_FAMILY[fact[0]] not in reads[task["role"]]
    ]
    assert missing == []


def test_teams_and_agents_name_each_other() -> None:
    """A team lists an agent exactly where the agent's file lists the team."""
    by_team = {(team["id"], member) for team in _teams() for member in team["members"]}
    by_agent = {(team, path.stem) for path in _agent_files() for team in _parts(path)[0]["teams"]}
    assert by_team == by_agent


def test_the_orchestrator_leads_each_of_the_four_teams() -> None:
    """Four teams, all led by the orchestrator, and the full launch has everyone."""
    teams = {team["id"]: team for team in _teams()}
    assert list(teams) == ["market-validation", "technical", "funding", "full-launch"]
    assert {team["members"][0] for team in teams.values()} == {"legal-orchestrator"}
    assert set(teams["full-launch"]["members"]) == {path.stem for path in _agent_files()}
    assert all(set(team) == {"id", "title", "purpose", "members"} for team in teams.values())


def _agent_files() -> list[Path]:
    return sorted(AGENTS.glob("*.md"))


def _playbook_files() -> list[Path]:
    return sorted(PLAYBOOKS.glob("*.md"))


def _all_files() -> list[Path]:
    return _agent_files() + _playbook_files()


def _teams() -> list[dict[str, Any]]:
    teams: list[dict[str, Any]] = yaml.safe_load(
        (AGENTS / "teams.yaml").read_text(encoding="utf-8")
    )["teams"]
    return teams


def _parts(path: Path) -> tuple[dict[str, Any], str]:
    opening, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    assert opening == "", f"{path}: front matter must begin on the first line"
    return yaml.safe_load(front), body


def _word_count(path: Path) -> int:
    return len(_parts(path)[1].split())


def _shingles(path: Path) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", _parts(path)[1].lower())
    return {tuple(words[start : start + 5]) for start in range(len(words) - 4)}


def _jaccard(one: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> float:
    return len(one & other) / len(one | other)


def _long_paragraphs() -> Iterator[tuple[Path, str]]:
    for path in _all_files():
        for block in _parts(path)[1].split("\n\n"):
            paragraph = " ".join(block.split())
            if len(paragraph.split()) >= 10:
                yield path, paragraph
