-- What each review of the kill criteria came to.

CREATE TABLE review (                   -- one a slot; never changed afterwards
    slot TEXT PRIMARY KEY,
    verdict TEXT NOT NULL CHECK (verdict IN ('go', 'no_go', 'not_yet_known')),
    confidence_hundredths INTEGER NOT NULL CHECK (confidence_hundredths BETWEEN 0 AND 100),
    narrator TEXT NOT NULL DEFAULT '',  -- the model whose words are in it; empty: none
    reasoning TEXT NOT NULL DEFAULT '{}',  -- JSON: the model's words by criterion, as they were let through
    created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE criterion_review (         -- how one criterion stood in it
    slot TEXT NOT NULL REFERENCES review (slot),
    criterion TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('go', 'no_go', 'not_yet_known')),
    confidence_hundredths INTEGER NOT NULL CHECK (confidence_hundredths BETWEEN 0 AND 100),
    late INTEGER NOT NULL CHECK (late IN (0, 1)),   -- 1: the deadline was over and it was not GO
    cost_micros INTEGER NOT NULL CHECK (cost_micros >= 0),  -- so far
    facts TEXT NOT NULL,                -- JSON: tests, evidence counted and not counted, why
    PRIMARY KEY (slot, criterion)
) STRICT, WITHOUT ROWID;
CREATE INDEX criterion_review_of ON criterion_review (criterion, slot);
