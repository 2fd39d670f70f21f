"""What findings on the disk bring into the flow, by what they say and by what they were made of."""

from __future__ import annotations

from pathlib import Path

from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.provenance import UNKNOWN, Provenance
from daemon.sprint.flow_files import stored_texts

MAP = """
units:
- {id: rivals, path: memory/out/rivals.md, untrusted: true}
- {id: runway, path: memory/own/runway.md, sensitivity: restricted}
- {id: basics, path: memory/open/basics.md, sensitivity: internal}
"""
HARMLESS = "origin: finding\nprovenance: workspace\nsensitivity: internal\n"


def finding(root: Path, name: str, front: str, *sources: str) -> None:
    path = root / "memory/findings/K1" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    listed = "".join(f"- {{id: x, path: {source}}}\n" for source in sources)
    front += f"sources:\n{listed}" if listed else ""
    path.write_text(f"---\n{front}---\nText.\n")


def found(root: Path) -> dict[str, Provenance]:
    texts = stored_texts(root, parse_manifest(MAP, "knowledge.yaml"))
    return {text.path.rpartition("/")[2]: text.provenance for text in texts}


def test_a_harmless_finding_changes_nothing(tmp_path: Path) -> None:
    """Made of the workspace's own open notes, or of none."""
    finding(tmp_path, "a.md", HARMLESS, "memory/open/basics.md", "memory/gone.md")
    finding(tmp_path, "b.md", HARMLESS)
    assert found(tmp_path) == {}


def test_an_edited_finding_is_what_its_sources_are(tmp_path: Path) -> None:
    """It calls itself harmless and still names a page from outside and a secret note."""
    finding(tmp_path, "a.md", HARMLESS, "memory/out/rivals.md")
    finding(tmp_path, "b.md", HARMLESS, "memory/own/runway.md")
    assert found(tmp_path) == {
        "a.md": Provenance(outside=True, sensitivity="internal"),
        "b.md": Provenance(outside=False, sensitivity="restricted"),
    }


def test_a_finding_made_of_findings_is_what_all_of_them_are(tmp_path: Path) -> None:
    """Along a whole chain, and round a circle."""
    folder = "memory/findings/K1"
    finding(tmp_path, "a.md", HARMLESS, f"{folder}/b.md")
    finding(tmp_path, "b.md", HARMLESS, f"{folder}/c.md", f"{folder}/a.md")
    finding(tmp_path, "c.md", HARMLESS, "memory/out/rivals.md")
    assert {name: one.outside for name, one in found(tmp_path).items()} == dict.fromkeys(
        ["a.md", "b.md", "c.md"], True
    )


def test_a_finding_that_says_nothing_is_the_worst(tmp_path: Path) -> None:
    """Its front matter was taken away, or makes a starting note of it."""
    finding(tmp_path, "a.md", "title: x\n")
    finding(tmp_path, "b.md", "origin: starting-note\n")
    (tmp_path / "memory/findings/K1/c.md").write_text("Text.\n")
    assert found(tmp_path) == dict.fromkeys(["a.md", "b.md", "c.md"], UNKNOWN)


def test_what_no_agent_is_given_brings_nothing_in(tmp_path: Path) -> None:
    """A link, broken front matter, bytes that are no text."""
    finding(tmp_path, "a.md", "origin: [finding\n")
    folder = tmp_path / "memory/findings/K1"
    (folder / "b.md").write_bytes(b"\xff\xfe")
    (folder / "c.md").symlink_to(folder / "a.md")
    assert found(tmp_path) == {}
