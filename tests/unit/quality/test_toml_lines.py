from __future__ import annotations

from daemon.quality.toml_lines import TomlLines, syntax_line

TEXT = 'a = 1\n\n[[t]]\nx = 1\n[[ t ]]\n"y" = 2\nx = 3\n'


def test_keys_and_tables_have_their_lines() -> None:
    """The second table of a name is another one; an absent key has its table's line."""
    lines = TomlLines(TEXT)
    assert lines.top("a") == 1
    assert lines.key("t", 0, "x") == 4
    assert lines.key("t", 1, "y") == 6
    assert lines.key("t", 1, "x") == 7
    assert lines.key("t", 0, "gone") == lines.table("t", 0) == 3
    assert lines.key("none", 0, "x") == lines.top("none") == 0


def test_a_parser_s_message_gives_its_line() -> None:
    """Where it says "at end of document" that is the last line."""
    assert syntax_line("Invalid value (at line 12, column 3)", TEXT) == 12
    assert syntax_line("Invalid value (at end of document)", TEXT) == 7
    assert syntax_line("Invalid value (at end of document)", "") == 1
