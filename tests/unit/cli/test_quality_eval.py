"""quality eval: files of labelled texts in, measures out."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tests.unit.cli.small import as_json, sprintd

REFUSAL = "I'm sorry, but I can't help with that request."
ANSWER = "A berth in Arenal costs 41 USD a night."
ROWS = [
    {"id": "1", "kind": "A refusal", "lang": "en", "expect": "reject", "text": REFUSAL},
    {"id": "2", "kind": "answer", "lang": "en", "expect": "pass", "text": ANSWER},
    {"id": "3", "kind": "A refusal", "lang": "es", "expect": "reject",
     "text": "Lo siento, no puedo ayudar con eso."},
    {"id": "4", "kind": "answer", "lang": "es", "expect": "reject",
     "text": "Un amarre en Arenal cuesta 41 USD la noche."},
]  # fmt: skip


def write(path: Path, *more: str) -> Path:
    text = "\n".join([*map(json.dumps, ROWS), *more]) + "\n"
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_each_set_has_its_measures_with_intervals(tmp_path: Path) -> None:
    """Two of three found, nothing rejected wrongly; the baselines stand beside."""
    done = sprintd(None, "quality", "eval", str(write(tmp_path / "dev.jsonl")))
    assert done.returncode == 0, done.stderr
    assert "dev: 4 texts, profile answer; 3 to be rejected, 1 to be left alone" in done.stdout
    assert "precision                 100.0 % [34.2-100.0] of 2" in done.stdout
    assert "recall                     66.7 % [20.8-93.9] of 3" in done.stdout
    assert "yes to all 85.7 %" in done.stdout
    assert "A refusal" in done.stdout


def test_a_packed_file_gives_the_same(tmp_path: Path) -> None:
    """The name of the set has no endings."""
    plain = as_json(tmp_path, "quality", "eval", str(write(tmp_path / "dev.jsonl")))
    packed = as_json(tmp_path, "quality", "eval", str(write(tmp_path / "dev.jsonl.gz")))
    assert plain == packed
    assert plain["sets"][0]["f1"]["value"] == 0.8
    assert plain["sets"][0]["auroc"]["n"] == 4


def test_misses_are_named(tmp_path: Path) -> None:
    """File line, id, what was expected and what came."""
    done = sprintd(None, "quality", "eval", str(write(tmp_path / "dev.jsonl")), "--misses")
    assert "dev:4 4 [es] answer: expected reject, was accept" in done.stdout


def test_a_broken_line_is_named_and_the_others_count(tmp_path: Path) -> None:
    """Exit 1, and still the measures of what could be read."""
    file = write(tmp_path / "dev.jsonl", '{"text": 5}', "{")
    done = sprintd(None, "quality", "eval", str(file))
    assert done.returncode == 1
    assert "dev: 4 texts" in done.stdout
    assert f"{file}:5: text: must be text" in done.stderr
    assert f"{file}:6: is not JSON" in done.stderr
    assert len(as_json(tmp_path, "quality", "eval", str(file), code=1)["broken_lines"]) == 2


def test_a_file_without_any_sound_line_is_an_error(tmp_path: Path) -> None:
    """Nothing measured is no result."""
    file = tmp_path / "dev.jsonl"
    file.write_text("nonsense\n")
    found = as_json(tmp_path, "quality", "eval", str(file), code=1)
    assert found["error"]["faults"][0]["line"] == 1


def test_a_cut_gzip_file_is_an_error(tmp_path: Path) -> None:
    """Half a download gives no half measures."""
    file = write(tmp_path / "dev.jsonl.gz")
    file.write_bytes(file.read_bytes()[:40])
    done = sprintd(None, "quality", "eval", str(file))
    assert done.returncode == 1
    assert "no whole gzip file" in done.stderr
    file.write_bytes(b"plain text")
    assert "no whole gzip file" in sprintd(None, "quality", "eval", str(file)).stderr


def test_own_rules_are_used_where_asked_for(small: Path, tmp_path: Path) -> None:
    """The workspace's pattern counts only with --own-rules."""
    (small / "quality.toml").write_text(
        '[[pattern]]\nid = "berth"\nwhere = "head"\nwords = ["Un amarre en Arenal"]\n'
        'message = "m"\ncatches = "Un amarre en Arenal."\nleaves = "Nada."\n'
    )
    file = str(write(tmp_path / "dev.jsonl"))
    assert as_json(small, "quality", "eval", file)["sets"][0]["tp"] == 2
    assert as_json(small, "quality", "eval", file, "--own-rules")["sets"][0]["tp"] == 3


def test_a_profile_may_be_forced(tmp_path: Path) -> None:
    """Under report every short text is rejected by its score."""
    file = str(write(tmp_path / "dev.jsonl"))
    [found, *_] = as_json(tmp_path, "quality", "eval", file, "--profile", "report")["sets"]
    assert (found["by_defect"], found["by_score"]) == (2, 2)
    assert (found["tp"], found["with_score"]["tp"], found["with_score"]["fp"]) == (2, 3, 1)
    text = sprintd(None, "quality", "eval", file, "--profile", "report").stdout
    assert "with the score 75.0 %" in text


def test_a_set_of_one_kind_has_no_precision(tmp_path: Path) -> None:
    """Where nothing is to be left alone it would always be 100 %, else always 0."""
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps(ROWS[0]) + "\n")
    text = sprintd(None, "quality", "eval", str(file)).stdout
    assert "precision" not in text
    assert "recall                    100.0 %" in text
