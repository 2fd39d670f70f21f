"""The flow that is drawn of a workspace: what reaches whom, and where what is written arrives."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from daemon.config.sections import Config, NotionSection, SlackSection, WebSection
from daemon.governance.flow import FINDINGS, Flow, StoredText, build_flow, meeting_entry
from daemon.governance.trifecta import POWERS, derive_powers
from daemon.knowledge.action import ActionScope, Parameter, Policy, Tool
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.paths import covers
from daemon.knowledge.provenance import Provenance
from daemon.notify.channels import Channel, channels_of
from daemon.workspace.definitions import Agent, BacklogItem, Team, Workspace

WALL = Channel("wall", "slack.public", public=True)
CHANNELS = channels_of(Config())
NO_TOOLS = Policy()
MAP = """
units:
- {id: runway, path: memory/own/runway.md, sensitivity: restricted, audience: [ada]}
- {id: rivals, path: memory/out/rivals.md, untrusted: true, audience: [ben]}
- {id: basics, path: memory/open/basics.md, sensitivity: internal, audience: [agent]}
"""


def agent(name: str, *reads: str) -> Agent:
    return Agent(name, name.title(), "routine", ("one",), reads, 1000, "Work.", f"agents/{name}.md")


def item(item_id: str, owner: str, criterion: str) -> BacklogItem:
    return BacklogItem(item_id, "t", "q?", owner, criterion, "memo", 1, date(2026, 11, 1))


def workspace(
    *agents: Agent, items: tuple[BacklogItem, ...] = (), one_team: bool = False
) -> Workspace:
    names = tuple(a.id for a in agents)
    teams = (
        (Team("all", "All", "p", names),)
        if one_team
        else tuple(Team(name, name, "p", (name,)) for name in names)
    )
    return Workspace(Path("/nowhere"), agents, (), teams, items, ())


def drawn(
    space: Workspace,
    text: str = MAP,
    policy: Policy = NO_TOOLS,
    channels: tuple[Channel, ...] = CHANNELS,
    stored: tuple[StoredText, ...] = (),
) -> Flow:
    manifest = parse_manifest(text, "knowledge.yaml")
    assert manifest.errors == ()
    return build_flow(space, manifest, policy, channels, stored)


def held(flow: Flow) -> dict[str, str]:
    """The initials of each agent's powers."""
    return {
        one.agent: "".join(p[0] for p in POWERS if p in one.ways) for one in derive_powers(flow)
    }


def test_reads_and_audience_must_both_open_a_unit() -> None:
    """As in the sprint: one of the two is not enough."""
    assert held(drawn(workspace(agent("ada", "memory/")))) == {"ada": "P"}
    assert held(drawn(workspace(agent("ada", "memory/open/")))) == {"ada": ""}
    assert held(drawn(workspace(agent("eve", "memory/")))) == {"eve": ""}
    widened = MAP.replace("[ada]", "[agent]").replace(", audience: [ben]", "")
    assert held(drawn(workspace(agent("eve", "memory/")), widened)) == {"eve": "PU"}


def test_public_and_internal_units_are_no_private_data() -> None:
    """From confidential on; `untrusted` alone makes nothing secret."""
    for word, powers in (
        ("public", ""),
        ("internal", ""),
        ("confidential", "P"),
        ("restricted", "P"),
    ):
        text = f"units:\n- {{id: a, path: memory/a.md, sensitivity: {word}}}\n"
        assert held(drawn(workspace(agent("ada", "memory/")), text)) == {"ada": powers}


def test_what_lies_in_an_inbound_folder_is_from_outside_whatever_the_map_says() -> None:
    """A letter that was dropped there and mapped without the mark."""
    text = (
        "units:\n- {id: a, path: memory/inbound/letter.md}\n- {id: b, path: memory/library/p.md}\n"
    )
    assert held(drawn(workspace(agent("ada", "memory/inbound/")), text)) == {"ada": "U"}
    assert held(drawn(workspace(agent("ada", "memory/library/")), text)) == {"ada": "U"}


