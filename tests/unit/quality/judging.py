"""How the tests of this room ask for a verdict."""

from __future__ import annotations

from daemon.quality.assessment import assess
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import Profile, TaskBrief, Verdict

REPORT = """# Demand for legal search in Ecuador

## Result

Of 41 lawyers interviewed in Quito and Cuenca between 3 March 2025 and 21 March 2025, 29 would pay $49
a month for a search of rulings; 8 would pay less and 4 nothing. That is 71% of the sample, above the
60% of the criterion. The strongest reason is time: a search by hand takes 40 minutes on average, and
lawyers do eleven of them a week. Those who would not pay work for the state or hold a licence already.

| City | Asked | Would pay |
|---|---|---|
| Quito | 26 | 20 |
| Cuenca | 15 | 9 |

## Limits

We could not interview judges in Loja. The sample holds no firm with more than thirty lawyers, so the
figure says nothing about them. The price was named by the interviewer, which raises the answer.

## Next steps

Ask ten firms with more than thirty lawyers, and repeat the question with a lower and a higher price.
"""


def judge(text: str, profile: Profile = "answer", language: str = "en") -> Verdict:
    """The verdict under the package's own rules."""
    brief = TaskBrief(item="T1", question="What is it?", profile=profile, language=language)
    return assess(text, brief, rules=QualityRules())


def rejecting(verdict: Verdict) -> list[str]:
    """The checks that reject."""
    return [defect.check for defect in verdict.defects if defect.rejects]
