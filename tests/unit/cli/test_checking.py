"""check and init: every fault at once, with its place and its cure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.small import as_json, clean_environ, edit, sprintd, write_small
from tests.workspaces import ROOT, copy_sample


def test_a_sound_workspace_is_one_line(small: Path) -> None:
    """Exit 0 and a count of what was read."""
    done = sprintd(small, "check")
    assert done.returncode == 0
    assert done.stdout.startswith("The workspace is sound: 2 agents, 2 teams")
    assert done.stdout.count("\n") == 1
    assert as_json(small, "check")["ok"] is True


def test_the_sample_is_sound(tmp_path: Path) -> None:
    """What ships has no fault and no warning."""
    found = as_json(copy_sample(tmp_path / "sample"), "check")
    assert (found["faults"], found["warnings"]) == ([], [])
    assert found["counts"]["items"] == 37


def break_config(root: Path) -> None:
    (root / "config.toml").write_text('[budget]\ndaily_cap_usd = "many"\n')


def break_backlog(root: Path) -> None:
    edit(root, "backlog.yaml", "agent: analyst", "agent: analist")


def break_need(root: Path) -> None:
    edit(root, "backlog.yaml", "[harbour.light]", "[harbour.lamp]")


def break_agent(root: Path) -> None:
    edit(root, "agents/lead.md", "tier: routine", "tier: clever")


def break_criteria(root: Path) -> None:
    edit(root, "kill_criteria.yaml", "2027-01-31", "soon")


def break_map(root: Path) -> None:
    edit(root, "knowledge.yaml", "id: harbour.light", "id: harbour.boats")


def lose_note(root: Path) -> None:
    (root / "memory/harbour/light.md").unlink()


def spoil_note(root: Path) -> None:
    (root / "memory/harbour/light.md").write_bytes(b"# Light\n\n\xff\xfe white\n")


def empty_note(root: Path) -> None:
    (root / "memory/harbour/light.md").write_text("---\ntitle: Light\n---\n")


def break_quality(root: Path) -> None:
    (root / "quality.toml").write_text("threshold = 40\n")


def break_prices(root: Path) -> None:
    (root / "prices.toml").write_text("[[price]]\nmodels = []\n")


def forget_price(root: Path) -> None:
    (root / "config.toml").write_text('[provider]\nroutine_model = "claude-unheard-of"\n')


def open_key(root: Path) -> None:
    (root / "config.toml").write_text("")
    key = root / "state/secrets/anthropic_api_key"
    key.parent.mkdir(parents=True)
    key.write_text("k" * 20)
    key.chmod(0o644)


def forget_key(root: Path) -> None:
    (root / "config.toml").write_text('[provider]\nkind = "claude"\n')


FAULTS = {
    break_config: ("config.toml", 2),
    break_backlog: ("backlog.yaml", 5),
    break_need: ("backlog.yaml", 19),
    break_agent: ("agents/lead.md", 4),
    break_criteria: ("kill_criteria.yaml", 7),
    break_map: ("knowledge.yaml", 11),
    lose_note: ("knowledge.yaml", 12),
    spoil_note: ("memory/harbour/light.md", 0),
    empty_note: ("memory/harbour/light.md", 0),
    break_quality: ("quality.toml", 1),
    break_prices: ("prices.toml", 2),
    forget_price: ("config.toml", 2),
    open_key: ("config.toml", 0),
    forget_key: ("config.toml", 2),
}


@pytest.mark.parametrize("spoil", FAULTS, ids=lambda spoil: spoil.__name__)
def test_each_kind_of_fault_is_found_where_it_stands(spoil: object, small: Path) -> None:
    """Exit 1, and the file and line that a person has to open."""
    assert callable(spoil)
    spoil(small)
    found = as_json(small, "check", code=1)
    assert FAULTS[spoil] in {(fault["file"], fault["line"]) for fault in found["faults"]}
    assert all(fault["message"] for fault in found["faults"])


def test_all_faults_of_all_files_come_at_once(small: Path) -> None:
    """Seven broken files, seven files named, and a count at the end."""
    spoilers = (break_backlog, break_agent, break_criteria, break_quality, break_prices, lose_note,
                break_config)  # fmt: skip
    for spoil in spoilers:
        spoil(small)
    done = sprintd(small, "check")
    assert done.returncode == 1
    for spoil in spoilers:
        assert FAULTS[spoil][0] in done.stdout
    assert " faults, 0 warnings." in done.stdout.splitlines()[-1]


def test_warnings_do_not_fail(small: Path) -> None:
    """A diagnostic of the map, and a need that the agent may not read."""
    edit(small, "knowledge.yaml", "scope: project", "scope: everything")
    edit(small, "agents/analyst.md", "reads: [memory/]", "reads: [memory/harbour/boats.md]")
    done = sprintd(small, "check")
    assert done.returncode == 0
    assert "warning: knowledge.yaml:" in done.stdout
    assert (
        "B02 needs harbour.light, but analyst may not read memory/harbour/light.md" in done.stdout
    )
    assert "3 warnings" in done.stdout


def test_a_fault_never_shows_the_key(small: Path) -> None:
    """Neither a key in the wrong file nor one with wrong modes is repeated."""
    open_key(small)
    (small / "config.toml").write_text('[provider]\napi_key = "sk-ant-abcdefghijklmnopqrstuvwx"\n')
    done = sprintd(small, "check")
    assert done.returncode == 1
    assert "abcdefghijkl" not in done.stdout + done.stderr
    assert "k" * 20 not in done.stdout + done.stderr


def test_a_made_workspace_is_sound_and_says_what_to_do_next(tmp_path: Path) -> None:
    """init writes a workspace that passes check, plans and sprints."""
    target = tmp_path / "deep" / "venture"
    done = sprintd(None, "init", str(target))
    assert done.returncode == 0, done.stderr
    assert "sprintd check" in done.stdout
    assert "sprintd sprint" in done.stdout
    assert sprintd(target, "check").returncode == 0
    assert as_json(target, "sprint")["state"] == "completed"


def test_init_overwrites_nothing(tmp_path: Path) -> None:
    """The second time is an error that names what is there, and leaves it as it was."""
    target = write_small(tmp_path / "mine")
    before = (target / "backlog.yaml").read_text()
    done = sprintd(None, "init", str(target))
    assert done.returncode == 1
    assert "already has" in done.stderr
    assert (target / "backlog.yaml").read_text() == before


def test_the_next_step_after_init_works_from_a_plain_shell(tmp_path: Path) -> None:
    """Each line that it prints runs as it stands, from any folder and without a prepared PATH."""
    program = tmp_path / "bin dir" / "sprintd"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from daemon.cli import main\nmain()\n"
    )
    program.chmod(0o755)
    environ = clean_environ({"PATH": "/usr/bin:/bin"})
    made = subprocess.run(
        [program, "init", "venture"], cwd=tmp_path, env=environ, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert f"files into {tmp_path / 'venture'}." in made.stdout
    steps = [line for line in made.stdout.splitlines() if line.startswith("  ")]
    done = subprocess.run(
        ["/bin/sh", "-c", " && ".join(step.partition("#")[0] for step in steps[:3])],
        cwd="/", env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "Focus " in done.stdout


def test_what_items_with_other_faults_name_is_checked_too(small: Path) -> None:
    """One run names everything, so that one repair does not bring up the next."""
    edit(small, "backlog.yaml", "    title: Boats in the harbour\n", "    title: B\n    prio: 1\n")
    edit(small, "backlog.yaml", "[harbour.boats]", "[harbour.botes]")
    edit(small, "backlog.yaml", "    criterion: KC1\n    playbook: note\n    priority: 1",
         "    criterion: KC8\n    playbook: note\n    priority: 1")  # fmt: skip
    edit(small, "backlog.yaml", "[B01, B02]", "[B01, B77]")
    found = as_json(small, "check", code=1)
    assert [(fault["line"], fault["key"]) for fault in found["faults"]] == [
        (4, "items[0].prio"),
        (7, "items[0].criterion"),
        (11, "items[0].needs[0]"),
        (29, "items[2].depends_on[1]"),
    ]


def warnings_of(root: Path) -> list[str]:
    found = as_json(root, "check")
    return [
        f"{one['file']}:{one['line']} {one['message']} | {one['cure']}" for one in found["warnings"]
    ]


def test_an_audience_of_nobody_is_a_warning(small: Path) -> None:
    """A name that no agent has; and a need whose audience leaves the item's agent out."""
    edit(
        small,
        "knowledge.yaml",
        "audience: [agent]\n    triggers: [boats",
        "audience: [analist]\n    triggers: [boats",
    )
    edit(
        small,
        "knowledge.yaml",
        "audience: [agent]\n    triggers: [light",
        "audience: [lead, human]\n    triggers: [light",
    )
    assert warnings_of(small) == [
        (
            "backlog.yaml:10 B01 needs harbour.boats, whose audience in knowledge.yaml does not name "
            "analyst | add analyst to its audience, or give the item to another agent"
        ),
        (
            "backlog.yaml:19 B02 needs harbour.light, whose audience in knowledge.yaml does not name "
            "analyst | add analyst to its audience, or give the item to another agent"
        ),
        (
            "knowledge.yaml:9 analist is neither an agent nor a role of the protocol | "
            "did you mean analyst?"
        ),
    ]


