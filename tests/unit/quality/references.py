"""How the tests of references look something up."""

from __future__ import annotations

from daemon.quality.claims import Claim, SourceNote
from daemon.quality.normalise import clean, read
from daemon.quality.reference_claims import reference_claims
from daemon.quality.verdict import Profile, TaskBrief


def look_up(
    output: str,
    *notes: str,
    question: str = "",
    prompt_text: str = "",
    profile: Profile = "report",
) -> list[Claim]:
    """The claims of an output against notes law.n0, law.n1 and so on."""
    task = TaskBrief("T1", question, profile, "en", prompt_text)
    sources = [SourceNote(f"law.n{at}", text) for at, text in enumerate(notes)]
    return list(reference_claims(read(clean(output)), task, sources))


def only(output: str, *notes: str) -> Claim:
    """The one claim of an output."""
    (claim,) = look_up(output, *notes)
    return claim


def status_of(output: str, *notes: str) -> str:
    """The status of an output's only claim."""
    return only(output, *notes).status
