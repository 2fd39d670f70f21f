"""One page for each thing: written once, kept up to date, and never over what people wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.config.phrases import Phrases
from daemon.errors import SendHeld, SendLater, SendRefused, SendUncertain
from daemon.notify.notion import SCHEMA_SECONDS, NotionSender
from daemon.notify.notion_connection import NotionConnection
from daemon.notify.notion_errors import NOTION_VERSION
from daemon.notify.notion_places import KINDS
from tests.standins.far_side import drops
from tests.standins.notion_api import NotionApi, error, rate_limited
from tests.standins.notion_world import Page
from tests.standins.shelf import MemoryShelf

SINCE = datetime(2026, 11, 30, 9, tzinfo=UTC)
KEY = "notion/item/T07/ab#5c0pe"


@pytest.fixture
def notion() -> Iterator[NotionApi]:
    with NotionApi() as api:
        for place in ("backlog", "findings"):
            api.make_database(
                place,
                {"Name": "title", "External ID": "rich_text", **KINDS[place]},  # type: ignore[index]
            )
        yield api


@pytest.fixture
def shelf(notion: NotionApi) -> MemoryShelf:
    return MemoryShelf({one.title: one.sources[0].id for one in notion.databases[1:]})


def sender_for(notion: NotionApi, shelf: MemoryShelf, **more: Any) -> NotionSender:
    connection = NotionConnection(token=notion.token, base_url=notion.base_url, read_seconds=5.0)
    return NotionSender(connection, shelf, **more)


def item(standing: str = "eligible", **changes: Any) -> dict[str, Any]:
    values = {"Standing": standing, "Priority": 2, "Cost USD": "0.0300", "Agent": "ada"}
    return {"place": "backlog", "external_id": "item/T07", "title": "T07 Fees",
            "properties": values, "body": "", **changes}  # fmt: skip


def finding(lines: int, external_id: str = "finding/7") -> dict[str, Any]:
    body = "\n".join(f"- item {n}" for n in range(lines))
    return {"place": "findings", "external_id": external_id, "title": "T07 Fees",
            "properties": {"Score": "0.87"}, "body": body}  # fmt: skip


def only_page(notion: NotionApi) -> Page:
    (page,) = notion.pages
    return page


def test_a_thing_is_one_page_however_often_it_changes(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """Created once, then only updated; its key bears the mark of this database."""
    sender = sender_for(notion, shelf)
    first = sender.send(KEY, item())
    assert sender.send(KEY, item("done")) == first
    page = only_page(notion)
    assert (page.full_key, page.title) == ("item/T07#5c0pe", "T07 Fees")
    assert [page.value(n) for n in ("Standing", "Priority", "Cost USD")] == ["done", 2, 0.03]
    assert shelf.page("item/T07") == (first, "")


def test_what_people_wrote_stays_and_ours_is_written_again(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """Their columns and blocks are in no request; a value that they changed in ours is set right."""
    sender = sender_for(notion, shelf)
    sender.send(KEY, finding(3))
    page = only_page(notion)
    notion.databases[2].sources[0].columns["Owner"] = "rich_text"
    theirs = {"rich_text": [{"type": "text", "text": {"content": "Maria"}}]}
    page.properties |= {"Owner": theirs, "Score": {"number": 0.1}}
    page.blocks.insert(0, page.blocks.pop())
    before = list(page.blocks)
    sender.send(KEY, finding(4))
    assert (page.properties["Owner"], page.value("Score")) == (theirs, 0.87)
    assert page.blocks == before
    update = json.loads(notion.requests[-1].raw)
    assert set(update) == {"properties"}
    assert set(update["properties"]) == {"title", "External ID", "Score"}


def test_columns_that_people_removed_or_remade_are_left_out(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """While the daemon runs, too: the columns are read anew when Notion finds a request invalid."""
    sender = sender_for(notion, shelf)
    sender.send(KEY, item())
    columns = notion.databases[1].sources[0].columns
    del columns["Priority"]
    columns["Agent"] = "people"
    sender.send(KEY, item("blocked"))
    assert only_page(notion).value("Standing") == "blocked"
    assert len(notion.pages) == 1


@pytest.mark.parametrize("after_acting", [True, False])
@pytest.mark.parametrize("number", range(4))
def test_whatever_request_breaks_the_page_stands_there_once_and_whole(
    notion: NotionApi, shelf: MemoryShelf, number: int, after_acting: bool
) -> None:
    """Also cut off between its creation and its last blocks: the second try looks first."""
    sender = sender_for(notion, shelf)
    notion.script(*[None] * number, drops(after_acting=after_acting))
    with pytest.raises(SendUncertain):
        sender.send(KEY, finding(191))
    assert sender.find(KEY, finding(191), since=SINCE) is None
    sender.send(KEY, finding(191))
    assert only_page(notion).texts == [f"item {n}" for n in range(191)]


def test_a_page_that_people_wrote_in_meanwhile_gets_no_more_blocks(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """Half of it is there, and not as we left it: from then on it is theirs."""
    sender = sender_for(notion, shelf)
    notion.script(None, None, None, drops(after_acting=False))
    with pytest.raises(SendUncertain):
        sender.send(KEY, finding(150))
    page = only_page(notion)
    page.blocks.pop(3)
    sender.send(KEY, finding(150))
    assert len(page.blocks) == 99


def test_a_limit_between_creation_and_append_is_in_doubt(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """So it waits long enough for the look-up to see the page; with the limit's name."""
    notion.script(None, None, None, rate_limited(70, "workspace_rate_limit"))
    with pytest.raises(SendUncertain, match="workspace_rate_limit") as caught:
        sender_for(notion, shelf).send(KEY, finding(150))
    assert caught.value.retry_after_seconds == 70.0
    notion.script(rate_limited(20))
    with pytest.raises(SendLater):
        sender_for(notion, shelf).send(KEY, finding(150))


