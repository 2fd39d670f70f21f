-- What a person allowed once.

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
