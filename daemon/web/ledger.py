"""The pages of the ledger: how long it is, whether it was checked, a search, and one entry with proof."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from flask import Flask, Response, abort, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from daemon.errors import LedgerError
from daemon.governance.ledger_in_use import KnownEnd, known_end
from daemon.ledger.log_file import LOG_FILE
from daemon.ledger.searching import Hits, LogEnd, Wanted, entry_bytes, log_end, search
from daemon.web.ledger_desk import Checked, LedgerDesk
from daemon.web.watch import Watch
from daemon.web.wording import number_of

MOST_ON_PAGE = 40
EFFECTS = ("ALLOW", "DENY", "ESCALATE", "DONE", "NOT DONE", "FAILED", "REFUSED", "UNKNOWN")
_LONGEST_FILTER = 200


@dataclass(frozen=True)
class LedgerView:
    """`end` and `hits` are None where `problem` says why the log cannot be read. `signed` is the newest
    checkpoint that the database knows, None before the first. `is_begun`: there is a log, or was one.
    `check_again_at`: before when no check is begun, None for now. `older` and `newest` are addresses."""

    wanted: Wanted
    end: LogEnd | None
    hits: Hits | None
    problem: str
    is_begun: bool
    signed: KnownEnd | None
    checked: Checked | None
    is_checking: bool
    check_again_at: datetime | None
    newest: str
    older: str


@dataclass(frozen=True)
class EntryView:
    """`proof` is None where it was not made; `no_proof` says why there is none, or is empty.

    `leaf` is the hash that stands for the entry in the tree.
    """

    facts: Mapping[str, Any]
    raw: str
    leaf: str
    entries: int
    proof: Mapping[str, Any] | None
    no_proof: str
    is_proving: bool


def register(app: Flask, watch: Watch) -> None:
    """/ledger to look and to have it checked, /ledger/<number> for one entry and its proof."""
    services = watch.services
    desk = LedgerDesk(services.state_dir / "ledger", services.db, services.clock)

    @app.get("/ledger")
    def ledger_page() -> str:
        return render_template("ledger.html", view=ledger_view(watch, desk, request.args))

    @app.post("/ledger/check")
    def check_ledger() -> AnyResponse:
        desk.start_check()
        return redirect(url_for("ledger_page", _anchor="checked"), 303)

    @app.get("/ledger/checkpoint.txt")
    def checkpoint_file() -> Response:
        return _checkpoint(watch)

    @app.get("/ledger/<int:seq>")
    def entry_page(seq: int) -> str:
        return render_template("entry.html", view=entry_view(watch, desk, seq))

    @app.post("/ledger/<int:seq>/proof")
    def prove_entry(seq: int) -> AnyResponse:
        desk.start_proof(seq)
        return redirect(url_for("entry_page", seq=seq, _anchor="proof"), 303)

    @app.get("/ledger/<int:seq>/proof.json")
    def proof_file(seq: int) -> Response:
        return _proof_as_file(watch, desk, seq)


def ledger_view(watch: Watch, desk: LedgerDesk, asked: Mapping[str, str]) -> LedgerView:
    """`asked` has the search's fields and `before`, an entry's number. Raises StoreError."""
    wanted, before = _read(asked), number_of(asked.get("before"))
    folder, end, hits, problem = watch.services.state_dir / "ledger", None, None, ""
    try:
        end = log_end(folder)
        hits = search(folder, wanted, most=MOST_ON_PAGE, before=before)
    except LedgerError as error:
        problem = str(error)
    fields: dict[str, Any] = {name: value for name, value in vars(wanted).items() if value}
    goes_on = hits is not None and hits.next_before is not None
    return LedgerView(
        wanted=wanted,
        end=end,
        hits=hits,
        problem=problem,
        is_begun=end is not None or _is_begun(watch),
        signed=known_end(watch.services.db),
        checked=desk.last_check(),
        is_checking=desk.checking_since is not None,
        check_again_at=desk.check_again_at(),
        newest=url_for("ledger_page", **fields) if before is not None else "",
        older=url_for("ledger_page", before=hits.next_before, **fields) if hits and goes_on else "",
    )


def entry_view(watch: Watch, desk: LedgerDesk, seq: int) -> EntryView:
    """Ends the request with 404 where there is no such entry, 503 where the log cannot be read."""
    line, end = _line(watch, seq)
    proof = desk.proof_of(seq, end.bytes)
    facts = json.loads(line)
    return EntryView(
        facts=facts,
        raw=json.dumps(facts, indent=2, ensure_ascii=False),
        leaf=hashlib.sha256(b"\0" + line).hexdigest(),
        entries=end.entries,
        proof=proof if isinstance(proof, Mapping) else None,
        no_proof=proof if isinstance(proof, str) else "",
        is_proving=desk.is_proving(seq),
    )


def _read(asked: Mapping[str, str]) -> Wanted:
    texts = {
        name: asked.get(name, "").strip()[:_LONGEST_FILTER] for name in ("actor", "tool", "text")
    }
    effect = next((one for one in EFFECTS if one == asked.get("effect")), "")
    try:
        day = date.fromisoformat(asked.get("day", "")[:10])
    except ValueError:
        day = None
    return Wanted(**texts, effect=effect, day=day if day and day.year < date.max.year else None)


def _is_begun(watch: Watch) -> bool:
    """Whether there is a log, or was one."""
    services = watch.services
    there = (services.state_dir / "ledger" / LOG_FILE).exists()
    return there or known_end(services.db) is not None


def _line(watch: Watch, seq: int) -> tuple[bytes, LogEnd]:
    folder = watch.services.state_dir / "ledger"
    try:
        line, end = entry_bytes(folder, seq), log_end(folder)
    except LedgerError as error:
        if not _is_begun(watch):
            abort(404, watch.services.phrases.text("ledger.unknown", seq=seq))
        abort(503, str(error))
    if line is None:
        abort(404, watch.services.phrases.text("ledger.unknown", seq=seq))
    return line, end


def _checkpoint(watch: Watch) -> Response:
    end = known_end(watch.services.db)
    if end is None:
        abort(404, watch.services.phrases.text("ledger.not_signed"))
    headers = {"Content-Disposition": f'attachment; filename="checkpoint-{end.size}.txt"'}
    return Response(end.note, content_type="text/plain; charset=utf-8", headers=headers)


def _proof_as_file(watch: Watch, desk: LedgerDesk, seq: int) -> Response:
    _, end = _line(watch, seq)
    proof = desk.proof_of(seq, end.bytes)
    if not isinstance(proof, Mapping):
        abort(404, proof or watch.services.phrases.text("ledger.no_proof_yet"))
    answer = jsonify(dict(proof))
    answer.headers["Content-Disposition"] = f'attachment; filename="entry-{seq}.json"'
    return answer
