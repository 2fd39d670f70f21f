-- Money is integer micro-dollars. Moments are text as clock.to_text writes them (UTC, sorts as text).
-- Days are ISO dates of the UTC day.

CREATE TABLE budget_day (               -- one row a scope and UTC day; used = held + settled
    scope TEXT NOT NULL,
    day TEXT NOT NULL,
    cap_micros INTEGER NOT NULL CHECK (cap_micros >= 0),
    used_micros INTEGER NOT NULL DEFAULT 0 CHECK (used_micros >= 0),
    held_micros INTEGER NOT NULL DEFAULT 0 CHECK (held_micros >= 0),
    warned_at TEXT,                     -- when the warning at 80 % was given; NULL: not yet
    PRIMARY KEY (scope, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE reservation (              -- money set aside before a call
    key TEXT PRIMARY KEY,
    scope TEXT NOT NULL,
    day TEXT NOT NULL,
    held_micros INTEGER NOT NULL CHECK (held_micros >= 0),
    actual_micros INTEGER CHECK (actual_micros >= 0),   -- NULL while held
    state TEXT NOT NULL CHECK (state IN ('held', 'settled', 'released')),
    created_at TEXT NOT NULL,
    closed_at TEXT,
    FOREIGN KEY (scope, day) REFERENCES budget_day (scope, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX reservation_held ON reservation (scope, day) WHERE state = 'held';
CREATE INDEX reservation_day ON reservation (scope, day);

CREATE TABLE effect (                   -- one outside effect, done at most once
    key TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('started', 'done', 'lost')),
    owner TEXT NOT NULL,
    deadline_at TEXT NOT NULL,
    result TEXT,                        -- JSON; NULL unless done
    started_at TEXT NOT NULL,
    ended_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX effect_open ON effect (key) WHERE state = 'started';

CREATE TABLE sprint (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('REGULAR', 'DIAGNOSTIC')),
    focus TEXT,                         -- team id
    state TEXT NOT NULL CHECK (state IN
        ('running', 'completed', 'no_work', 'paused_budget', 'interrupted', 'failed')),
    reason TEXT NOT NULL DEFAULT '',
    plan TEXT,                          -- JSON: assignments, planner, notes; NULL before planning
    started_at TEXT NOT NULL,
    ended_at TEXT
) STRICT;
CREATE INDEX sprint_started ON sprint (started_at, state);
CREATE INDEX sprint_running ON sprint (id) WHERE state = 'running';

CREATE TABLE item_state (               -- what happened to a backlog item; no row: open, no attempt
    item TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('open', 'done', 'blocked')),
    rejections INTEGER NOT NULL DEFAULT 0 CHECK (rejections >= 0),
    reason TEXT NOT NULL DEFAULT '',
    changed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX item_state_state ON item_state (state);

CREATE TABLE source_text (              -- every text that an agent was given, once
    sha256 TEXT PRIMARY KEY,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE attempt (                  -- one model call for one assignment, and its verdict
    id INTEGER PRIMARY KEY,
    sprint_id INTEGER NOT NULL REFERENCES sprint (id),
    track INTEGER NOT NULL,
    item TEXT NOT NULL,
    agent TEXT NOT NULL,
    number INTEGER NOT NULL,            -- counts from 1 per item
    state TEXT NOT NULL CHECK (state IN ('asked', 'answered', 'accepted', 'rejected', 'failed', 'interrupted')),
    effect_key TEXT NOT NULL UNIQUE,
    prompt TEXT NOT NULL,               -- JSON: model, question, language, system and user by sha256
    context TEXT NOT NULL,              -- JSON: loaded and skipped units with reasons
    output TEXT,                        -- the reply's text; NULL before it came
    stop_reason TEXT,
    model TEXT,                         -- the model that answered
    verdict TEXT,                       -- JSON; NULL before it was judged
    score_hundredths INTEGER,
    finding_path TEXT,
    reason TEXT NOT NULL DEFAULT '',    -- why it failed or was interrupted
    created_at TEXT NOT NULL,
    ended_at TEXT
) STRICT;
CREATE INDEX attempt_item ON attempt (item, id);
CREATE UNIQUE INDEX attempt_number ON attempt (item, number);
CREATE INDEX attempt_sprint ON attempt (sprint_id);
CREATE INDEX attempt_ended ON attempt (ended_at, state);
CREATE INDEX attempt_open ON attempt (id) WHERE state IN ('asked', 'answered');

CREATE TABLE api_calls (                -- every request to a model, also the refused and the killed ones
    id INTEGER PRIMARY KEY,
    reservation_key TEXT NOT NULL UNIQUE REFERENCES reservation (key),
    called_at TEXT NOT NULL,
    day TEXT NOT NULL,
    purpose TEXT NOT NULL,              -- plan, attempt, diagnosis
    sprint_id INTEGER,
    item TEXT,
    agent TEXT,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,                -- asked for
    replied_model TEXT,                 -- the one that answered
    input_tokens INTEGER,
    output_tokens INTEGER,
    cache_write_5m_tokens INTEGER,
    cache_write_1h_tokens INTEGER,
    cache_read_tokens INTEGER,
    reserved_micros INTEGER NOT NULL,
    cost_micros INTEGER,                -- NULL while under way; the worst case where the outcome is unknown
    outcome TEXT NOT NULL CHECK (outcome IN ('started', 'replied', 'not_billed', 'unknown')),
    error TEXT,
    request_id TEXT
) STRICT;
CREATE INDEX api_calls_day ON api_calls (day);
CREATE INDEX api_calls_item ON api_calls (item) WHERE item IS NOT NULL;
CREATE INDEX api_calls_sprint ON api_calls (sprint_id) WHERE sprint_id IS NOT NULL;

CREATE TABLE finding (                  -- an accepted output that became memory
    path TEXT PRIMARY KEY,              -- in the workspace
    attempt_id INTEGER NOT NULL UNIQUE REFERENCES attempt (id),
    item TEXT NOT NULL,
    criterion TEXT NOT NULL,
    agent TEXT NOT NULL,
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    score_hundredths INTEGER NOT NULL,
    sources TEXT NOT NULL,              -- JSON list of unit ids
    created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_criterion ON finding (criterion, created_at, attempt_id);
CREATE INDEX finding_created ON finding (created_at, attempt_id);
CREATE INDEX finding_item ON finding (item, attempt_id);

CREATE TABLE event (                    -- what happened, for digests and the page
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    sprint_id INTEGER,
    item TEXT,
    facts TEXT NOT NULL DEFAULT '{}'    -- JSON
) STRICT;

CREATE TABLE control (                  -- the daemon's own small facts: state, breaker, last digest
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,                -- JSON
    changed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
