"""The list of sources that a writer put at the end is found, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from daemon.quality.claims import Claim
from daemon.quality.source_list import source_list_start, without_source_list
from daemon.quality.verdict import Defect, Verdict

BODY = "Forty boats came.\n\n"

LISTS = [
    "## Sources\n- harbour.boats\n- https://harbour.example/2025\n",
    "## Sources given to the agent (listed by sprintd)\n\n- `a.b`: Boats (memory/a.md)\n",
    "**References:**\n\n[1] Harbour office\n[2] Council\n",
    "Fuentes consultadas:\n1. Capitanía\n   informe anual\n\n2. Cabildo\n",
    "### Bibliografía\n| a | b |\n",
    "Sources: [harbour.boats], [harbour.light]\n",
]


@pytest.mark.parametrize("listed", LISTS)
def test_a_list_of_sources_at_the_end_is_found_with_its_heading(listed: str) -> None:
    """In both languages, as heading, bold line or plain line, also on one line."""
    assert source_list_start(BODY + listed) == len(BODY)


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        BODY + "## Sources of income\n- berths\n",
        BODY + "## Sources\nThe office counts boats by hand, so its figures are low.\n",
        BODY + "## Sources\n- a.b\n\n## Not verified\n- How many left?\n",
        "## Sources\n- the only thing that it says\n",
        "",
    ],
)
def test_other_ends_of_a_text_are_left_alone(text: str) -> None:
    """Prose under such a heading, a section behind it, a text that is nothing else."""
    assert source_list_start(text) is None


def test_what_is_cut_is_kept_and_takes_its_claims_along() -> None:
    """The list goes to `stripped`; claims inside go, defects found there lose their place."""
    text = BODY + LISTS[0]
    at = text.index("https")
    inside = Claim("url", "https://harbour.example/2025", (at, at + 28), "supported")
    before = Claim("figure", "Forty", (0, 5), "supported")
    verdict = Verdict(
        "flag", 50, (), (Defect("x", "m", rejects=False, span=(at, at + 28)),), text, ("hello",),
        claims=(before, inside),
    )  # fmt: skip
    cut = without_source_list(verdict)
    assert cut.cleaned_text == BODY.strip()
    assert cut.stripped == ("hello", LISTS[0].strip())
    assert cut.claims == (before,)
    assert cut.defects == (Defect("x", "m", rejects=False),)
