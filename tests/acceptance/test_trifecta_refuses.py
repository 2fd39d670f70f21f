"""A workspace in which an agent would hold all three powers does not start, and says by which way."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.errors import WorkspaceInvalid
from daemon.governance.trifecta import FAULT_KEY
from daemon.memory.notes import read_note
from daemon.sprint.runner import run_sprint
from daemon.store import findings
from tests.unit.cli.small import as_json, clean_environ, command, sprintd, write_small
from tests.unit.cli.small import edit as replace_text
from tests.workspaces import copy_sample, services_over

PUBLIC_SLACK = '[slack]\nchannel = "C0123456789"\npublic = true\n'
SCOUT, ANALYST, WRITER = "agents/scout.md", "agents/analyst.md", "agents/writer.md"
SENTENCES = (
    "The mill on the river Tano ground 812 tonnes of maize in 2025.",
    "In 2024 the mill on the river Tano ground 790 tonnes of maize, 22 fewer.",
    "A sack of maize of 50 kg cost 31 USD at the mill in June 2025.",
    "The mill employs 14 people, 9 of whom live within 3 km of the river.",
    "Three other mills stand within 60 km and ground 2,100 tonnes together.",
    "Of 120 farmers asked in May 2025, 77 would bring more maize to the mill.",
    "The bank lent the mill 40,000 USD in 2023 at 9 % for five years.",
    "A second wheel would cost 26,500 USD and take four months to build.",
    "The river was too low to grind on 23 days in 2025 and on 31 days in 2024.",
)


def agent_file(name: str, *reads: str) -> str:
    return (
        f"---\nid: {name}\nname: {name.title()}\ntier: routine\nteams: [{name}s]\n"
        f"reads: [{', '.join(reads)}]\nmax_output_tokens: 2000\n---\nAnswer from the notes.\n"
    )


def item_of(number: int, agent: str) -> str:
    return (
        f"  - {{id: M{number}, title: The mill, question: How much maize does the mill grind?, "
        f"agent: {agent}, criterion: K{number}, playbook: note, priority: 1, added_on: 2026-11-30}}\n"
    )


FILES = {
    SCOUT: agent_file("scout", "memory/news/"),
    ANALYST: agent_file("analyst", "memory/own/"),
    WRITER: agent_file("writer", "memory/open/"),
    "agents/teams.yaml": "teams:\n"
    + "".join(
        f"  - {{id: {name}s, title: T, purpose: Work., members: [{name}]}}\n"
        for name in ("scout", "analyst", "writer")
    ),
    "backlog.yaml": "items:\n" + item_of(1, "scout") + item_of(2, "analyst") + item_of(3, "writer"),
    "kill_criteria.yaml": "criteria:\n"
    + "".join(
        f"  - {{id: K{n}, name: N, question: Q?, evidence: E, threshold: T, deadline: 2027-01-31, "
        "if_failed: Stop.}\n"
        for n in (1, 2, 3)
    ),
    "knowledge.yaml": """\
kcp_version: "0.32"
project: Mill
units:
  - id: rivals
    path: memory/news/rivals.md
    intent: "How much maize do mills grind?"
    scope: project
    audience: [scout]
    untrusted: true
  - id: runway
    path: memory/own/runway.md
    intent: "How long does the mill's money last, and how much maize does it grind?"
    scope: project
    audience: [analyst]
    sensitivity: confidential
  - id: basics
    path: memory/open/basics.md
    intent: "How much maize does the mill grind?"
    scope: project
    audience: [agent]
    sensitivity: public