def test_findings_join_those_who_may_write_and_read_a_criterion() -> None:
    """Writers are the team-mates of an item's agent; readers those whose `reads` meet the folder."""
    ben, eve = agent("ben", "memory/out/"), agent("eve", f"{FINDINGS}K1/")
    items = (item("T1", "ben", "K1"), item("T2", "eve", "K2"))
    assert held(drawn(workspace(ben, eve, items=items))) == {"ben": "U", "eve": "U"}
    other = agent("eve", f"{FINDINGS}K2/")
    assert held(drawn(workspace(ben, other, items=items)))["eve"] == ""
    assert held(drawn(workspace(ben, other, items=items, one_team=True)))["eve"] == "U"


def test_an_earlier_finding_keeps_what_it_was_made_of() -> None:
    """Also where nobody who could write such a thing is left."""
    text = StoredText(f"{FINDINGS}K1/T1-1.md", Provenance(outside=True, sensitivity="confidential"))
    space = workspace(agent("eve", f"{FINDINGS}K1/*"))
    assert held(drawn(space, stored=(text,))) == {"eve": "PU"}
    assert held(drawn(workspace(agent("eve", f"{FINDINGS}K2/")), stored=(text,))) == {"eve": ""}


def test_merged_documents_carry_all_that_they_are_merged_of() -> None:
    """Consolidation never makes trusted text of it: the map's word for the document is not asked."""
    text = f"{MAP}- {{id: whole, path: memory/consolidated/market.md, audience: [eve]}}\n"
    eve = agent("eve", "memory/consolidated/")
    assert held(drawn(workspace(agent("ada"), agent("ben"), eve), text)) == {
        "ada": "", "ben": "", "eve": "PU",
    }  # fmt: skip
    assert held(drawn(workspace(agent("eve", "memory/open/")), text)) == {"eve": ""}


def test_channels_are_ways_out_where_people_say_that_outsiders_read_them() -> None:
    """Nothing is one by default; each flag opens exactly its own channel."""
    data_source = "0" * 32
    quiet = Config(slack=SlackSection(channel="C0123456789"),
                   notion=NotionSection(findings_data_source=data_source))  # fmt: skip
    assert [c.name for c in channels_of(quiet) if c.way_out] == []
    loud = {
        "page": Config(web=WebSection(public=True)),
        "slack": Config(slack=SlackSection(channel="C0123456789", public=True)),
    }
    for name, config in loud.items():
        assert [c.name for c in channels_of(config) if c.way_out] == [name]
        assert held(drawn(workspace(agent("ada")), channels=channels_of(config))) == {"ada": "E"}


def test_public_pages_in_notion_are_no_way_out_for_a_person_approves_each() -> None:
    """What may leave is said by a person, of exactly that text (governance.published)."""
    config = Config(notion=NotionSection(findings_data_source="0" * 32, public=True))
    assert [c.name for c in channels_of(config) if c.way_out] == []
    assert held(drawn(workspace(agent("ada")), channels=channels_of(config))) == {"ada": ""}


def test_a_channel_that_is_not_configured_is_not_in_the_flow() -> None:
    """`public` without a place to post to opens nothing. Notion's places are made by setup."""
    config = Config(slack=SlackSection(public=True))
    assert {c.name for c in channels_of(config)} == {"model service", "console", "page", "notion"}


def test_a_channel_with_live_links_is_a_way_out_for_those_who_write_to_it() -> None:
    """An unfurled link is fetched by Slack's servers: its address can carry anything."""
    slack = replace(
        channels_of(Config(slack=SlackSection(channel="C0123456789")))[-1], live_links=True
    )
    assert held(drawn(workspace(agent("ada")), channels=(slack,))) == {"ada": "E"}


FETCH = Tool("fetch", "observe", {"url": Parameter("argument"), "host": Parameter("host")})
SEND = Tool("send", "commit", {"to": Parameter("capability"), "host": Parameter("host")})
READ = Tool("read", "observe", {"path": Parameter("read")})
TOOLS = {tool.name: tool for tool in (FETCH, SEND, READ)}


