-- Sums and orders that pages read, so that a page stays quick however many calls there were.

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

INSERT INTO call_total
    SELECT kind, day, name, sum(calls), sum(cost_micros), sum(open_micros), sum(prompt_tokens), sum(output_tokens)
    FROM call_addend GROUP BY kind, day, name;

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
