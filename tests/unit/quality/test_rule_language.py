from __future__ import annotations

from daemon.quality.normalise import read
from daemon.quality.rule_language import rules_told


def test_a_party_and_its_duty_make_a_rule() -> None:
    """Each sentence of such a text tells one, in both languages."""
    english = "The lessee shall keep the premises in repair. The lessor will inspect them and will present a report."
    spanish = "La oficina revisará el plan y visitará el sitio. El solicitante podrá impugnar la decisión."
    assert len(rules_told(read(english))) == 2
    assert len(rules_told(read(spanish))) == 2


def test_what_the_writer_plans_is_no_rule() -> None:
    """A report that will examine, a team that will visit: the work itself."""
    text = "This report shall examine the market. The team will visit the farms. I must review the law."
    assert rules_told(read(text)) == frozenset()


def test_one_rule_among_many_facts_makes_no_rule_text() -> None:
    """Half of the sentences must tell rules."""
    text = "The owner shall pay. Milk is dear. Tanks are rare. Roads are bad. Trucks are old."
    assert rules_told(read(text)) == frozenset()
