from __future__ import annotations

from daemon.quality.normalise import read
from daemon.quality.word_salad import word_salad


def is_salad(text: str) -> bool:
    return any(one.rejects for one in word_salad(read(text), "report"))


def test_little_words_that_never_stand_side_by_side_reject() -> None:
    """In English and in Spanish."""
    assert is_salad(
        "Market the of dairy growing which into a therefore price because cooling of and tank then the sells."
    )
    assert is_salad(
        "Mercado el de lechero que hacia un por tanto precio porque frío de y tanque la vende dentro el el bajo."
    )


def test_a_heap_of_nouns_rejects() -> None:
    """A sentence of fourteen words and more without one little word, comma or figure."""
    heap = "milk tank price policy contract tractor harvest soil cheese market fence water barn truck road "
    assert is_salad(heap + "seed grain mill oven bread.")


def test_sentences_and_lists_of_names_are_no_salad() -> None:
    """Plain prose, inclusive language, and a list with commas."""
    assert not is_salad(
        "The price of milk is the price at the gate, and the tank decides who sells it to whom."
    )
    assert not is_salad(
        "Los y las docentes piden lo mismo: el aula, el patio y la biblioteca abiertos por la tarde."
    )
    assert not is_salad(
        "Milk, tanks, prices, contracts, tractors, soils, cheeses, markets, fences, barns, trucks, roads."
    )
