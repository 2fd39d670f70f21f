"""What the running daemon tells other programs of itself."""

from __future__ import annotations

from daemon.config.phrases import Phrases
from daemon.reports.serving import Serving, find_serving, keep_serving, provider_line
from daemon.store.database import Database
from tests.unit.reports.money import NOON


def test_only_the_process_that_wrote_it_is_believed(db: Database) -> None:
    """What a life that was killed left behind says nothing of the next one."""
    told = Serving(4711, "claude (a, b)", "http://127.0.0.1:8642/")
    assert find_serving(db, 4711) is None
    keep_serving(db, told, NOON)
    assert find_serving(db, 4711) == told
    assert find_serving(db, 4712) is None
    assert find_serving(db, None) is None
    keep_serving(db, Serving(4711, "x", "", ("notion", "slack")), NOON)
    found = find_serving(db, 4711)
    assert found is not None
    assert found.channels == ("notion", "slack")


def test_a_provider_without_words_describes_itself() -> None:
    """The offline writer is told of in the founders' language, a model by its name."""
    assert "no razona" in provider_line("extractive", "x", Phrases("es"))
    assert provider_line("claude", "claude (a, b)", Phrases("es")) == "claude (a, b)"