""",
    "memory/news/rivals.md": "# Rivals\n\n" + "\n\n".join(SENTENCES) + "\n",
    "memory/own/runway.md": "# Runway\n\n" + "\n\n".join(SENTENCES) + "\n",
    "memory/open/basics.md": "# Basics\n\n" + "\n\n".join(SENTENCES) + "\n",
}


def write_mill(root: Path, config: str = PUBLIC_SLACK) -> Path:
    """A scout who reads the news, an analyst who knows the money, a writer who knows nothing of
    either: apart from each other, though all of them write to a channel that the world reads."""
    write_small(root, f'{config}[provider]\nkind = "extractive"\n')
    (root / "agents" / "lead.md").unlink()
    for old in root.glob("memory/harbour/*"):
        old.unlink()
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, "utf-8")


def add_unit(
    root: Path, text: str, path: str, body: str = "# A note\n\nThe mill grinds.\n"
) -> None:
    write(root, "knowledge.yaml", f"{(root / 'knowledge.yaml').read_text()}  - {text}\n")
    write(root, path, body)


def by_reads(root: Path) -> None:
    write(root, ANALYST, agent_file("analyst", "memory/own/", "memory/news/"))
    replace_text(root, "knowledge.yaml", "audience: [scout]", "audience: [scout, analyst]")


def by_a_memory_folder(root: Path) -> None:
    """What an agent wrote when it still read the news lies in a folder that the analyst reads."""
    old = "---\norigin: finding\nprovenance: outside\nuntrusted_sources: [gone]\nsensitivity: internal\n---\nHi.\n"
    write(root, "memory/findings/K9/M9-1.md", old)
    write(root, ANALYST, agent_file("analyst", "memory/own/", "memory/findings/K9/"))


def by_findings_of_another(root: Path) -> None:
    write(root, ANALYST, agent_file("analyst", "memory/own/", "memory/findings/K1/"))


def by_two_hops(root: Path) -> None:
    write(root, WRITER, agent_file("writer", "memory/open/", "memory/findings/K1/"))
    write(root, ANALYST, agent_file("analyst", "memory/own/", "memory/findings/K3/"))


def by_private_findings(root: Path) -> None:
    write(root, SCOUT, agent_file("scout", "memory/news/", "memory/findings/"))


def by_consolidation(root: Path) -> None:
    write(root, ANALYST, agent_file("analyst", "memory/own/", "memory/consolidated/"))
    path = "memory/consolidated/market.md"
    add_unit(
        root, f"{{id: market, path: {path}, intent: q, scope: project, audience: [analyst]}}", path
    )


def by_an_inbound_document(root: Path) -> None:
    write(root, ANALYST, agent_file("analyst", "memory/own/", "memory/inbound/"))
    path = "memory/inbound/letter.md"
    add_unit(
        root, f"{{id: letter, path: {path}, intent: q, scope: project, audience: [analyst]}}", path
    )


def by_a_widened_audience(root: Path) -> None:
    write(root, SCOUT, agent_file("scout", "memory/news/", "memory/own/"))
    assert as_json(root, "check")["ok"]  # the audience still keeps it back
    replace_text(root, "knowledge.yaml", "audience: [analyst]", "audience: [agent]")


def by_a_team_mate(root: Path) -> None:
    """A team-mate may be given the scout's items, so its money gets into the folder of K1."""
    write(root, "agents/teams.yaml", "teams:\n  - {id: scouts, title: T, purpose: W, members: [scout, analyst]}\n"
          "  - {id: analysts, title: T, purpose: W, members: [analyst]}\n"
          "  - {id: writers, title: T, purpose: W, members: [writer]}\n")  # fmt: skip
    replace_text(root, ANALYST, "teams: [analysts]", "teams: [analysts, scouts]")
    write(root, SCOUT, agent_file("scout", "memory/news/", "memory/findings/K1/"))


def by_a_tool(root: Path) -> None:
    """An agent that may write to an address of its own choice needs no public channel."""
    by_reads(root)
    write(root, "config.toml", "")
    scope = (
        "{tools: [message.send], capabilities: [mail], hosts: [example.org], limits: {calls: 5}}"
    )
    entry = (
        f"agents:\n  - {{id: analyst, authority_level: commit, action_scope: {scope}}}\nunits:\n"
    )
    replace_text(root, "knowledge.yaml", "units:\n", entry)


def by_the_page(root: Path) -> None:
    by_reads(root)
    write(root, "config.toml", "[web]\npublic = true\n")


