"""The account of a run at the end of a text."""

from __future__ import annotations

import pytest

from daemon.quality.epilogue import cut_epilogue

BODY = "The port moved 412,000 tonnes in 2024 and charges $35 per tonne."


@pytest.mark.parametrize(
    "account",
    [
        "[Tools called: serper ×3, pdf ×1 | Steps: 4 | Stop reason: end_turn]",
        "Acciones ejecutadas: 1) búsqueda web, 2) lectura. Modelo: gpt-4. Costo: 0,04 USD.",
        "— Generated with: ScrapeTool, PdfTool. End of the run log.",
        "Model: claude | Tokens: 4,210 | Cost: $0.03",
    ],
)
def test_an_account_of_the_run_is_cut_and_kept(account: str) -> None:
    """In whatever words, behind a rule or not."""
    assert cut_epilogue(f"{BODY}\n\n{account}") == (BODY, [account])
    assert cut_epilogue(f"{BODY}\n\n---\n{account}") == (BODY, [account])


@pytest.mark.parametrize(
    "line",
    [
        "Cost: $35 per tonne.",
        "Tools: the port owns 14 cranes and is buying a log grab.",
        "| Model | Cost |",
        "Next steps: ask the 14 pilots for their log of delays.",
    ],
)
def test_a_line_of_the_report_is_not_cut(line: str) -> None:
    """One sign alone, a sentence with a verb, or a table's row."""
    text = f"{BODY}\n\n{line}"
    assert cut_epilogue(text) == (text, [])


def test_a_text_of_nothing_else_is_left_to_the_judge() -> None:
    """Cutting it would leave nothing to be judged."""
    text = "Tools called: search ×3 | Steps: 4"
    assert cut_epilogue(text) == (text, [])
