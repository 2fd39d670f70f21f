"""Holds the whole house to one door: whoever asks a model passes the budget."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[3] / "daemon"
DOOR = Path("governance/metered.py")
CONCRETE = ("daemon.llm.claude", "daemon.llm.extractive", "daemon.llm.replay")
SENDERS = ("send", "send_raw")


def breaches(source: str, path: Path) -> list[str]:
    """Every place where a file asks a provider, or gets hold of one that can be asked."""
    if path.parts[0] == "llm":
        return []
    tree = ast.parse(source)
    found: list[str] = []
    imports = _imported(tree)
    if path != DOOR and (_knows_providers(imports) or "provider" in source):
        found += [f"{path}:{line}: asks a provider" for line in _sends(tree)]
    if path != Path("bootstrap.py"):
        found += [
            f"{path}: imports {name}"
            for name in sorted(imports)
            if any(name == one or name.startswith(f"{one}.") for one in CONCRETE)
        ]
    return found


def _imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _knows_providers(imports: set[str]) -> bool:
    return any(name.startswith(("daemon.llm", "daemon.governance.metered")) for name in imports)


def _sends(tree: ast.Module) -> list[int]:
    """Lines with `x.send`, called or only taken, and with the word as a text for getattr."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in SENDERS)
        or (isinstance(node, ast.Constant) and node.value in SENDERS)
    ]


def test_nobody_but_the_metered_provider_asks_a_model() -> None:
    """No other file of the house takes a provider's `send`, or imports a concrete provider."""
    files = sorted(HOUSE.rglob("*.py"))
    assert HOUSE / DOOR in files
    told = [
        breach
        for file in files
        for breach in breaches(file.read_text("utf-8"), file.relative_to(HOUSE))
    ]
    assert told == []


def test_the_metered_provider_asks_in_one_place() -> None:
    """One line sends, and the reservation stands before it."""
    tree = ast.parse((HOUSE / DOOR).read_text("utf-8"))
    assert len(_sends(tree)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "from daemon.llm.provider import Provider\ndef f(p: Provider): return p.send(1)",
        "def f(provider): provider.send(1)",
        "from daemon.llm import provider\nask = [p.send for p in ()]",
        "def f(provider): getattr(provider, 'send')(1)",
        "from daemon.governance.metered import MeteredProvider\nm._provider.send(1)",
        "import daemon.llm.claude",
        "from daemon.llm import extractive",
        "def f():\n    from daemon.llm.replay import ReplayProvider",
    ],
)
def test_each_way_around_the_door_is_seen(source: str) -> None:
    """The search itself is tested, so that it cannot pass by finding nothing."""
    assert breaches(source, Path("sprint/anywhere.py"))


def test_what_has_nothing_to_do_with_models_may_send() -> None:
    """A socket is no provider."""
    assert breaches("def f(sock): sock.send(b'READY=1')", Path("server.py")) == []
