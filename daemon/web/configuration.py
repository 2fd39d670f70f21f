"""The page at /configuration: what is in force, who the agents are, and what each of them could do."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from flask import Flask, render_template

from daemon.config.sections import Config
from daemon.knowledge.unit import Manifest
from daemon.llm.choosing import API_KEY
from daemon.notify.senders import SECRETS
from daemon.reports.serving import provider_line
from daemon.web.powers import AgentRow, PowersDesk
from daemon.web.settings import SecretState, Setting, list_secrets, list_settings
from daemon.web.watch import Watch
from daemon.workspace.definitions import Agent, Team


@dataclass(frozen=True)
class MapSummary:
    """The map in figures. `sensitivities` counts units; `broken` are faults that keep it from governing."""

    project: str
    version: str
    sha256: str
    units: int
    untrusted: int
    sensitivities: Mapping[str, int]
    broken: int
    remarks: int


@dataclass(frozen=True)
class ConfigurationView:
    """`agents`, `teams` and `map` are empty or None where no workspace could be loaded. `powers` is
    None while it is worked out for the first time."""

    provider: str
    sections: tuple[tuple[str, tuple[Setting, ...]], ...]
    changed: int
    secrets: tuple[SecretState, ...]
    agents: tuple[tuple[Agent, str], ...]
    teams: tuple[Team, ...]
    map: MapSummary | None
    powers: tuple[AgentRow, ...] | None


def register(app: Flask, watch: Watch) -> None:
    """/configuration"""
    desk = PowersDesk(watch.services.root, watch.services.clock)

    @app.get("/configuration")
    def configuration_page() -> str:
        return render_template("configuration.html", view=configuration_view(watch, desk))


def configuration_view(watch: Watch, desk: PowersDesk) -> ConfigurationView:
    """As it is now; reads config.toml, and changes nothing."""
    services = watch.services
    config, metered = services.sprint_parts.config, services.metered
    workspace, chart = services.source.latest, services.sprint_parts.map.latest
    sections = list_settings(services.root, config)
    return ConfigurationView(
        provider=provider_line(metered.provider_name, metered.describe(), services.phrases),
        sections=sections,
        changed=sum(one.is_changed for _, settings in sections for one in settings),
        secrets=list_secrets((API_KEY, *SECRETS), os.environ, services.state_dir),
        agents=_agents(config, workspace.agents if workspace else ()),
        teams=workspace.teams if workspace else (),
        map=_map(chart) if chart else None,
        powers=desk.rows(services.config, workspace, chart) if workspace and chart else (),
    )


def _agents(config: Config, agents: tuple[Agent, ...]) -> tuple[tuple[Agent, str], ...]:
    """Each with the model of its tier."""
    models = {
        "reasoning": config.provider.reasoning_model,
        "routine": config.provider.routine_model,
    }
    return tuple((agent, models[agent.tier]) for agent in agents)


def _map(chart: Manifest) -> MapSummary:
    return MapSummary(
        project=chart.project,
        version=chart.version,
        sha256=chart.sha256,
        units=len(chart.units),
        untrusted=sum(unit.untrusted for unit in chart.units),
        sensitivities=dict(sorted(Counter(unit.sensitivity for unit in chart.units).items())),
        broken=len(chart.errors),
        remarks=len(chart.diagnostics),
    )
