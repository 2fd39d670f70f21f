"""What is said of a text that is no TOML, in each file that people edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.config.toml_file import load_config
from daemon.errors import WorkspaceInvalid
from daemon.llm.prices import load_prices
from daemon.sprint.reading import load_quality_rules

BROKEN = (
    ("x = [\n", 1, "", "a list or value is never closed", "close it"),
    ('a = 1\nx = "open\n', 2, "", "a text is not closed on its line", "close the quote"),
    ("a = 1\n\n[s\n", 3, "", "the name of a section is not closed", "write [section]"),
    ("a = 1\nb\n", 2, "", "a key is not followed by =", "write key = value"),
    ("a = 1\na = 2\n", 2, "a", "is written twice, on lines 1 and 2", "keep one of the two"),
    ("x = " + "[" * 100_000, 0, "", "lists are nested too deep", ""),
)


def test_every_file_says_it_in_the_same_words(tmp_path: Path) -> None:
    """With line, key and cure, and in none of the parser's own words."""
    for name, load in (
        ("config.toml", load_config),
        ("prices.toml", load_prices),
        ("quality.toml", load_quality_rules),
    ):
        for text, *told in BROKEN:
            (tmp_path / name).write_text(text)
            with pytest.raises(WorkspaceInvalid) as caught:
                load(tmp_path)
            (fault,) = caught.value.faults
            assert [fault.file, fault.line, fault.key, fault.message, fault.cure] == [name, *told]
