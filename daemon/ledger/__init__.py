"""The notary: an append-only log of decisions that proves what was decided, and in which order.

writer.py appends; verify.py checks, and shares no line with the writer (docs/ledger.md).
"""