@pytest.mark.parametrize("how", ["trash", "gone", "moved"])
def test_a_page_that_people_took_away_is_left_alone_from_then_on(
    notion: NotionApi, shelf: MemoryShelf, how: str
) -> None:
    """No error, no second page, and no request any more."""
    sender = sender_for(notion, shelf)
    page_id = sender.send(KEY, item())
    only_page(notion).in_trash = how == "trash"
    only_page(notion).source = notion.data_source if how == "moved" else only_page(notion).source
    if how == "gone":
        notion.pages.clear()
    assert sender.send(KEY, item("done")) == page_id
    assert shelf.page("item/T07")[1] != ""
    asked = len(notion.requests)
    assert sender.send(KEY, item("blocked")) == page_id
    assert len(notion.requests) == asked
    assert len(notion.pages) == (0 if how == "gone" else 1)


def test_a_page_that_was_remade_under_another_id_is_found_by_its_key(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """A copy of the database came back from a backup, or people duplicated it."""
    sender = sender_for(notion, shelf)
    sender.send(KEY, item())
    only_page(notion).id = "1f2e3d4c-0000-4000-8000-00000000abcd"
    assert sender.send(KEY, item("done")) == "1f2e3d4c-0000-4000-8000-00000000abcd"
    assert only_page(notion).value("Standing") == "done"


def test_missing_rights_name_version_kind_of_id_and_cure(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """For places that setup made nobody typed an id: the cure is to share the page, and setup."""
    notion.shared = False
    with pytest.raises(SendRefused) as caught:
        sender_for(notion, shelf).send(KEY, item())
    words = str(caught.value)
    assert f"Notion-Version {NOTION_VERSION}" in words
    assert "Connections" in words
    assert "sprintd notion setup" in words
    assert "data sources" in words
    notion.shared, notion.rights = True, {"read"}
    with pytest.raises(SendRefused, match="right to read, insert and update content"):
        sender_for(notion, shelf).send(KEY, item())


def test_a_wrong_token_and_a_missing_right_have_each_its_own_cure(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """Nobody is sent for a new token where the token is valid; Notion's full stop stands once."""
    notion.rights = {"read"}
    sender = sender_for(notion, shelf)
    with pytest.raises(SendRefused, match=r"for this endpoint; give .* Capabilities") as caught:
        sender.send(KEY, item())
    assert "token" not in str(caught.value)
    notion.token = "ntn_another"
    with pytest.raises(SendRefused, match=r"invalid; copy the integration's secret again"):
        sender.send(KEY, item())


def test_the_limit_of_a_free_workspace_is_told_as_such(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """With what helps, and that deleting does not. Updates of what is there go on."""
    sender = sender_for(notion, shelf)
    sender.send(KEY, item())
    notion.block_limit = 1
    with pytest.raises(SendRefused, match="1,000 blocks for life, and deleting gives none back"):
        sender.send(KEY, finding(3))
    sender.send(KEY, item("done"))
    assert only_page(notion).value("Standing") == "done"


def test_a_database_in_the_trash_is_refused_with_its_cure(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """Setup makes another one. Its pages are not taken for thrown away one by one."""
    sender = sender_for(notion, shelf)
    sender.send(KEY, item())
    notion.databases[1].in_trash = True
    other = item(external_id="item/T08")
    for payload in (item("done"), other):
        with pytest.raises(SendRefused, match="sprintd notion setup"):
            sender.send(KEY, payload)
    assert shelf.pages == {"item/T07": (only_page(notion).id, "")}


def test_without_a_place_it_says_how_to_make_it(notion: NotionApi) -> None:
    """And asks Notion nothing."""
    with pytest.raises(SendRefused, match="sprintd notion setup PAGE"):
        sender_for(notion, MemoryShelf()).send(KEY, item())
    assert notion.requests == []


def test_several_pages_that_were_approved_in_one_go_are_each_there_once(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """Cut off in the middle, it goes on where it was."""
    sender = sender_for(notion, shelf)
    payload = {"approval": "A1", "pages": [item(), finding(2), finding(2, "finding/8")]}
    notion.script(*[None] * 5, drops(after_acting=True))
    with pytest.raises(SendUncertain):
        sender.send(KEY, payload)
    assert sender.find(KEY, payload, since=SINCE) is None
    sender.send(KEY, payload)
    assert notion.keys == ["item/T07", "finding/7", "finding/8"]


def test_many_pages_get_through_a_limit_that_never_lets_all_of_them_pass(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """Each try goes on where the last one was told to wait."""
    sender = sender_for(notion, shelf)
    payload = {"pages": [item(external_id=f"item/T{number}") for number in range(12)]}
    for _ in range(3):
        notion.script(*[None] * 7, rate_limited(60))
        with pytest.raises(SendLater):
            sender.send(KEY, payload)
    assert len(sender.send(KEY, payload).split()) == 12
    assert notion.keys == [f"item/T{number}" for number in range(12)]


def test_a_page_that_is_refused_holds_up_none_of_those_approved_with_it(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """The refusal is told when the others are there; a lost right ends it at once."""
    sender = sender_for(notion, shelf)
    payload = {"pages": [item(external_id=f"item/T{number}") for number in range(4)]}
    notion.script(None, None, error(400, "validation_error", "no"))  # not of its columns
    with pytest.raises(SendRefused, match="no; what it complains of"):
        sender.send(KEY, payload)
    assert notion.keys == ["item/T1", "item/T2", "item/T3"]
    sender.send(KEY, payload)
    assert sorted(notion.keys) == [f"item/T{number}" for number in range(4)]
    notion.rights.clear()
    with pytest.raises(SendRefused, match="restricted_resource"):
        sender.send(KEY, payload)
    assert notion.requests[-1].path != notion.requests[-2].path


def test_a_public_page_that_nobody_approved_does_not_leave(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """Whatever handed it over, also of an earlier version, and also where the page is there."""
    sender = sender_for(notion, shelf, approved=lambda payload: payload.get("approval") == "A1")
    for payload in (item(), {"title": "T", "body": "text"}, {"pages": [item()], "approval": "A2"}):
        with pytest.raises(SendRefused, match="no person approved"):
            sender.send(KEY, payload)
    assert notion.requests == []
    sender.send(KEY, {"pages": [item()], "approval": "A1"})
    assert notion.keys == ["item/T07"]


def test_long_values_are_within_every_limit_and_cut_inside_no_character(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """4,218 letters, emoji and accents at every cut: all of it arrives, in units as Notion counts."""
    family = "\U0001f468‍\U0001f469‍\U0001f467"
    long = ("x" * 1_999 + family) * 2 + "e\u0301" * 109
    values = {"Reason": long, "Standing": "a, b" * 100, "Question": "q" * 4_218}
    sender_for(notion, shelf).send(KEY, item(title="\U0001f600" * 1_500, properties=values))
    page = only_page(notion)
    assert page.value("Reason") == long
    assert page.value("Question") == "q" * 4_218
    assert page.title == "\U0001f600" * 1_000
    assert "," not in page.value("Standing")


def test_an_empty_value_empties_its_column(notion: NotionApi, shelf: MemoryShelf) -> None:
    """An item that is not blocked any more has no reason left standing."""
    sender = sender_for(notion, shelf)
    sender.send(KEY, item(properties={"Reason": "too short", "Standing": "blocked", "Priority": 1}))
    sender.send(KEY, item(properties={"Reason": "", "Standing": None, "Priority": None}))
    page = only_page(notion)
    assert [page.value(n) for n in ("Reason", "Standing", "Priority")] == ["", None, None]


def test_what_a_model_wrote_stays_text(notion: NotionApi, shelf: MemoryShelf) -> None:
    """No mention, no link, no embed; what nobody sees or can send is named."""
    hostile = (
        "@everyone <@U1> [a](https://evil.example) https://evil.example/?q=secret \u202e {{x}}"
    )
    payload = finding(0) | {
        "title": hostile,
        "body": f"# {hostile}\n\n{hostile}\n\nhalf \ud83d of it",
    }
    payload["properties"] = {"Summary": hostile}
    sender_for(notion, shelf).send(KEY, payload)
    page = only_page(notion)
    seen = hostile.replace("\u202e", "[U+202E]")
    assert page.texts == [seen, seen, "half [U+D83D] of it"]
    assert (page.title, page.value("Summary")) == (seen, seen)
    sent = notion.requests[-1].raw.decode()
    assert not [word for word in ('"link"', '"mention"', '"embed"', '"href"') if word in sent]


def test_what_every_page_would_meet_holds_the_channel_and_a_pages_own_fault_does_not(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """The token, a right, a database that is gone, in the trash, or without the column External ID."""
    sender = sender_for(notion, shelf)
    source = notion.databases[1].sources[0]
    wrongs: list[tuple[Any, str, Any]] = [
        (notion, "token", "ntn_another"), (notion, "rights", {"read"}), (notion, "shared", False),
        (notion.databases[1], "in_trash", True),
        (source, "columns", {"Name": "title", "Id": "rich_text"}),
    ]  # fmt: skip
    for number, (owner, name, wrong) in enumerate(wrongs):
        right = getattr(owner, name)
        setattr(owner, name, wrong)
        with pytest.raises(SendHeld):
            sender.send(KEY, item(external_id=f"item/T{number}"))
        setattr(owner, name, right)
        sender.send(KEY, item(external_id=f"item/T{number}"))
    own = error(400, "validation_error", "Priority is expected to be number.")
    notion.script(None, own, None, own)  # the columns are read anew between the two
    for payload in (item(external_id="item/T9"), item(place="fax")):
        with pytest.raises(SendRefused) as caught:
            sender.send(KEY, payload)
        assert not isinstance(caught.value, SendHeld)


def test_a_column_that_setup_added_is_filled_within_the_hour(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """Without an error or a restart; until then nothing is asked anew."""
    clock = ManualClock(SINCE)
    sender = sender_for(notion, shelf, clock=clock)
    columns = notion.databases[1].sources[0].columns
    del columns["Priority"]
    sender.send(KEY, item())
    columns["Priority"] = "number"
    asked = len(notion.requests)
    sender.send(KEY, item("done"))
    assert len(notion.requests) == asked + 1
    clock.advance(timedelta(seconds=SCHEMA_SECONDS))
    sender.send(KEY, item("blocked"))
    assert only_page(notion).value("Priority") == 2


def test_a_text_that_no_column_takes_whole_says_how_much_is_left_out(
    notion: NotionApi, shelf: MemoryShelf
) -> None:
    """200,000 units fit; of 200,001 the last piece says what is missing, in the workspace's language."""
    whole = "x" * 200_000
    for language, more in (("en", "2,001 more characters"), ("es", "2,001 caracteres más")):
        sender = sender_for(notion, shelf, phrases=Phrases(language))  # type: ignore[arg-type]
        sender.send(KEY, item(properties={"Reason": whole, "Question": whole + "y"}))
        page = only_page(notion)
        assert page.value("Reason") == whole
        assert str(page.value("Question")).startswith("x" * 198_000 + f"… {more}")
