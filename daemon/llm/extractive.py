"""The offline writer: a brief made of sentences that stand in the sources, and of nothing else.

It needs no key, no network and no money, and gives the same brief for the same prompt. It does
not reason, and its first line says so. Apart from that line, the headings and the lines of the
frame below, everything in a brief is a word-for-word quotation with the id of its source.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from daemon.config.sections import Tier
from daemon.errors import ProviderPermanent
from daemon.llm.frames import FRAMES, Frame
from daemon.llm.missing_terms import missing_terms
from daemon.llm.picking import Picks, pick, with_sentences_before
from daemon.llm.provider import OFFLINE_MODEL, Completion, Prompt, SourceText, Usage
from daemon.llm.selection import Choice, choose

MODEL = OFFLINE_MODEL
BYTES_A_TOKEN = 4
MOST_MISSING = 6


class ExtractiveProvider:
    """Quotes the sentences of `prompt.sources` that answer `prompt.question`."""

    name = "extractive"
    writes_json = False
    uses_tools = False

    def model_for(self, tier: Tier) -> str:  # noqa: ARG002 - one model serves every tier
        return MODEL

    def bound_input_tokens(self, prompt: Prompt) -> int:
        return _tokens(prompt.system + prompt.user)

    def send(self, prompt: Prompt) -> Completion:
        """The brief. Raises ProviderPermanent for a prompt with a schema, which it cannot fill."""
        if prompt.schema is not None:
            raise ProviderPermanent(
                "the offline writer selects sentences and cannot fill a JSON schema; "
                "set provider.kind to claude",
                setting="provider.kind",
            )
        text, cut = _brief(prompt)
        return Completion(
            text=text,
            model=MODEL,
            usage=Usage(self.bound_input_tokens(prompt), _tokens(text)),
            stop_reason="max_tokens" if cut else "end_turn",
        )

    def describe(self) -> str:
        return f"extractive ({MODEL}): quotes sentences of the notes, offline; it does not reason"

    def close(self) -> None:
        """Nothing to give up."""


def _brief(prompt: Prompt) -> tuple[str, bool]:
    """The text, and whether the limit of output tokens left no room for any quotation.

    Where not even the frame has room, the text is empty: half a frame would say half a truth.
    """
    frame = FRAMES.get(prompt.language, FRAMES["en"])
    sources = [source for source in prompt.sources if source.text.strip()]
    choices = choose(sources, prompt.question, prompt.language)
    missing = missing_terms(sources, prompt.question, prompt.language) if sources else []
    room = prompt.max_output_tokens * BYTES_A_TOKEN
    picks = pick(choices, sources)
    text = _render(frame, sources, picks, missing)
    while len(text.encode()) > room and picks.drop_last():
        text = _render(frame, sources, picks, missing)
    if len(text.encode()) > room:
        return "", True
    return text, bool(choices) and not picks.best


def _render(
    frame: Frame, sources: Sequence[SourceText], picks: Picks, missing: Sequence[str]
) -> str:
    parts = [frame.opening]
    best, evidence = with_sentences_before(picks)
    if not best:
        parts.append(frame.no_match if sources else frame.no_source)
    else:
        parts += [f"## {frame.best}", *_blocks(best, sources)]
    order = {one.source: -place for place, one in reversed(list(enumerate(evidence)))}
    evidence.sort(key=lambda one: (-order[one.source], one.place))
    if evidence:
        parts.append(f"## {frame.evidence}")
    for number, group in groupby(evidence, key=lambda one: one.source):
        parts += [f"### {_title(sources[number])}", *_blocks(list(group), sources)]
    if missing or picks.gaps:
        parts += [f"## {frame.gaps}", *_blocks(picks.gaps, sources)]
    if missing:
        parts.append(frame.missing.format(terms=", ".join(missing[:MOST_MISSING])))
    return "\n\n".join(parts) + "\n"


def _blocks(choices: Sequence[Choice], sources: Sequence[SourceText]) -> list[str]:
    """Lists of sentences, and tables of rows that follow one another under the same header."""
    blocks = []
    grouped = groupby(
        choices, key=lambda one: (one.passage.header, one.passage.header and one.source)
    )
    for (header, _), group in grouped:
        members = list(group)
        if header is None:
            blocks.append(
                "\n".join(f"- {one.passage.text} {_mark(one, sources)}" for one in members)
            )
        else:
            rows = [*header, *(one.passage.text for one in members)]
            blocks += ["\n".join(rows), _mark(members[0], sources)]
    return blocks


def _mark(choice: Choice, sources: Sequence[SourceText]) -> str:
    return f"[{_plain(sources[choice.source].id).translate({91: 40, 93: 41})}]"


def _title(source: SourceText) -> str:
    return _plain(source.title) or _plain(source.id)


def _plain(text: str) -> str:
    """One line without control characters: a title comes from a file that anyone may have sent."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:160]


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)