def policy(**scope: object) -> Policy:
    one = ActionScope("skill", frozenset({"ada"}), **scope)  # type: ignore[arg-type]
    return Policy({"skill": one}, TOOLS, frozenset({"ada", "ben"}))


def test_a_fetch_of_an_address_that_an_agent_chose_is_a_way_out_and_a_way_in() -> None:
    """The address can carry what it knows, and the answer is text from outside."""
    space = workspace(agent("ada"), agent("ben"))
    fetching = policy(tools=frozenset({"fetch"}), hosts=frozenset({"example.org"}))
    assert held(drawn(space, policy=fetching)) == {"ada": "UE", "ben": ""}
    for safe in (
        policy(tools=frozenset({"fetch"})),
        policy(hosts=frozenset({"example.org"})),
        policy(
            tools=frozenset({"fetch"}), hosts=frozenset({"example.org"}), asks=frozenset({"host"})
        ),
    ):
        assert held(drawn(space, policy=safe)) == {"ada": "", "ben": ""}


def test_a_scope_that_waits_for_its_day_counts_and_one_that_only_an_edit_wakes_does_not() -> None:
    """Its time window opens without anybody looking at the files again."""
    fetching = policy(tools=frozenset({"fetch"}), hosts=frozenset({"example.org"}), held="not yet")
    skill = "units:\n- {id: skill, path: s.md, kind: skill, audience: [human], load_eligible: %s}\n"
    space = workspace(agent("ada"))
    assert held(drawn(space, skill % "true", policy=fetching)) == {"ada": "UE"}
    assert held(drawn(space, skill % "false", policy=fetching)) == {"ada": ""}


def test_a_message_to_a_quiet_channel_is_no_way_out_and_one_elsewhere_is() -> None:
    """The founders' own channel may be written to; what is not known to be quiet is a way out."""
    slack = channels_of(Config(slack=SlackSection(channel="C0123456789")))
    hosts, tools = frozenset({"slack.com"}), frozenset({"send"})
    quiet = policy(tools=tools, hosts=hosts, capabilities=frozenset({"slack"}))
    mail = policy(tools=tools, hosts=hosts, capabilities=frozenset({"slack", "mail"}))
    space = workspace(agent("ada"))
    assert held(drawn(space, policy=quiet, channels=slack)) == {"ada": ""}
    assert held(drawn(space, policy=mail, channels=slack)) == {"ada": "E"}
    assert held(drawn(space, policy=quiet)) == {"ada": "E"}


def test_a_reading_tool_gives_what_its_scope_covers() -> None:
    """A unit that `reads` keeps back can come through a tool."""
    reading = policy(tools=frozenset({"read"}), reads=("memory/own/",))
    assert held(drawn(workspace(agent("ada")), policy=reading)) == {"ada": "P"}


NAMES = st.sampled_from(
    ["memory", "findings", "K1", "K10", "x.md", "T1-1.md", "*", "**", "K*", "m*y"]
)
ENTRIES = st.builds(
    lambda parts, slash: "/".join(parts) + slash,
    st.lists(NAMES, min_size=1, max_size=5),
    st.sampled_from(["", "/"]),
)


@given(entry=ENTRIES)
def test_whatever_covers_a_finding_meets_its_folder(entry: str) -> None:
    """The flow never lacks an edge that the sprint has."""
    if covers((entry,), "memory/findings/K1/T1-1.md"):
        assert meeting_entry((entry,), "memory/findings/K1/") == 0


def test_an_entry_beside_a_folder_does_not_meet_it() -> None:
    """K10 is not K1, and one component is not two."""
    beside = ("memory/findings/K10/", "memory/*.md", "memory/findings/*", "memory/other/", "K1/")
    assert meeting_entry(beside, "memory/findings/K1/") is None
    assert meeting_entry((*beside, "memory/**/K1/"), "memory/findings/K1/") == 5
