"""plan: what would happen, what it would cost at most, and nothing done."""

from __future__ import annotations

from pathlib import Path

from tests.standins.messages_api import MessagesApi
from tests.unit.cli.small import as_json, edit, sprintd, write_small
from tests.unit.cli.test_looking import rows
from tests.workspaces import claude_config, copy_sample


def test_the_plan_is_what_the_sprint_then_does(small: Path) -> None:
    """Items and order of the plan are those of the sprint by rules."""
    planned = [one["item"] for one in as_json(small, "plan")["assignments"]]
    worked = [one["item"] for one in as_json(small, "sprint")["assignments"]]
    assert planned == worked == ["B01", "B02"]


def test_the_plan_says_why_each_unit_is_read_or_skipped(small: Path) -> None:
    """Every unit of the map is in one of the two lists, with a reason."""
    for one in as_json(small, "plan")["assignments"]:
        context = one["context"]
        units = [*context["loaded"], *context["skipped"]]
        assert {unit["id"] for unit in units} == {"harbour.boats", "harbour.light"}
        assert all(unit["reason"] for unit in units)
        assert context["tokens"] <= context["ceiling_tokens"]
    text = sprintd(small, "plan").stdout
    assert "harbour.boats" in text
    assert "the item names it" in text
    assert "one attempt costs at most 0.00 USD" in text


def test_a_paid_plan_makes_no_call_and_no_row(tmp_path: Path) -> None:
    """With Claude: priced to the micro-dollar, not one request, not one row."""
    with MessagesApi() as api:
        root = write_small(tmp_path / "small", claude_config(api.base_url))
        key = {"ANTHROPIC_API_KEY": api.api_key}
        first = sprintd(root, "plan", "--json", environ=key)
        assert first.returncode == 0, first.stderr
        assert not (root / "state").exists()
        sprintd(root, "sprint", environ=key)
        sent, before = len(api.requests), rows_without_checks(root)
        found = sprintd(root, "plan", environ=key)
        assert found.returncode == 0
        assert len(api.requests) == sent
        assert rows_without_checks(root) == before
    assert '"worst_case_micros": 0' not in first.stdout


def test_a_model_without_a_price_would_be_refused(tmp_path: Path) -> None:
    """No price is no zero: the plan says that the call would be refused."""
    root = write_small(
        tmp_path / "small",
        claude_config("http://127.0.0.1:9", 'reasoning_model = "claude-unheard-of"\n'),
    )
    found = sprintd(root, "plan", environ={"ANTHROPIC_API_KEY": "k" * 20})
    assert "would be refused: no price" in found.stdout
    assert "costs at most" not in found.stdout


def test_the_cap_shows_which_attempt_it_would_refuse(tmp_path: Path) -> None:
    """The worst cases are set against what the day leaves, one after the other."""
    config = claude_config("http://127.0.0.1:9") + "[budget]\ndaily_cap_usd = 0.05\n"
    root = write_small(tmp_path / "small", config)
    found = sprintd(root, "plan", environ={"ANTHROPIC_API_KEY": "k" * 20})
    assert found.stdout.count("would be refused: the day's cap leaves") == 1


def test_a_focus_that_no_team_has_is_an_error(small: Path) -> None:
    """With the nearest team and all of them."""
    done = sprintd(small, "plan", "--focus", "quay")
    assert done.returncode == 1
    assert "did you mean quays?" in done.stderr
    assert "harbour, quays" in done.stderr


def test_nothing_eligible_is_said(worked: Path) -> None:
    """No assignment, no error."""
    assert "Nothing to do: no item is eligible" in sprintd(worked, "plan").stdout
    assert as_json(worked, "plan")["assignments"] == []


def test_units_outside_the_agents_scope_are_named_as_such(small: Path) -> None:
    """The person who wrote the scope sees what it keeps away."""
    edit(small, "agents/analyst.md", "reads: [memory/]", "reads: [memory/harbour/boats.md]")
    assert "outside what analyst may read: harbour.light" in sprintd(small, "plan").stdout


def test_a_large_map_is_summed_up(small: Path) -> None:
    """Of a thousand units that are skipped for one reason, thirty are named and the rest counted."""
    unit = (
        "  - id: other.u{n}\n    path: other/u{n}.md\n    intent: Boats?\n    scope: project\n"
        "    audience: [agent]\n"
    )
    path = small / "knowledge.yaml"
    path.write_text(path.read_text() + "".join(unit.format(n=n) for n in range(1_000)))
    text = sprintd(small, "plan").stdout
    assert "and 970 more" in text
    assert len(text.splitlines()) < 60


def test_the_sample_can_be_planned(tmp_path: Path) -> None:
    """The shipped sample plans two items for one team, for nothing."""
    found = as_json(copy_sample(tmp_path / "sample"), "plan")
    assert len(found["assignments"]) == 2
    assert {one["worst_case_micros"] for one in found["assignments"]} == {0}


def rows_without_checks(root: Path) -> object:
    found = rows(root)
    return {name: found[name] for name in found if name != "sqlite_sequence"}


def test_a_team_without_work_is_named(small: Path) -> None:
    """Others have something to do; that is said too."""
    text = sprintd(small, "plan", "--focus", "quays").stdout
    assert text == "Nothing to do for quays: 2 items are eligible, none of them for this team.\n"
