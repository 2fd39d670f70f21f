-- What a person decides, what people send in, and what Notion has of it.

CREATE TABLE approval (                 -- one outward or irreversible action that waits for a person
    id TEXT PRIMARY KEY,                -- short, such as A7; people type it
    kind TEXT NOT NULL,                 -- publish, post, raise_cap, unblock, resume, grant
    title TEXT NOT NULL,                -- what would happen, in one line
    why TEXT NOT NULL,
    if_unanswered TEXT NOT NULL,        -- what happens if nobody answers
    asked_by TEXT NOT NULL,
    payload TEXT NOT NULL,              -- JSON: exactly what would be executed; never changed
    payload_sha256 TEXT NOT NULL CHECK (length(payload_sha256) = 64),
    dedupe TEXT,                        -- of the same open question there is only one; NULL: any number
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'expired', 'done', 'refused')),
    asked_at TEXT NOT NULL,
    remind_at TEXT,                     -- NULL: no reminder, or given already
    expires_at TEXT NOT NULL,
    decided_by TEXT,
    decided_through TEXT,               -- slack, page, cli; NULL until decided
    decided_at TEXT,
    decided_seq INTEGER,                -- where the ledger has the decision
    ended_at TEXT,                      -- when it was rejected, expired, done or refused
    outcome TEXT NOT NULL DEFAULT ''    -- what came of it, in one line
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_open ON approval (state, expires_at) WHERE state IN ('pending', 'approved');
CREATE INDEX approval_asked ON approval (asked_at);
CREATE UNIQUE INDEX approval_once ON approval (dedupe) WHERE dedupe IS NOT NULL AND state IN ('pending', 'approved');

CREATE TABLE cap_raise (                -- money that a person added to one day, once
    approval TEXT PRIMARY KEY,
    scope TEXT NOT NULL,
    day TEXT NOT NULL,
    micros INTEGER NOT NULL CHECK (micros > 0),
    at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cap_raise_day ON cap_raise (scope, day);

CREATE TABLE inbox (                    -- what people pressed or typed; written before it is acknowledged
    sequence INTEGER PRIMARY KEY,       -- the order in which it arrived, whatever the clock said
    key TEXT NOT NULL UNIQUE,           -- the same press has the same key, however often it arrives
    source TEXT NOT NULL,               -- slack.socket, slack.http
    payload TEXT NOT NULL,              -- JSON: what it says, without tokens
    received_at TEXT NOT NULL,
    handled_at TEXT,                    -- NULL until it had its effect
    outcome TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX inbox_open ON inbox (sequence) WHERE handled_at IS NULL;

CREATE TABLE notion_place (             -- the data sources that setup made or adopted
    name TEXT PRIMARY KEY CHECK (name IN ('backlog', 'sprints', 'findings', 'criteria')),
    database_id TEXT NOT NULL,
    data_source_id TEXT NOT NULL,
    made_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notion_page (              -- what was handed to Notion last, by external id
    external_id TEXT PRIMARY KEY,
    place TEXT NOT NULL,
    page_id TEXT,                       -- NULL until it is known to be there
    content_sha256 TEXT NOT NULL,       -- of what was handed over last
    given_up TEXT NOT NULL DEFAULT '',  -- why it is left alone: people archived or moved it
    changed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
