"""Known fields, and those that only look like one."""

from __future__ import annotations

import pytest

from daemon.knowledge import fields


@pytest.mark.parametrize(
    ("written", "meant"),
    [("laod_eligible", "load_eligible"), ("Audience", "audience"), ("not-for", "not_for"),
     ("trigers", "triggers"), ("size_token", "size_tokens")],
)  # fmt: skip
def test_near_miss_names_what_was_meant(written: str, meant: str) -> None:
    """Letters swapped, another case, a hyphen, a letter left out."""
    assert fields.near_misses([written], fields.UNIT_FIELDS) == [(written, meant)]


@pytest.mark.parametrize("written", ["x", "owner", "reviewed_by", "audience", "x-acme-note"])
def test_other_names_are_left_alone(written: str) -> None:
    """A known field is right, and an extension is nobody's misspelling."""
    assert fields.near_misses([written], fields.UNIT_FIELDS) == []


def test_extension_beside_the_real_field_is_no_near_miss() -> None:
    """Where the field itself is there too, nothing was forgotten."""
    assert fields.near_misses(["audience", "audiences"], fields.UNIT_FIELDS) == []


def test_every_restricting_unit_field_is_known() -> None:
    """A restriction can only be misspelt if it is known how it is spelt."""
    known = (
        fields.UNIT_FIELDS
        | fields.TEMPORAL_FIELDS
        | fields.TRUST_FIELDS
        | fields.REQUIREMENT_FIELDS
    )
    assert known >= fields.RESTRICTING
    assert not fields.ENFORCED & fields.PLANNED
