-- The whole schema of state/sprintd.db, as all steps of daemon/store/schema make it.
-- Written by `python -m daemon.store.migrations`; a test holds the two equal.

CREATE TABLE schema_step (    -- which steps of daemon/store/schema were applied
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    program TEXT NOT NULL               -- the version of sprintd that applied it
) STRICT;
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
CREATE UNIQUE INDEX sprint_one_diagnosis ON sprint (kind) WHERE kind = 'DIAGNOSTIC' AND state = 'running';
CREATE TABLE action_grant (             -- an approval: for one action, used once
    id INTEGER PRIMARY KEY,
    action_sha256 TEXT NOT NULL CHECK (length(action_sha256) = 64),
    source TEXT NOT NULL,               -- what it raises: a source of authority, or 'approval'
    level TEXT NOT NULL,                -- to which level
    granted_by TEXT NOT NULL,
    granted_at TEXT NOT NULL,
    spent_at TEXT                       -- NULL until the action was let through
) STRICT;
CREATE INDEX action_grant_open ON action_grant (action_sha256) WHERE spent_at IS NULL;
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
CREATE TABLE call_total (               -- the calls of a day, summed; the triggers below keep it true
    kind TEXT NOT NULL CHECK (kind IN ('agent', 'item', 'model')),
    day TEXT NOT NULL,
    name TEXT NOT NULL,                 -- of the agent, the item or the model that answered; '' for none
    calls INTEGER NOT NULL,
    cost_micros INTEGER NOT NULL,       -- of calls that have ended
    open_micros INTEGER NOT NULL,       -- set aside for calls under way
    prompt_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    PRIMARY KEY (kind, day, name)
) STRICT, WITHOUT ROWID;
CREATE VIEW call_addend AS              -- what each call adds to three rows of call_total
    SELECT c.id, k.kind, c.day,
        CASE k.kind
            WHEN 'agent' THEN coalesce(c.agent, '')
            WHEN 'item' THEN coalesce(c.item, '')
            ELSE coalesce(c.replied_model, c.model)
        END AS name,
        1 AS calls,
        coalesce(c.cost_micros, 0) AS cost_micros,
        CASE c.outcome WHEN 'started' THEN c.reserved_micros ELSE 0 END AS open_micros,
        coalesce(c.input_tokens, 0) + coalesce(c.cache_write_5m_tokens, 0)
            + coalesce(c.cache_write_1h_tokens, 0) + coalesce(c.cache_read_tokens, 0) AS prompt_tokens,
        coalesce(c.output_tokens, 0) AS output_tokens
    FROM api_calls AS c
        CROSS JOIN (SELECT 'agent' AS kind UNION ALL SELECT 'item' UNION ALL SELECT 'model') AS k;
CREATE TRIGGER api_calls_added AFTER INSERT ON api_calls BEGIN
    INSERT INTO call_total
        SELECT kind, day, name, calls, cost_micros, open_micros, prompt_tokens, output_tokens
        FROM call_addend WHERE id = NEW.id
        ON CONFLICT (kind, day, name) DO UPDATE SET
            calls = calls + excluded.calls,
            cost_micros = cost_micros + excluded.cost_micros,
            open_micros = open_micros + excluded.open_micros,
            prompt_tokens = prompt_tokens + excluded.prompt_tokens,
            output_tokens = output_tokens + excluded.output_tokens;
END;
CREATE TRIGGER api_calls_changing BEFORE UPDATE ON api_calls BEGIN
    INSERT INTO call_total
        SELECT kind, day, name, -calls, -cost_micros, -open_micros, -prompt_tokens, -output_tokens
        FROM call_addend WHERE id = OLD.id
        ON CONFLICT (kind, day, name) DO UPDATE SET
            calls = calls + excluded.calls,
            cost_micros = cost_micros + excluded.cost_micros,
            open_micros = open_micros + excluded.open_micros,
            prompt_tokens = prompt_tokens + excluded.prompt_tokens,
            output_tokens = output_tokens + excluded.output_tokens;
END;
CREATE TRIGGER api_calls_changed AFTER UPDATE ON api_calls BEGIN
    INSERT INTO call_total
        SELECT kind, day, name, calls, cost_micros, open_micros, prompt_tokens, output_tokens
        FROM call_addend WHERE id = NEW.id
        ON CONFLICT (kind, day, name) DO UPDATE SET
            calls = calls + excluded.calls,
            cost_micros = cost_micros + excluded.cost_micros,
            open_micros = open_micros + excluded.open_micros,
            prompt_tokens = prompt_tokens + excluded.prompt_tokens,
            output_tokens = output_tokens + excluded.output_tokens;
END;
CREATE TRIGGER api_calls_deleting BEFORE DELETE ON api_calls BEGIN
    INSERT INTO call_total
        SELECT kind, day, name, -calls, -cost_micros, -open_micros, -prompt_tokens, -output_tokens
        FROM call_addend WHERE id = OLD.id
        ON CONFLICT (kind, day, name) DO UPDATE SET
            calls = calls + excluded.calls,
            cost_micros = cost_micros + excluded.cost_micros,
            open_micros = open_micros + excluded.open_micros,
            prompt_tokens = prompt_tokens + excluded.prompt_tokens,
            output_tokens = output_tokens + excluded.output_tokens;
END;
CREATE INDEX incident_open_first ON incident (id) WHERE closed_at IS NULL;
CREATE INDEX sprint_state ON sprint (state, id);
CREATE INDEX report_kind ON report (kind, created_at);
CREATE INDEX finding_agent ON finding (agent, created_at, attempt_id);
