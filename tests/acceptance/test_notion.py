"""A workspace in Notion: real sprints, the real SDK, and a stand-in that is as strict as Notion."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from daemon.governance import recovery
from daemon.reports.notion_sync import MOST_ASKED, SyncEnd
from daemon.sprint.runner import run_sprint
from daemon.store import approvals, events, notion, outbox
from daemon.store.findings import list_findings
from tests.standins.far_side import drops
from tests.standins.notion_api import NotionApi
from tests.standins.notion_house import TOKENS, House, open_house
from tests.workspaces import NOON, copy_sample


@pytest.fixture
def api() -> Iterator[NotionApi]:
    with NotionApi(token=TOKENS["NOTION_TOKEN"]) as found:
        yield found


@pytest.fixture
def house(tmp_path: Path, api: NotionApi) -> Iterator[House]:
    root = copy_sample(tmp_path / "venture", f'[notion]\nbase_url = "{api.base_url}"\n')
    found = open_house(root, api)
    with closing(found.services):
        yield found


@pytest.fixture
def public(tmp_path: Path, api: NotionApi) -> Iterator[House]:
    config = f'[notion]\npublic = true\nbase_url = "{api.base_url}"\n'
    found = open_house(copy_sample(tmp_path / "venture", config), api)
    with closing(found.services):
        yield found


def test_without_a_setup_nothing_is_handed_over(house: House) -> None:
    """A token alone opens no place; setup then works while the daemon runs."""
    assert house.sync() is None
    house.set_up()
    end = house.sync()
    assert end is not None
    assert end.how == "handed_over"


def test_a_sprint_is_seen_in_all_four_databases_and_findings_are_whole(house: House) -> None:
    """Standing, attempts, cost, counts of criteria, the finding's text as it stands in memory."""
    house.set_up()
    house.sync()
    assert run_sprint(house.services.sprint_parts).state == "completed"
    house.sync()
    house.deliver()
    api, rows = house.api, list_findings(house.db)
    workspace = house.services.sprint_parts.source.load()
    assert len(api.pages_of("Backlog")) == len(workspace.items)
    assert len(api.pages_of("Kill criteria")) == len(workspace.criteria)
    assert sorted(p.key for p in api.pages_of("Findings")) == ["finding/1", "finding/2"]
    (sprint,) = api.pages_of("Sprints")
    assert (sprint.key, sprint.value("State"), sprint.value("Accepted")) == (
        "sprint/1", "completed", 2,
    )  # fmt: skip
    done = next(p for p in api.pages_of("Backlog") if p.key == f"item/{rows[0].item}")
    assert (done.value("Standing"), done.value("Attempts")) == ("done", 1)
    assert done.value("Finding") == rows[0].path
    page = next(p for p in api.pages_of("Findings") if p.value("File") == rows[0].path)
    file = (house.services.root / rows[0].path).read_text()
    missing = [t for t in page.texts for line in t.split("\n") if line.strip() not in file]
    assert page.texts
    assert missing == []
    assert page.value("Score") == rows[0].score_hundredths / 100
    assert sum(p.value("Findings") for p in api.pages_of("Kill criteria")) == 2


def test_only_what_changed_is_handed_over(house: House) -> None:
    """A second sync has nothing to do; one item that is blocked is one page and its criterion's."""
    house.set_up()
    house.sync()
    house.deliver()
    assert house.sync() == SyncEnd("nothing", 0)
    house.block(house.first_item())
    assert house.sync() == SyncEnd("handed_over", 2)
    before = len(house.api.requests)
    house.deliver()
    assert len(house.api.requests) == before + 2
    assert next(p.value("Standing") for p in house.api.pages_of("Backlog")) == "blocked"


def test_many_changes_that_wait_are_one_message_and_the_newest_wins(house: House) -> None:
    """Also back to a content that left before."""
    house.set_up()
    house.sync()
    house.deliver()
    item = house.first_item()
    for _ in range(4):
        house.block(item)
        house.sync()
        recovery.reset_failures(house.db, NOON, item=item, voice=house.services.sprint_parts.voice)
        house.sync()
    waiting = [row for row in outbox.list_open(house.db) if f"/{item}/" in row.key]
    assert len(waiting) == 1
    house.block(item)
    house.sync()
    house.deliver()
    page = next(p for p in house.api.pages if p.key == f"item/{item}")
    assert (page.value("Standing"), page.value("Reason")) == ("blocked", "It says nothing.")


def test_a_creation_that_was_in_doubt_and_then_superseded_is_still_one_page(house: House) -> None:
    """The newer content takes over the doubt, the wait and the place."""
    house.set_up()
    house.sync()
    house.api.script(None, None, drops(after_acting=True))
    house.services.outbox.deliver_round(house.clock.now())
    assert len(house.api.pages) == 1
    house.block(house.first_item())
    house.sync()
    house.deliver(6)
    assert sorted(house.api.keys) == sorted(set(house.api.keys))
    assert house.api.pages[0].value("Standing") == "blocked"


