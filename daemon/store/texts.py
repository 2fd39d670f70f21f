"""The rows of `source_text`: every text that an agent was given, once, by its SHA-256."""

from __future__ import annotations

import hashlib

from daemon.store.database import Database
from daemon.store.stored_text import repair_text


def save_text(db: Database, body: str) -> str:
    """Keep a text; the SHA-256 (hex) of the text as stored, in UTF-8. Twice is once."""
    body = repair_text(body)
    sha256 = hashlib.sha256(body.encode()).hexdigest()
    sql = "INSERT INTO source_text (sha256, body) VALUES (?, ?) ON CONFLICT DO NOTHING"
    with db.immediate() as tx:
        tx.execute(sql, (sha256, body))
    return sha256


def find_text(db: Database, sha256: str) -> str | None:
    found = db.row("SELECT body FROM source_text WHERE sha256 = ?", (sha256,))
    return None if found is None else str(found["body"])
