from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.quality.normalise import read
from daemon.quality.pieces import PieceFinder, offer

LETTERS = st.text(alphabet="ab ñ。", max_size=30)


def found_one_by_one(piece: str, text: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(piece, at)]


@given(st.sets(LETTERS.map(lambda text: text[:4]), max_size=8), LETTERS)
def test_every_place_of_every_piece_is_found(pieces: set[str], text: str) -> None:
    """Pieces within pieces and overlapping ones too; what does not occur is left out."""
    wanted = {piece: found_one_by_one(piece, text) for piece in pieces if piece}
    assert PieceFinder(pieces).places(text) == {one: at for one, at in wanted.items() if at}


def test_pieces_offered_later_are_found_in_texts_read_from_then_on() -> None:
    """A module that is imported late is not forgotten."""
    assert "qzx wv" not in read("a qzx wv b").pieces
    offer(lambda: ["qzx wv"])
    assert read("a QZX WV b").pieces["qzx wv"] == [2]
