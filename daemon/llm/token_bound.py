"""An upper bound of the input tokens of a prompt, without asking anybody."""

from __future__ import annotations

import json
import unicodedata

from daemon.llm.provider import Prompt

# The service wraps a request in its own words: role markers, and for a schema a paragraph that
# explains the wanted form. Both are a few hundred tokens; these are generous.
WRAPPING_TOKENS = 512
SCHEMA_WRAPPING_TOKENS = 1024


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
    return tokens


def _bytes_of(text: str) -> int:
    """UTF-8 bytes in the longer of the two forms; a lone surrogate counts as three."""
    normal = unicodedata.normalize("NFKC", text)
    return max(len(form.encode("utf-8", "surrogatepass")) for form in (text, normal))
