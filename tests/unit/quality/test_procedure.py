from __future__ import annotations

from daemon.quality.normalise import read
from daemon.quality.procedure import only_method


def is_method(text: str) -> bool:
    return any(one.rejects for one in only_method(read(text), "report"))


def test_steps_of_a_study_without_a_result_reject() -> None:
    """Whatever the field's words are: the sentences say what was done, and nothing else."""
    assert is_method(
        "Soil was taken at random points of each plot and sieved. Acidity was read with an electrode."
        " Each reading was repeated, and outliers were discarded."
    )
    assert is_method(
        "Se buscó en bases de datos con términos predefinidos. Dos lectores cribaron los títulos."
        " Los datos se volcaron a una hoja común."
    )


def test_one_sentence_of_result_is_enough() -> None:
    """What the wells are is no step of a study."""
    assert not is_method(
        "Samples were taken from all wells. The laboratory measured nitrate in each."
        " Wells near the pig farms are unfit to drink from. The council closed four."
    )


def test_what_a_law_orders_is_no_method() -> None:
    """Records that shall be kept have the words of a method and are a rule."""
    assert not is_method(
        "The notification shall describe the categories of data. The records shall be kept and reviewed."
        " The authority shall examine the documents and the measures."
    )
