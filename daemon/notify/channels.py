"""The places that texts of agents arrive at, and who may read them there."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.config.sections import Config
from daemon.config.toml_file import CONFIG_FILE

# What notify.slack posts: no previews (Slack would fetch what a text names) and no live links.
SLACK_UNFURLS = False


@dataclass(frozen=True)
class Channel:
    """A place that what an agent writes gets to by itself.

    `public`: people outside the founders can read it. `live_links`: an address in a text is fetched
    or can be followed from there. `setting` is the key of config.toml that says who reads it, empty
    where nothing does; `note` says in words why it is, or is not, a way out.
    """

    name: str
    setting: str = ""
    public: bool = False
    live_links: bool = False
    note: str = ""
    file: str = CONFIG_FILE

    @property
    def way_out(self) -> str:
        """Why a text that arrives here has left the workspace, as words; empty where it has not."""
        if self.public:
            return "people outside can read it"
        return "it follows the links in a text" if self.live_links else ""


def channels_of(config: Config) -> tuple[Channel, ...]:
    """Every place that this configuration lets texts of agents get to, also without its secret."""
    found = [
        Channel("model service", note="a fixed address of the operator's choice, without tools"),
        Channel("console", note="the terminal, or the journal of this machine"),
        Channel("page", "web.public", config.web.public, note="read by the founders"),
    ]
    if config.slack.channel:
        note = "inert text, read by the founders"
        public, links = config.slack.public, SLACK_UNFURLS
        found.append(Channel("slack", "slack.public", public, links, note))
    # Wherever setup made or adopted its databases, which is not said here. A public page leaves when
    # a person approved exactly its text (governance.published), so it is no way out by itself.
    readers = "people outside can read it, after a person approved each page"
    note = readers if config.notion.public else "pages of inert text, read by the founders"
    found.append(Channel("notion", "notion.public", note=note))
    return tuple(found)
