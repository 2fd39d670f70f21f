"""Notes in a folder and accepted findings over them, judged as a sprint judges them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from daemon.config.document import Document
from daemon.config.yaml_file import parse_yaml
from daemon.governance.kill_criteria import CriterionVerdict, judge_criterion
from daemon.memory.findings import FILE_DIGEST, file_digest
from daemon.memory.notes import parse_note
from daemon.quality.claims import SourceNote
from daemon.quality.grounding import ground
from daemon.quality.normalise import clean, read
from daemon.quality.verdict import TaskBrief, Verdict
from daemon.quality.verdict_json import verdict_as_json
from daemon.reports.evidence import collect_evidence
from daemon.store import attempts, findings, sprints, texts
from daemon.store.database import Database
from daemon.workspace.definitions import KillCriterion
from daemon.workspace.kill_criteria import CRITERIA_FILE, CriterionEntry, build_criterion
from daemon.workspace.list_file import parse_list

TODAY = date(2027, 3, 1)
NOW = datetime(2027, 3, 1, 14, 0, tzinfo=UTC)
HEAD = """\
criteria:
  - id: KC
    name: Boats
    question: Do the owners pay?
    evidence: Signed offers.
    threshold: Five of twenty-five.
    deadline: 2027-06-30
    if_failed: Close the harbour.
"""
# How different people came to the same result: notes that say nothing of their own are copies.
WAYS = (
    "Ana walked the north quay on Monday with the harbour master and wrote down each purse.",
    "The clerk telephoned every family from the yacht club, the papers of the bank beside him.",
    "Two students waited a whole weekend at the fuel pump and looked at receipts.",
)
PAYING = """\
    tests:
      - id: paying
        measure: Owners that pay after a priced offer, of 25
        words: [pay | paid, priced offer]
        unless: [abroad]
        unit: owners
        of: 25
        go: ">= 5"
        no_go: "< 2"
        needs: {sources: 2, max_age_days: 180, confidence: medium}
"""


def criterion_of(more: str = PAYING, head: str = HEAD) -> KillCriterion:
    """The one criterion of a file with these tests; fails where the file has a fault."""
    document: Document = parse_yaml(head + more, CRITERIA_FILE)
    parsed = parse_list(document, CRITERIA_FILE, "criteria", CriterionEntry, build_criterion)
    assert not parsed.faults, parsed.faults
    return parsed.nouns[0]


@dataclass
class EvidenceDesk:
    """`root` is a workspace's folder; findings are of items T1, T2 ... of one criterion."""

    root: Path
    db: Database
    made: int = 0
    criterion: str = "KC"
    outside: set[str] = field(default_factory=set)

    def note(
        self,
        path: str,
        body: str,
        *,
        as_of: str = "2027-02-01",
        confidence: str = "high",
        outside: bool = False,
    ) -> str:
        """Write a note; an empty `as_of` leaves the line out."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        dated = f"as_of: {as_of}\n" if as_of else ""
        file.write_text(f"---\ntitle: A note\n{dated}confidence: {confidence}\n---\n\n{body}\n")
        if outside:
            self.outside.add(path)
        return path

    def finding(self, text: str, *notes: str, at: datetime = NOW, digest: bool = True) -> str:
        """An accepted answer over these notes; the path of its file. Without `digest` as one of old."""
        self.made += 1
        sources = [self._source(path) for path in notes]
        given = [SourceNote(id_, body, path) for id_, path, body in sources]
        claims = ground(read(clean(text)), TaskBrief("T", "Do the owners pay?"), given)
        verdict = Verdict("accept", 80, (), (), text, claims=claims)
        item = f"T{self.made}"
        row = attempts.save_asked(
            self.db,
            sprint_id=self._sprint(at),
            track=1,
            item=item,
            agent="analyst",
            effect_key=f"key/{self.made}",
            prompt={
                "criterion": self.criterion,
                "sources": [
                    {
                        "id": id_,
                        "path": path,
                        "title": id_,
                        "sha256": texts.save_text(self.db, body),
                    }
                    for id_, path, body in sources
                ],
            },
            context={"loaded": [{"id": i, "outside": p in self.outside} for i, p, _ in sources]},
            now=at,
        )
        attempts.save_answer(self.db, row.id, text, "end_turn", "model-1")
        path = f"memory/findings/{self.criterion}/{item}-{row.id}.md"
        kept = {FILE_DIGEST: file_digest(text.encode())} if digest else {}
        attempts.save_verdict(
            self.db, row.id, state="accepted", verdict={**verdict_as_json(verdict), **kept},
            score_hundredths=80, finding_path=path, now=at,
        )  # fmt: skip
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)
        findings.save_finding(
            self.db,
            findings.FindingRow(
                path, row.id, item, self.criterion, "analyst", "T", "S", 80, tuple(notes), at
            ),
        )
        return path

    def judge(
        self, criterion: KillCriterion, *, today: date = TODAY, opened: tuple[str, ...] = ()
    ) -> CriterionVerdict:
        evidence = collect_evidence(self.root, self.db, [criterion], opened=opened)
        return judge_criterion(criterion, evidence[criterion.id], today)

    def _source(self, path: str) -> tuple[str, str, str]:
        note = parse_note((self.root / path).read_bytes(), path)
        return path.removesuffix(".md").replace("/", "."), path, note.body.strip("\n")

    def _sprint(self, at: datetime) -> int:
        last = sprints.last_sprint(self.db)
        return last.id if last else sprints.open_sprint(self.db, "REGULAR", None, at)
