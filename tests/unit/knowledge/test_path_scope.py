"""Which files an action may name, and what the entries of a scope cover."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.knowledge.path_scope import (
    allows,
    denies,
    entry_fault,
    folded,
    is_governance,
    target_fault,
)
from daemon.knowledge.paths import path_fault
from tests.unit.knowledge.spellings import leaving, of_a_governance_file

_EVERYTHING = ("**", "docs/", "docs", "docs/**", "*")


@pytest.mark.parametrize("path", sorted(set(leaving())), ids=ascii)
def test_every_spelling_that_leads_elsewhere_is_refused(path: str) -> None:
    """Up, absolute, encoded, foreign, invisible, decomposed, fullwidth, too long: even under `**`."""
    assert target_fault(path)
    assert not allows(_EVERYTHING, path)


@pytest.mark.parametrize("path", sorted(set(of_a_governance_file())), ids=ascii)
def test_what_governs_is_known_in_every_case(path: str) -> None:
    """Upper, lower and title case, the long s and the Kelvin sign: all of them are the same file."""
    assert target_fault(path) != "" or is_governance(path)
    assert is_governance(unicodedata.normalize("NFC", path))


@pytest.mark.parametrize(
    "path",
    ["docs/a.md", "docs/..notes.md", ".github/x.yml", "memory/año/ñandú.md", "a b/c.md",
     "docs/a..b.md", "docs/Ⅷ.md", "docs/50%.md", "docs/a~b", "docs/x:y", "docs/[1].md"],
)  # fmt: skip
def test_ordinary_name_is_free(path: str) -> None:
    """Hidden files, inner dots, accents, a lone per cent sign and inner colons name nothing else."""
    assert target_fault(path) == ""


def test_similar_names_do_not_govern() -> None:
    """A file is protected by its place: a note about the agents is no agent."""
    for path in ("memory/agents/x.md", "statement.md", "knowledge.yaml.md", "docs/config.toml"):
        assert not is_governance(path)


def test_entry_covers_at_component_boundaries_only() -> None:
    """`docs` and `docs/` do not reach into docs-secret or docs.md."""
    for entry in ("docs", "docs/", "docs/**"):
        assert allows([entry], "docs/a/b.md")
        assert not allows([entry], "docs-secret/x")
        assert not allows([entry], "docs.md")


def test_allowing_is_exact_and_denying_is_not() -> None:
    """The allow list tells Docs from docs; the deny list does not, nor the two forms of é."""
    assert not allows(["docs/"], "Docs/a.md")
    assert denies(["docs/"], "DOCS/a.md")
    assert denies(["caf\u00e9/"], "CAFE\u0301/x")
    assert denies(["STRASSE/"], "straße/x")


def test_denied_folder_denies_what_lies_in_it() -> None:
    """Also where the entry is a pattern that matches only the folder's own name, and itself."""
    assert denies(["secret*"], "secrets/deep/x")
    assert denies(["docs/secrets/"], "docs/secrets")
    assert denies(["docs/secrets/**"], "docs/secrets/a/b")
    assert not denies(["docs/secrets/"], "docs/secrets-not/a")


def test_path_that_grows_beyond_the_longest_name_when_folded_is_denied() -> None:
    """Such a path cannot be compared, so that no denial is passed by a name of rare letters."""
    grows = "\u0149" * 120  # two bytes each, and three when folded
    assert target_fault(f"docs/{grows}") == ""
    assert path_fault(folded(f"docs/{grows}"))
    assert denies(["elsewhere/"], f"docs/{grows}")


@pytest.mark.parametrize(
    "entry", ["", "/", "./docs/", ".", "..", "docs/..", "/docs", "docs//", "~/docs", "file:x", "do\x00cs",
              "docs\\", "cafe\u0301/", "docs/ ", "%2e%2e/"],
)  # fmt: skip
def test_entry_that_is_not_canonical_is_a_fault(entry: str) -> None:
    """Nothing is repaired: such an entry is an error of the manifest."""
    assert entry_fault(entry)


@pytest.mark.parametrize("entry", ["docs", "docs/", "docs/**", "*", "**", "docs/*.md", "a/*/b/"])
def test_sound_entry_has_no_fault(entry: str) -> None:
    """Folders, bare names and the two wildcards."""
    assert entry_fault(entry) == ""


@given(st.text(max_size=40))
@example("docs/\u1fb3")
@example("\u0345\u03b1")
@example("\u0130")
def test_folding_is_idempotent(text: str) -> None:
    """Folding what is folded changes nothing, so two folded texts compare once and for all."""
    assert folded(folded(text)) == folded(text)


@given(st.text(max_size=30))
def test_both_unicode_forms_fold_to_the_same(text: str) -> None:
    """Composed and decomposed, upper and lower: one form in the deny list."""
    assert folded(unicodedata.normalize("NFD", text)) == folded(unicodedata.normalize("NFC", text))


@given(st.text(max_size=40))
@example("docs/a:b")
def test_an_allowed_path_is_canonical_for_every_reader(text: str) -> None:
    """What passes has one spelling: it is its own NFC, and its compatible form has no new separator."""
    if not target_fault(text):
        assert path_fault(text) == ""
        compatible = unicodedata.normalize("NFKC", text)
        assert compatible.count("/") == text.count("/")
        assert not {"", ".", ".."} & set(compatible.split("/"))


@given(st.text("docsDOCS/.-é", min_size=1, max_size=12))
def test_what_is_denied_by_exact_match_is_denied(path: str) -> None:
    """A deny entry that is the path itself holds for it and for everything below."""
    if not target_fault(path):
        assert denies([path], path)
        assert denies([path], f"{path}/x")