Break = Callable[[Path], None]
WAYS: list[tuple[Break, str, tuple[str, ...]]] = [
    (by_reads, "analyst", (
        "unit runway (confidential; knowledge.yaml:10) -> agent analyst (agents/analyst.md:6)",
        "unit rivals (from outside; knowledge.yaml:4) -> agent analyst (agents/analyst.md:6)",
        "agent analyst (agents/analyst.md:2) -> channel slack (people outside can read it; config.toml:3)",
    )),
    (by_a_memory_folder, "analyst", (
        "memory/findings/K9/M9-1.md (written earlier, from outside) -> agent analyst (agents/analyst.md:6)",
    )),
    (by_findings_of_another, "analyst", (
        ("unit rivals (from outside; knowledge.yaml:4) -> agent scout (agents/scout.md:6) -> "
        "memory/findings/K1/ -> agent analyst (agents/analyst.md:6)"),
    )),
    (by_two_hops, "analyst", (
        ("agent scout (agents/scout.md:6) -> memory/findings/K1/ -> agent writer (agents/writer.md:6) -> "
        "memory/findings/K3/ -> agent analyst (agents/analyst.md:6)"),
    )),
    (by_private_findings, "scout", (
        ("unit runway (confidential; knowledge.yaml:10) -> agent analyst (agents/analyst.md:6) -> "
        "memory/findings/K2/ -> agent scout (agents/scout.md:6)"),
    )),
    (by_consolidation, "analyst", (
        ("unit rivals (from outside; knowledge.yaml:4) -> memory/consolidated/ (merged from memory/) -> "
        "agent analyst (agents/analyst.md:6)"),
    )),
    (by_an_inbound_document, "analyst", (
        "unit letter (from outside; knowledge.yaml:22) -> agent analyst (agents/analyst.md:6)",
    )),
    (by_a_widened_audience, "scout", (
        "unit runway (confidential; knowledge.yaml:10) -> agent scout (agents/scout.md:6)",
    )),
    (by_a_team_mate, "scout", (
        "agent analyst (agents/analyst.md:6) -> memory/findings/K1/ -> agent scout (agents/scout.md:6)",
    )),
    (by_a_tool, "analyst", (
        "unit rivals (from outside; knowledge.yaml:6) -> ",
        "-> tool message.send of analyst (the agent chooses what is asked of example.org; knowledge.yaml:4)",
    )),
    (by_the_page, "analyst", ("-> channel page (people outside can read it; config.toml:2)",)),
]  # fmt: skip


def test_the_workspace_that_is_broken_below_is_sound(tmp_path: Path) -> None:
    """Each agent lacks one leg, so what the other tests show comes from their one change."""
    root = write_mill(tmp_path / "mill")
    assert as_json(root, "check")["faults"] == []
    lacks = {one["agent"]: one["missing"] for one in as_json(root, "trifecta")["agents"]}
    assert lacks == {
        "analyst": ["UNTRUSTED_CONTENT"],
        "scout": ["PRIVATE_DATA"],
        "writer": ["PRIVATE_DATA", "UNTRUSTED_CONTENT"],
    }
    assert sprintd(root, "sprint").returncode == 0


@pytest.mark.parametrize(
    ("break_it", "agent", "parts"), WAYS, ids=[way[0].__name__ for way in WAYS]
)
def test_each_way_of_joining_the_three_is_refused_with_its_path(
    break_it: Break, agent: str, parts: tuple[str, ...], tmp_path: Path
) -> None:
    """check names agent, ways and lines; a sprint refuses before anything is asked or written."""
    root = write_mill(tmp_path / "mill")
    break_it(root)
    found = as_json(root, "check", code=1)["faults"]
    assert {fault["key"] for fault in found} == {FAULT_KEY}
    (fault,) = [fault for fault in found if fault["file"] == f"agents/{agent}.md"]
    for part in parts:
        assert part in fault["message"]
    refused = sprintd(root, "sprint")
    assert refused.returncode == 1
    assert f"sprintd trifecta --why {agent}" in refused.stderr
    look = as_json(root, "trifecta", code=1)
    assert [one["missing"] for one in look["agents"] if one["agent"] == agent] == [[]]
    with services_over(root) as services:
        assert findings.list_findings(services.db) == []


