"""An upper bound of the input tokens of a prompt, without asking anybody."""

from __future__ import annotations

import json
import unicodedata

from daemon.llm.provider import Prompt

# The service wraps a request in its own words: role markers, and for a schema a paragraph that
# explains the wanted form. Both are a few hundred tokens; these are generous.
WRAPPING_TOKENS = 512
SCHEMA_WRAPPING_TOKENS = 1024
TOOLS_WRAPPING_TOKENS = 1024
PART_WRAPPING_TOKENS = 64


def bound_input_tokens(prompt: Prompt) -> int:
    """At least as many input tokens as the prompt can be billed for.

    A tokeniser that works on bytes (byte-level BPE, as all current models use) starts with one
    token for each UTF-8 byte and only ever merges them, so the number of bytes is never too small.
    Some tokenisers first bring the text into Unicode form NFKC, which can make it longer; the
    larger of both counts. For English the bound is about four times the truth; the difference
    is set aside for a moment and given back when the bill comes.
    """
    tokens = _bytes_of(prompt.system) + _bytes_of(prompt.user) + WRAPPING_TOKENS
    if prompt.schema is not None:
        schema = json.dumps(prompt.schema, ensure_ascii=False)
        tokens += 2 * _bytes_of(schema) + SCHEMA_WRAPPING_TOKENS
    return tokens + (_of_tools(prompt) if prompt.tools else 0)


def _of_tools(prompt: Prompt) -> int:
    """The tools as they are described, and all turns: each with the markers around its parts."""
    tokens = TOOLS_WRAPPING_TOKENS
    for tool in prompt.tools:
        told = f"{tool.name} {tool.description} {json.dumps(tool.schema, ensure_ascii=False)}"
        tokens += 2 * _bytes_of(told) + PART_WRAPPING_TOKENS
    for turn in prompt.turns:
        parts = (turn.echo, turn.said, *(result.text for result in turn.results))
        tokens += sum(_bytes_of(part) + PART_WRAPPING_TOKENS for part in parts)
    return tokens


def _bytes_of(text: str) -> int:
    """UTF-8 bytes in the longer of the two forms; a lone surrogate counts as three."""
    normal = unicodedata.normalize("NFKC", text)
    return max(len(form.encode("utf-8", "surrogatepass")) for form in (text, normal))