def test_a_note_without_a_unit_and_a_scope_without_a_file_are_warnings(small: Path) -> None:
    """Nobody would ever be given the note; the folder is probably misspelt."""
    (small / "memory/harbour/tides.md").write_text("# Tides\n\nTwo a day.\n")
    (small / "memory/README.md").write_text("# For people\n")
    (small / "memory/findings/KC1").mkdir(parents=True)
    (small / "memory/findings/KC1/B09-1.md").write_text("# A finding\n")
    edit(
        small,
        "agents/analyst.md",
        "reads: [memory/]",
        "reads: [memory/, memory/harbor/, 'memory/*/x*']",
    )
    assert warnings_of(small) == [
        "agents/analyst.md:6 memory/harbor/ matches no file and no folder | correct or remove it",
        "agents/analyst.md:6 memory/*/x* matches no file and no folder | correct or remove it",
        (
            "memory/harbour/tides.md:0 no unit of knowledge.yaml names it, so no agent is given it | "
            "add a unit for it, or move it out of memory/"
        ),
    ]


def test_a_finding_whose_file_is_gone_is_a_warning(small: Path) -> None:
    """The database still counts it, and the next agents are not given it."""
    assert as_json(small, "sprint")["state"] == "completed"
    assert warnings_of(small) == []
    (gone,) = (small / "memory/findings").rglob("*.md")
    gone.unlink()
    (told,) = warnings_of(small)
    assert told.startswith(f"{gone.relative_to(small)}:0 the finding of B01 is in the database")
    assert told.endswith("sprintd reopen B01")


def test_the_summary_counts_the_units(small: Path) -> None:
    """A map that was emptied by mistake is seen at once."""
    assert "2 knowledge units." in sprintd(small, "check").stdout


def test_an_agent_that_may_not_call_the_model_is_a_warning(small: Path) -> None:
    """A scope that names it takes the place of the one for every agent."""
    manifest = small / "knowledge.yaml"
    text = manifest.read_text("utf-8")
    assert "action_scope" not in text
    scope = "agents:\n  - id: agent\n    action_scope: {{tools: [{}], limits: {{calls: 5}}}}\n"
    manifest.write_text(scope.format("search_memory") + text)
    assert [one.partition(" | ")[0] for one in warnings_of(small) if "model" in one] == [
        f"agents/{name}.md:0 {name} may not call the model: its items can never be worked"
        for name in ("analyst", "lead")
    ]
    manifest.write_text(scope.format("model.call") + text)
    assert not [one for one in warnings_of(small) if "call the model" in one]
