"""The wheel, built and unpacked as an installer would, works without the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the installed wheel and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True)
    (wheel,) = folder.glob("sprintd-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def sprintd(site: Path, where: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name != "ANTHROPIC_API_KEY"}
    return subprocess.run(
        [sys.executable, "-m", "daemon", *words],
        cwd=where,
        env={**environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_installed_package_is_used(site: Path, tmp_path: Path) -> None:
    """The code under test is the wheel's, not the checkout's."""
    code = "import daemon; print(daemon.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).is_relative_to(site)


def test_the_wheel_carries_the_whole_sample_and_no_findings(site: Path) -> None:
    """Every starting note is in it; what sprints in the checkout added is not."""
    carried = {
        p.relative_to(site / "daemon/sample") for p in (site / "daemon/sample").rglob("*.md")
    }
    notes = {
        p.relative_to(ROOT) for p in (ROOT / "memory").rglob("*.md") if "findings" not in p.parts
    }
    agents = {p.relative_to(ROOT) for p in (ROOT / "agents").rglob("*.md")}
    assert carried == notes | agents


def test_init_writes_a_workspace_that_works(site: Path, tmp_path: Path) -> None:
    """`init`, `check` and one sprint run from the wheel alone, in an empty folder."""
    venture = tmp_path / "venture"
    made = sprintd(site, tmp_path, "init", str(venture))
    assert made.returncode == 0, made.stderr
    assert (venture / "config.toml").exists()
    checked = sprintd(site, venture, "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    ran = sprintd(site, venture, "sprint")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert list((venture / "memory" / "findings").rglob("*.md"))
