"""Years, months and places that a sentence speaks of."""

from __future__ import annotations

from daemon.quality.measure_scope import scope_of


def test_a_sentence_names_its_years_months_and_places() -> None:
    """In two languages, the months by one name; a full date is when it was written down."""
    for sentence, scope in (
        ("6 of 25 owners pay after the priced offer.", set()),
        ("In 2026 6 of 25 owners paid.", {"2026"}),
        ("In March 2026 6 of 25 owners paid.", {"2026", "march"}),
        ("En marzo de 2026 pagaron 6 de 25 propietarios.", {"2026", "march"}),
        ("On 3 March 2027 6 of 25 owners paid.", set()),
        ("El 3 de marzo de 2027 pagaron 6 de 25 propietarios.", set()),
        ("Counted 2027-03-01: 6 of 25 owners paid.", set()),
        ("In May 6 of 25 owners may pay.", {"may"}),
        ("6 of 25 owners in Puerto Montt paid.", {"puerto montt"}),
        ("Pagaron 6 de 25 propietarios de Quito.", {"quito"}),
        ("6 of 25 owners paid in the second round.", {"second round"}),
        ("6 of 25 owners paid in Q2.", {"q2"}),
        ("Ana says that of 25 owners 6 paid USD 2026.", set()),
    ):
        assert scope_of(sentence) == scope, sentence
