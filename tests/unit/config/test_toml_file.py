"""config.toml is read exactly, and all its faults are told at once."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.config.sections import Config
from daemon.config.toml_file import load_config, parse_config
from daemon.errors import Fault, WorkspaceInvalid


def faults_in(text: str | bytes) -> tuple[Fault, ...]:
    with pytest.raises(WorkspaceInvalid) as caught:
        parse_config(text, "config.toml")
    return caught.value.faults


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    """A workspace without config.toml runs with what the example says."""
    assert load_config(tmp_path) == Config()


def test_the_file_of_the_workspace_is_read(tmp_path: Path) -> None:
    """Keys that are there count, the others keep their default."""
    (tmp_path / "config.toml").write_text("[sprint]\ntracks = 3\n", "utf-8")
    config = load_config(tmp_path)
    assert (config.sprint.tracks, config.sprint.max_attempts) == (3, 3)


def test_a_folder_named_config_toml_is_a_fault(tmp_path: Path) -> None:
    """Something that is no file is not taken for "no settings"."""
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(WorkspaceInvalid, match="not an ordinary file"):
        load_config(tmp_path)


def test_a_link_to_nowhere_is_a_fault(tmp_path: Path) -> None:
    """Settings that cannot be reached never turn into the defaults."""
    (tmp_path / "config.toml").symlink_to(tmp_path / "gone.toml")
    with pytest.raises(WorkspaceInvalid, match="is missing"):
        load_config(tmp_path)


@pytest.mark.parametrize(
    ("written", "micros"), [("12.5", 12_500_000), ("20", 20_000_000), ("0.1", 100_000), ("0", 0)]
)
def test_dollars_are_exact(written: str, micros: int) -> None:
    """12.5 is twelve dollars and fifty cents, and whole numbers are accepted."""
    config = parse_config(f"[budget]\ndaily_cap_usd = {written}", "config.toml")
    assert config.budget.daily_cap_micros == micros
    assert config.budget.daily_cap_usd == Decimal(written)


@pytest.mark.parametrize(
    "written", ["nan", "inf", "-inf", "-1", "1e7", '"20"', "true", "1e999999999999999999"]
)
def test_a_cap_that_is_no_ordinary_amount_is_refused(written: str) -> None:
    """nan, inf, negative, absurd and quoted amounts are faults of that key and line."""
    (fault,) = faults_in(f"[budget]\ndaily_cap_usd = {written}")
    assert (fault.line, fault.key) == (2, "budget.daily_cap_usd")


def test_all_faults_of_the_file_are_told_at_once() -> None:
    """Wrong type, out of range, unknown key and unknown section in one answer, by line."""
    found = faults_in(
        '[daemon]\nname = true\nlanguage = "de"\n\n[sprint]\ntracks = 99\nintervall_minutes = 5\n'
        "[digests]\nminute = 0\n"
    )
    assert [(fault.line, fault.key) for fault in found] == [
        (2, "daemon.name"),
        (3, "daemon.language"),
        (6, "sprint.tracks"),
        (7, "sprint.intervall_minutes"),
        (8, "digests"),
    ]
    assert "expects text, found true" in found[0].message
    assert "expects one of en, es, found 'de'" in found[1].message
    assert "must be at most 10, found 99" in found[2].message
    assert found[3].cure == "did you mean interval_minutes?"
    assert found[4].cure == "did you mean digest?"


def test_a_misspelt_budget_is_an_error_with_a_suggestion_wherever_it_stands() -> None:
    """daily_bugdet_usd never leaves the default cap in force without a word."""
    assert faults_in("daily_bugdet_usd = 5")[0].cure == "did you mean budget.daily_cap_usd?"
    assert faults_in("[budget]\ndaily_bugdet_usd = 5")[0].cure == "did you mean daily_cap_usd?"


def test_a_byte_order_mark_is_tolerated() -> None:
    """EF BB BF at the start is no "Invalid statement"."""
    assert parse_config(b"\xef\xbb\xbf[sprint]\ntracks = 3\n", "config.toml").sprint.tracks == 3


@pytest.mark.parametrize(
    ("text", "line", "cause"),
    [
        ("[daemon]\nname = sprintd", 2, "the value is not valid"),
        ("[daemon]\nname: 'x'", 2, "not followed by ="),
        ('[daemon]\nname = "x\n', 2, "not closed on its line"),
        ("[daemon]\nname = 'x' y\n", 2, "something follows after the value"),
        ('[daemon]\nname = "\\d"\n', 2, "a backslash in double quotes"),
        ("[web]\nallowed_hosts = [\n", 2, "never closed"),
        ("[web\nport = 1\n", 1, "the name of a section is not closed"),
    ],
)
def test_broken_syntax_names_cause_and_line(text: str, line: int, cause: str) -> None:
    """What tomllib calls an invalid value is said in words that help."""
    (fault,) = faults_in(text)
    assert fault.line == line
    assert cause in fault.message


def test_keys_and_sections_written_twice_are_told_with_both_lines() -> None:
    """Each second writing is a fault of its own."""
    found = faults_in("[budget]\ndaily_cap_usd = 1\ndaily_cap_usd = 2\n[web]\n[budget]\n")
    assert [(fault.line, fault.key) for fault in found] == [
        (3, "budget.daily_cap_usd"),
        (5, "budget"),
    ]
    assert "on lines 2 and 3" in found[0].message


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[provider]\napi_key = "abc-123-private"', "provider.api_key"),
        ('[slack]\nbot_token = "abc-123-private"', "slack.bot_token"),
        ('anthropicApiKey = "abc-123-private"', "anthropicApiKey"),
        ('[daemon]\nname = "sk-ant-api03-abc-123-private"', "daemon.name"),
        (
            '[web]\nallowed_hosts = ["https://hooks.slack.com/services/T0/B0/private"]',
            "web.allowed_hosts",
        ),
    ],
)
def test_secrets_in_the_file_are_refused_without_being_repeated(text: str, key: str) -> None:
    """The fault says where secrets go, and holds nothing of the secret."""
    faults = [fault for fault in faults_in(text) if fault.key == key]
    assert "looks like a secret" in faults[0].message
    assert "state/secrets/" in faults[0].cure
    assert "private" not in " ".join(str(fault) for fault in faults_in(text))


@pytest.mark.parametrize(
    ("address", "cause"),
    [
        ("https://example.org/v1", "must not end with /v1"),
        ("https://example.org/v1/", "must not end with /v1"),
        ("ftp://example.org", "expects an address"),
        ("example.org", "expects an address"),
        ("http://[::1", "expects an address"),
        ("https://example.org/?a=b", "without ?"),
    ],
)
def test_an_address_that_the_sdk_would_misread_is_refused(address: str, cause: str) -> None:
    """The SDK adds /v1 by itself, so an address that has it would lead nowhere."""
    (fault,) = faults_in(f'[provider]\nbase_url = "{address}"')
    assert (fault.line, fault.key) == (2, "provider.base_url")
    assert cause in fault.message


def test_deep_lists_and_endless_numbers_are_faults() -> None:
    """What makes tomllib raise something else is still a fault."""
    assert "too deep" in faults_in("x = " + "[" * 100_000)[0].message
    assert "thousands of digits" in faults_in("x = " + "9" * 5_000)[0].message


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet="[]=.\"'#\n\\ ab1,{}-_:", max_size=60)
    | st.binary(max_size=60)
    | st.text(max_size=60)
)
def test_no_input_raises_anything_but_workspace_invalid(raw: str | bytes) -> None:
    """Any bytes give a configuration or faults."""
    assert _config_or_faults(raw)


def _config_or_faults(raw: str | bytes) -> Config | tuple[Fault, ...]:
    try:
        return parse_config(raw, "config.toml")
    except WorkspaceInvalid as error:
        return error.faults