@pytest.mark.parametrize("break_it", [by_reads, by_findings_of_another])
def test_the_daemon_does_not_start(break_it: Break, tmp_path: Path) -> None:
    """`sprintd run` ends at once, with the way on standard error, and serves nothing."""
    root = write_mill(tmp_path / "mill")
    break_it(root)
    done = subprocess.run(
        command(root, "run", "--port", "0"), capture_output=True, text=True, check=False,
        env=clean_environ(), timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "UNTRUSTED_CONTENT: unit rivals (from outside; knowledge.yaml:4) -> " in done.stderr
    assert not (root / "state" / "address").exists()


@pytest.mark.parametrize("break_it", [by_reads, by_two_hops, by_an_inbound_document])
def test_an_edit_that_joins_them_is_not_taken_up_in_a_run(break_it: Break, tmp_path: Path) -> None:
    """The last good definitions and the last good map go on together, until the repair."""
    root = write_mill(tmp_path / "mill")
    before = {name: (root / name).read_text() for name in (*FILES, "config.toml")}
    with services_over(root) as services:
        parts = services.sprint_parts
        assert services.look_again() == ()
        good = (parts.source.load(), parts.map.load())
        break_it(root)
        assert {fault.key for fault in services.look_again()} == {FAULT_KEY}
        assert (parts.source.load(), parts.map.load()) == good
        assert run_sprint(parts).state == "completed"
        for name, text in before.items():
            write(root, name, text)
        assert services.look_again() == ()


def test_edits_that_are_sound_only_together_are_taken_up_together(tmp_path: Path) -> None:
    """The news to the analyst and the money to the scout, in two files."""
    root = write_mill(tmp_path / "mill")
    with services_over(root) as services:
        parts = services.sprint_parts
        assert services.look_again() == ()
        write(root, ANALYST, agent_file("analyst", "memory/own/", "memory/news/"))
        replace_text(root, "knowledge.yaml", "audience: [scout]", "audience: [scout, analyst]")
        assert services.look_again() != ()
        replace_text(root, "knowledge.yaml", "audience: [analyst]", "audience: [writer]")
        assert services.look_again() == ()
        assert parts.source.load().agent("analyst").reads == ("memory/own/", "memory/news/")
        assert parts.map.load().units[0].audience == ("scout", "analyst")


def test_a_broken_map_holds_no_other_edit_up(tmp_path: Path) -> None:
    """Definitions follow their files while the last good map goes on, and are checked against it."""
    root = write_mill(tmp_path / "mill")
    with services_over(root) as services:
        parts = services.sprint_parts
        assert services.look_again() == ()
        write(root, "knowledge.yaml", "units: [")
        replace_text(root, "backlog.yaml", "id: M1, title: The mill", "id: M1, title: Mills")
        assert {fault.file for fault in services.look_again()} == {"knowledge.yaml"}
        assert parts.source.load().item("M1").title == "Mills"
        write(root, SCOUT, agent_file("scout", "memory/news/", "memory/findings/K2/"))
        assert FAULT_KEY in {fault.key for fault in services.look_again()}
        assert parts.source.load().agent("scout").reads == ("memory/news/",)


def test_a_daemon_whose_files_were_never_good_does_not_take_up_a_dangerous_repair(
    tmp_path: Path,
) -> None:
    """It started with a broken map; the map that comes then joins the three."""
    root = write_mill(tmp_path / "mill")
    sound = (root / "knowledge.yaml").read_text()
    write(root, "knowledge.yaml", "units: [")
    write(root, ANALYST, agent_file("analyst", "memory/own/", "memory/news/"))
    with services_over(root) as services:
        parts = services.sprint_parts
        assert services.look_again() != ()
        write(root, "knowledge.yaml", sound.replace("audience: [scout]", "audience: [agent]"))
        assert {fault.key for fault in services.look_again()} == {FAULT_KEY}
        with pytest.raises(WorkspaceInvalid, match="PRIVATE_DATA"):
            parts.map.load()
        run_sprint(parts)
        assert findings.list_findings(services.db) == []


def test_findings_carry_where_they_came_from(tmp_path: Path) -> None:
    """Each finding's front matter says whether its sources came from outside, and how secret."""
    root = write_mill(tmp_path / "mill")
    with services_over(root) as services:
        while run_sprint(services.sprint_parts).state == "completed":
            pass
        found = {row.agent: row.path for row in findings.list_findings(services.db)}
    fronts = {agent: read_note(root, path).front for agent, path in found.items()}
    said = {
        a: (f["provenance"], f["untrusted_sources"], f["sensitivity"]) for a, f in fronts.items()
    }
    assert said == {
        "scout": ("outside", ["rivals"], "internal"),
        "analyst": ("workspace", [], "confidential"),
        "writer": ("workspace", [], "internal"),
    }


def test_a_finding_that_is_mapped_as_harmless_is_given_to_nobody(tmp_path: Path) -> None:
    """Moved, renamed and listed as a plain note, it still says that it came from outside."""
    root = write_mill(tmp_path / "mill")
    body = "---\norigin: finding\nprovenance: outside\nsensitivity: internal\n---\n" + " ".join(
        SENTENCES
    )
    write(root, "memory/own/extra.md", body)
    unit = "{id: extra, path: memory/own/extra.md, intent: How much maize does the mill grind?, "
    add_unit(root, unit + "scope: project, audience: [analyst]}", "memory/own/extra.md", body)
    (fault,) = as_json(root, "check", code=1)["faults"]
    assert "says that it came from outside" in fault["message"]
    assert sprintd(root, "sprint", "--focus", "analysts").returncode == 0
    shown = as_json(root, "show", "M2")
    (skipped,) = [u for u in shown["attempts"][0]["context"]["skipped"] if u["id"] == "extra"]
    assert "add untrusted: true" in skipped["reason"]


def test_no_agent_of_the_sample_holds_all_three(tmp_path: Path) -> None:
    """Some of its notes are confidential and some from outside; nothing it writes gets out."""
    look = as_json(copy_sample(tmp_path / "sample"), "trifecta")
    assert len(look["agents"]) == 10
    assert all(one["missing"] for one in look["agents"])
    assert any(one["powers"]["PRIVATE_DATA"] for one in look["agents"])
    assert any(one["powers"]["UNTRUSTED_CONTENT"] for one in look["agents"])
    assert not any(channel["way_out"] for channel in look["channels"])
    public = copy_sample(tmp_path / "public", "[web]\npublic = true\n")
    assert as_json(public, "trifecta", code=1)["ok"] is False


def test_a_way_out_that_agents_share_is_said_once(tmp_path: Path) -> None:
    """Ten agents and one opened channel: three lines, not ten paragraphs; --json has every way."""
    public = copy_sample(tmp_path / "public", "[web]\npublic = true\n")
    table = sprintd(public, "trifecta").stdout
    assert "10 agents with all three, so run and sprint refuse to start." in table
    assert table.count("channel page (people outside can read it; config.toml:2)") == 1
    assert "sprintd trifecta --why" in table
    assert len(as_json(public, "trifecta", code=1)["faults"]) == 10


def test_why_shows_each_power_of_one_agent(tmp_path: Path) -> None:
    """One line a node; a power that it does not hold says so; an unknown agent is an error."""
    root = write_mill(tmp_path / "mill")
    lines = sprintd(root, "trifecta", "--why", "scout").stdout.splitlines()
    assert lines == [
        "PRIVATE_DATA: no; there is no way",
        "UNTRUSTED_CONTENT: yes",
        "  unit rivals (from outside; knowledge.yaml:4)",
        "  -> agent scout (agents/scout.md:6)",
        "EXTERNAL_COMMUNICATION: yes",
        "  agent scout (agents/scout.md:2)",
        "  -> channel slack (people outside can read it; config.toml:3)",
        "missing leg: PRIVATE_DATA",
    ]
    unknown = sprintd(root, "trifecta", "--why", "scot")
    assert unknown.returncode == 1
    assert "did you mean scout?" in unknown.stderr
    table = sprintd(root, "trifecta").stdout
    assert "slack is a way out: people outside can read it" in table
    assert "No agent holds all three" in table
