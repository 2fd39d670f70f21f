"""Citations and figures of a finding: what stands in its citable part was given, and still stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from daemon.bootstrap import Services
from daemon.memory.findings import citable_part
from daemon.quality.figure_claims import ESTIMATE
from daemon.sprint.judging import sources_of
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, findings
from daemon.store.attempts import AttemptRow
from tests.standins.judge import REPORT, JudgedModel
from tests.standins.messages_api import MessagesApi
from tests.unit.cli.small import edit, sprintd, write_small
from tests.workspaces import claude_config, services_over

HEADING = "## Unverified, do not cite"
SOURCES = "## Sources given to the agent"
INVENTED = "A night costs 77 USD on average."
ESTIMATED = (
    "By my own estimate, 268 more boats at 41 USD a night are worth 268 x 41 = 10,988 USD for one "
    "night, which is no figure of the notes."
)


@contextmanager
def world(tmp_path: Path, model: JudgedModel, more: str = "") -> Iterator[Services]:
    """One item, worked on by a model that writes what it is told to."""
    with MessagesApi(reply=model) as api:
        root = write_small(tmp_path / "small", claude_config(api.base_url, more))
        edit(root, "backlog.yaml", "needs: [harbour.light]", "waiting_for: a note")
        with services_over(root, key=api.api_key) as services:
            yield services


def accepted(services: Services) -> tuple[AttemptRow, str]:
    (row,) = attempts.list_for_item(services.db, "B01")
    assert row.state == "accepted", row.verdict
    kept = findings.find_by_item(services.db, "B01")
    assert kept is not None
    return row, (services.root / kept.path).read_text("utf-8")


def with_sentence(*sentences: str) -> str:
    return REPORT.replace("Storms closed", " ".join([*sentences, "Storms closed"]))


def parts_of(text: str) -> tuple[str, str, str]:
    """The citable part, what is unverified, and the annex."""
    body, _, rest = text.partition(HEADING)
    unverified, _, annex = (rest or body).partition(SOURCES)
    return body.partition(SOURCES)[0], unverified if rest else "", annex


def test_a_figure_in_an_accepted_output_occurs_in_what_the_agent_was_given_or_is_its_own_estimate(
    tmp_path: Path,
) -> None:
    """Promise 10: one invented figure among true ones leaves the citable part, with its sentence.

    Every figure that is left in it was found in a note, follows from such figures, or stands in a
    sentence that says that it is an estimate.
    """
    report = with_sentence(INVENTED, ESTIMATED)
    with world(tmp_path, JudgedModel(report=report)) as services:
        run_sprint(services.sprint_parts)
        row, text = accepted(services)
        body, unverified, _annex = parts_of(text)
        assert "77 USD" not in body
        assert f"- {INVENTED} (77: in no note)" in unverified
        assert "10,988" in body
        assert "4,388 in 2025" in body
        assert row.verdict is not None
        given = " ".join(note.text for note in sources_of(services.db, row))
        left = [claim for claim in row.verdict["claims"] if claim["text"] != "77"]
        assert len(left) > 8
        for claim in left:
            own = claim["note"] == ESTIMATE or claim["status"] == "derived"
            assert own or claim["passage"] in " ".join(given.split())


def test_a_citation_in_the_citable_part_was_reopened_and_matched(tmp_path: Path) -> None:
    """Promise 9: what its note does not say any more stands under "unverified", and so is it listed.

    The note is changed between the answer and its judgement: the sentence on storms has lost its
    ground, all others still have theirs.
    """

    def reply(request: dict[str, Any]) -> str:
        if "# Task B01" in request["messages"][0]["content"]:
            edit(root, "memory/harbour/boats.md", "on 17 days in 2025", "on 12 days in 2025")
        return str(model(request))

    model, root = JudgedModel(), tmp_path / "small"
    with MessagesApi(reply=reply) as api:
        write_small(root, claude_config(api.base_url))
        edit(root, "backlog.yaml", "needs: [harbour.light]", "waiting_for: a note")
        with services_over(root, key=api.api_key) as services:
            run_sprint(services.sprint_parts)
            _row, text = accepted(services)
    body, unverified, annex = parts_of(text)
    assert "17 days" not in body
    assert "17 days" in unverified
    assert "its note has changed since and has it no more" in unverified
    assert "4,388 in 2025" in body
    assert "changed since the agent read it" in annex


def test_a_note_that_is_gone_bears_nothing_out(tmp_path: Path) -> None:
    """Nothing that rested on it may be cited, and the annex says that it cannot be opened."""

    def reply(request: dict[str, Any]) -> str:
        if "# Task B01" in request["messages"][0]["content"]:
            (root / "memory/harbour/boats.md").unlink()
        return str(model(request))

    model, root = JudgedModel(), tmp_path / "small"
    with MessagesApi(reply=reply) as api:
        write_small(root, claude_config(api.base_url))
        edit(root, "backlog.yaml", "needs: [harbour.light]", "waiting_for: a note")
        with services_over(root, key=api.api_key) as services:
            run_sprint(services.sprint_parts)
            _row, text = accepted(services)
    body, unverified, annex = parts_of(text)
    assert not any(figure in body for figure in ("4,388", "131", "17 days"))
    assert "its note cannot be opened any more" in unverified
    assert "cannot be opened any more" in annex


def test_a_list_of_sources_is_written_by_code_and_never_by_the_model(tmp_path: Path) -> None:
    """The model's own list is cut, kept, and replaced by what was loaded."""
    listed = "\n## Sources\n\n- [harbour.boats] Harbour office of Arenal, annual report\n"
    with world(tmp_path, JudgedModel(report=REPORT + listed)) as services:
        run_sprint(services.sprint_parts)
        row, text = accepted(services)
        assert "annual report" not in text
        assert text.count("Sources") == 1
        assert "- `harbour.boats`: How many boats" in parts_of(text)[2]
        assert row.verdict is not None
        assert row.verdict["stripped"] == [listed.strip()]


def test_what_is_unverified_does_not_become_a_source(tmp_path: Path) -> None:
    """An output that repeats the figure from the finding is not borne out by it: nothing is laundered."""
    with world(tmp_path, JudgedModel(report=with_sentence(INVENTED))) as services:
        run_sprint(services.sprint_parts)
        row, text = accepted(services)
        path = findings.list_findings(services.db)[0].path
        whole = text.split("---\n", 2)[2]
        assert "77 USD" in whole
        assert "77 USD" not in citable_part(whole, path)
        assert citable_part(whole, "memory/harbour/boats.md") == whole
        assert row.finding_path == path


def test_show_names_file_and_passage_of_each_claim(tmp_path: Path) -> None:
    """Absent figures first, then each figure with the line of its note."""
    with world(tmp_path, JudgedModel(report=with_sentence(INVENTED))) as services:
        run_sprint(services.sprint_parts)
        shown = sprintd(services.root, "show", "B01").stdout
    assert "77: figure that no note has" in shown
    assert "17; 2025; 2024: figure, as in memory/harbour/boats.md:17" in shown
    assert (
        "“Storms closed the harbour of Arenal on 17 days in 2025 and on 9 days in 2024.”" in shown
    )
    assert "Score: content +0.30" in shown