def test_missing_rights_are_one_alert_and_setting_them_right_brings_everything(
    house: House,
) -> None:
    """The first page is tried ever more rarely, the sprint goes on, no page is set aside."""
    house.set_up()
    house.api.rights = {"read"}
    house.sync()
    pages = len(outbox.list_open(house.db))
    house.deliver(10)
    tried = [r for r in house.api.requests if r.path == "/v1/pages"]
    assert 1 < len(tried) < 10
    assert run_sprint(house.services.sprint_parts).state == "completed"
    assert house.sync().how == "handed_over"
    (alert,) = [e for e in events.list_after(house.db, 0) if e.kind == "alert"]
    assert "right to read, insert and update content" in alert.facts["reason"]
    assert "Notion-Version" in alert.facts["reason"]
    house.api.rights = {"read", "insert", "update"}
    house.deliver(40)  # twenty minutes, and nobody did anything here
    assert outbox.list_set_aside(house.db) == []
    assert [e.kind for e in events.list_after(house.db, 0)][-1] == "recovered"
    assert len(house.api.pages) == len(notion.list_pages(house.db)) == pages + 3


def test_a_page_that_people_throw_away_brings_no_alert_and_no_second_page(house: House) -> None:
    """It is left alone whatever changes; a sync that begins anew takes it up where it was restored."""
    house.set_up()
    house.sync()
    house.deliver()
    page = house.api.pages[0]
    page.in_trash = True
    house.block(house.first_item())
    house.sync()
    house.deliver()
    recovery.reset_failures(house.db, NOON, voice=house.services.sprint_parts.voice)
    house.sync()
    house.deliver()
    assert [row.external_id for row in notion.list_given_up(house.db)] == [page.key]
    assert [e for e in events.list_after(house.db, 0) if e.kind == "alert"] == []
    assert house.api.keys.count(page.key) == 1
    page.in_trash = False
    notion.forget_contents(house.db)
    house.sync()
    house.deliver()
    assert notion.list_given_up(house.db) == []
    assert page.value("Standing") == "eligible"


def test_findings_of_an_earlier_version_are_adopted_and_not_doubled(
    tmp_path: Path, api: NotionApi
) -> None:
    """Sent ones by the id that they have; one that still waits leaves first, as it was handed over."""
    config = f'[notion]\nbase_url = "{api.base_url}"\nfindings_data_source = "{api.data_source}"\n'
    house = open_house(copy_sample(tmp_path / "venture", config), api)
    with closing(house.services):
        for n in (1, 2):
            payload = {"title": f"T0{n}", "body": "as it was"}
            outbox.enqueue(
                house.db, key=f"finding/{n}", channel="notion", payload=payload, now=NOON
            )
        house.services.outbox.deliver_round(house.clock.now())
        run_sprint(house.services.sprint_parts)
        house.sync()
        house.deliver()
        house.sync()
        house.deliver()
        assert sorted(api.keys) == ["finding/1", "finding/2"]
        assert [page.texts for page in api.pages] == [["as it was"]] * 2
        assert all(page.title != "T01" for page in api.pages)


def test_public_pages_wait_for_one_answer_and_leave_exactly_as_approved(public: House) -> None:
    """One question with all pages; what changed meanwhile is asked about after it."""
    public.set_up()
    end = public.sync()
    assert end is not None
    assert (end.how, end.pages) == ("asked", min(MOST_ASKED, len(notion.list_pages(public.db))))
    public.deliver()
    assert public.api.pages == []
    row = approvals.find_approval(public.db, end.approval)
    assert row is not None
    assert len(row.payload["message"]["pages"]) == end.pages
    item = public.first_item()
    public.block(item)
    waits = public.sync()
    assert waits == SyncEnd("waits_for_answer", 0, end.approval)
    decided = public.services.approvals.decide(
        row.id, approve=True, by="root", through="cli", digest=row.payload_sha256
    )
    assert decided.outcome == "approved"
    public.deliver()
    assert len(public.api.pages) == end.pages
    page = next(p for p in public.api.pages if p.key == f"item/{item}")
    assert page.value("Standing") == "eligible"
    then = public.sync()
    assert then is not None
    assert then.how == "asked"


def test_a_no_publishes_nothing_and_the_same_is_not_asked_again(public: House) -> None:
    """Only what changes later is a new question."""
    public.set_up()
    asked = []
    while (end := public.sync()) is not None and end.how == "asked":
        row = approvals.find_approval(public.db, end.approval)
        assert row is not None
        public.services.approvals.decide(
            row.id, approve=False, by="root", through="page", digest=row.payload_sha256
        )
        asked.append(end.approval)
    assert end == SyncEnd("nothing", 0)
    public.deliver()
    assert public.api.pages == []
    public.block(public.first_item())
    end = public.sync()
    assert end is not None
    assert end.approval not in asked


def test_a_page_handed_over_before_it_was_public_does_not_slip_out(
    tmp_path: Path, api: NotionApi
) -> None:
    """It waited when the founders said that people outside can read it."""
    root = copy_sample(tmp_path / "venture", f'[notion]\nbase_url = "{api.base_url}"\n')
    before = open_house(root, api)
    with closing(before.services):
        before.set_up()
        before.sync()
    (root / "config.toml").write_text(f'[notion]\npublic = true\nbase_url = "{api.base_url}"\n')
    after = open_house(root, api)
    with closing(after.services):
        after.deliver()
        assert api.pages == []
        assert "no person approved" in str(outbox.list_set_aside(after.db)[0].error)
