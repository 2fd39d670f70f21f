"""The keys of the files that people edit stand in docs/configuration.md, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from daemon.workspace.agents import AgentEntry, PlaybookEntry
from daemon.workspace.backlog import ItemEntry
from daemon.workspace.kill_criteria import CriterionEntry
from daemon.workspace.teams import TeamEntry

DOCS = Path(__file__).parents[3] / "docs" / "configuration.md"
MODELS: dict[str, type[BaseModel]] = {
    "backlog.yaml": ItemEntry,
    "agents/ID.md": AgentEntry,
    "agents/teams.yaml": TeamEntry,
    "agents/playbooks/ID.md": PlaybookEntry,
    "kill_criteria.yaml": CriterionEntry,
}


@pytest.mark.parametrize("file", MODELS)
def test_each_key_is_documented_as_needed_or_not(file: str) -> None:
    """Those in brackets may be left out; all others must be there."""
    (keys,) = re.findall(rf"^\| `{re.escape(file)}`[^|]*\| ([^|]*) \|", DOCS.read_text(), re.M)
    needed, _, optional = keys.partition("[")
    fields = MODELS[file].model_fields
    assert set(re.findall(r"`(\w+)`", needed)) == {n for n, f in fields.items() if f.is_required()}
    assert set(re.findall(r"`(\w+)`", optional)) == {
        name for name, field in fields.items() if not field.is_required()
    }
