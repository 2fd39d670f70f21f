"""The evidence as one folder that an auditor can check on another machine, without this program."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from daemon.errors import LedgerError
from daemon.ledger import verify, verify_log, verify_main, verify_proof
from daemon.ledger.checkpoint import FOLDER, list_sizes, load_checkpoint
from daemon.ledger.log_file import LOG_FILE
from daemon.ledger.proofs import Prover
from daemon.ledger.reading import read_raw

CHECKER = "verify_ledger.py"
_PARTS = (verify_log, verify, verify_proof, verify_main)
_CONSISTENCY_PROOFS = 8


def export_evidence(ledger: Path, target: Path, *, entries: Sequence[int] = ()) -> list[str]:
    """Write everything up to the newest checkpoint into a new folder; returns the files' names.

    `entries` are the numbers of entries that get a proof each. Never a private key. Raises
    LedgerError where there is nothing to export or the folder holds something.
    """
    prover = Prover(ledger)
    size = prover.newest.size
    proofs = dict(_proofs(ledger, entries, prover))  # before anything is written
    try:
        _check_empty(target)
        _write_log(ledger, target / LOG_FILE, size)
        for one in list_sizes(ledger):
            found = load_checkpoint(ledger, one)
            if found and one <= size:
                _write(target / FOLDER / f"{one:012d}.txt", found.text)
        for name, proof in proofs.items():
            _write(target / "proofs" / name, json.dumps(proof, indent=2) + "\n")
        _write(target / "public_keys.txt", "".join(f"{key}\n" for key in prover.keys))
        _write(target / CHECKER, standalone_checker())
        for page in ("README.md", "evidence.md"):
            _write(target / page, _page(page))
        return _write_sums(target)
    except OSError as error:
        raise LedgerError(f"{error.filename or target}: {error.strerror}") from error


def standalone_checker() -> str:
    """The checker as one file that needs Python and PyNaCl: the modules of it, joined."""
    heads, bodies = [], []
    for part in _PARTS:
        source = resources.files(part.__package__ or "").joinpath(f"{_stem(part.__name__)}.py")
        head, body = _split(source.read_text("utf-8"))
        heads.append(head)
        bodies.append(body)
    imports = sorted({line for head in heads for line in head})
    start = f'"""Check a ledger or a proof about one, without the program that wrote it.\n\n{_USAGE}"""\n'
    run = '\n\nif __name__ == "__main__":\n    raise SystemExit(main())\n'
    future = "from __future__ import annotations\n"
    return "\n".join([start, future, *imports]) + "\n\n\n" + "\n\n\n".join(bodies) + run


_USAGE = """\
    python verify_ledger.py . --checkpoint KEPT.txt --key PUBLIC_KEY
    python verify_ledger.py --proof proofs/entry-7.json --key PUBLIC_KEY

It needs PyNaCl (pip install pynacl). The exit code is 0 where all is well; EXIT_CODES has the rest.
"""


def _split(source: str) -> tuple[list[str], str]:
    """The imports from outside of this program, and everything after the imports."""
    tree = ast.parse(source)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    kept = [
        ast.unparse(node)
        for node in imports
        if not isinstance(node, ast.ImportFrom)
        or not (node.module or "").startswith(("daemon", "__future__"))
    ]
    last = imports[-1].end_lineno or 0
    return kept, "\n".join(source.splitlines()[last:]).strip()


def _stem(module: str) -> str:
    return module.rpartition(".")[2]


def _proofs(
    ledger: Path, entries: Sequence[int], prover: Prover
) -> Iterator[tuple[str, dict[str, Any]]]:
    """One for each entry that was asked for, else for the newest; and how the log grew."""
    size = prover.newest.size
    for seq in entries or [size - 1]:
        yield f"entry-{seq}.json", prover.prove_inclusion(seq)
    sizes = [one for one in list_sizes(ledger) if 0 < one < size]
    step = max(1, -(-len(sizes) // _CONSISTENCY_PROOFS))
    for one in sizes[::step]:
        older = load_checkpoint(ledger, one)
        if older:
            yield f"growth-{one}-{size}.json", prover.prove_consistency(older.text)


def _check_empty(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise LedgerError(f"{target}: is not empty; name a new folder")


def _write_log(ledger: Path, target: Path, size: int) -> None:
    with target.open("xb") as stream:
        for line in read_raw(ledger, first=size):
            stream.write(line + b"\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")


def _page(name: str) -> str:
    return resources.files("daemon.ledger").joinpath("for_auditors", name).read_text("utf-8")


def _write_sums(target: Path) -> list[str]:
    names = sorted(p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file())
    sums = (f"{hashlib.sha256((target / n).read_bytes()).hexdigest()}  {n}\n" for n in names)
    _write(target / "SHA256SUMS", "".join(sums))
    return [*names, "SHA256SUMS"]
