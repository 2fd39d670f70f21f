-- Jobs by slot, reports, messages on their way out, incidents, steps of a sprint, days that were closed.

CREATE TABLE job_run (                  -- a job is named after its slot, so it can run only once
    job TEXT NOT NULL,
    slot TEXT NOT NULL,                 -- the moment it was due, as clock.to_text writes it
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'skipped')),
    late INTEGER NOT NULL DEFAULT 0 CHECK (late IN (0, 1)),  -- 1: it ran after a downtime
    note TEXT NOT NULL DEFAULT '',      -- what came of it, or why it was skipped or failed
    tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),     -- how often it was begun
    queued_at TEXT NOT NULL,
    started_at TEXT,
    deadline_at TEXT,                   -- when a run counts as hung; NULL before it starts
    ended_at TEXT,
    PRIMARY KEY (job, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_run_open ON job_run (job, slot) WHERE state IN ('queued', 'running');

CREATE TABLE report (                   -- what a job wrote for people
    kind TEXT NOT NULL,                 -- digest, daily, review, consolidation, approvals, day_close, silence, diagnosis
    slot TEXT NOT NULL,
    body TEXT NOT NULL,                 -- Markdown
    facts TEXT NOT NULL DEFAULT '{}',   -- JSON: the figures it was made from
    created_at TEXT NOT NULL,
    PRIMARY KEY (kind, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX report_created ON report (created_at);

CREATE TABLE outbox (                   -- everything that leaves; the key makes it leave once
    key TEXT PRIMARY KEY,
    channel TEXT NOT NULL,              -- slack, notion
    payload TEXT NOT NULL,              -- JSON
    state TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'sent', 'set_aside')),
    sequence INTEGER NOT NULL,          -- order within the channel
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    uncertain INTEGER NOT NULL DEFAULT 0 CHECK (uncertain IN (0, 1)),  -- 1: look it up before sending again
    next_try_at TEXT NOT NULL,
    remote_id TEXT,                     -- the far side's own name for it; NULL before it arrived
    error TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT,
    UNIQUE (channel, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_due ON outbox (channel, sequence, state) WHERE state IN ('waiting', 'sending');
CREATE INDEX outbox_set_aside ON outbox (created_at) WHERE state = 'set_aside';

CREATE TABLE incident (                 -- repeats of one error are one incident
    id INTEGER PRIMARY KEY,
    cause TEXT NOT NULL,                -- a name of the table of known causes, or unknown/<digest>
    detail TEXT NOT NULL,
    cure TEXT NOT NULL DEFAULT '',
    opened_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    count INTEGER NOT NULL DEFAULT 1 CHECK (count >= 1),
    closed_at TEXT                      -- NULL: open
) STRICT;
CREATE UNIQUE INDEX incident_open ON incident (cause) WHERE closed_at IS NULL;
CREATE INDEX incident_last ON incident (last_at);

CREATE TABLE step (                     -- a step of a sprint whose result is kept
    sprint_id INTEGER NOT NULL REFERENCES sprint (id),
    name TEXT NOT NULL,
    number INTEGER NOT NULL,            -- counts from 1 per sprint, in the order in which they ended
    result TEXT NOT NULL,               -- JSON
    ended_at TEXT NOT NULL,
    PRIMARY KEY (sprint_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE error_record (             -- what went wrong, for the diagnosis
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    place TEXT NOT NULL,                -- sprint, job, outbox, provider, store, workspace
    cause TEXT NOT NULL,
    message TEXT NOT NULL,
    sprint_id INTEGER,
    item TEXT
) STRICT;
CREATE INDEX error_record_at ON error_record (at);
CREATE INDEX error_record_sprint ON error_record (sprint_id) WHERE sprint_id IS NOT NULL;

-- Never two diagnoses at once, whoever asks for them.
CREATE UNIQUE INDEX sprint_one_diagnosis ON sprint (kind) WHERE kind = 'DIAGNOSTIC' AND state = 'running';
