-- Endpoints that events are sent to. The secret is what signs them, so it is
-- kept as it is.
CREATE TABLE webhooks (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    url             TEXT NOT NULL,
    events          TEXT NOT NULL, -- comma-separated types, or *
    description     TEXT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('active','inactive','disabled')),
    disabled_reason TEXT NOT NULL DEFAULT '',
    secret          TEXT NOT NULL,
    failures        INTEGER NOT NULL DEFAULT 0, -- attempts in a row that failed
    succeeded_at    INTEGER,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    CHECK ((status = 'disabled') = (disabled_reason <> ''))
) STRICT;
CREATE INDEX webhooks_user ON webhooks (user_id);

-- Events on their way to endpoints. A row keeps its event from being forgotten.
CREATE TABLE webhook_deliveries (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid       TEXT NOT NULL UNIQUE,
    webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event_id   INTEGER NOT NULL REFERENCES events (id),
    origin     TEXT NOT NULL CHECK (origin IN ('event','redelivery','test')),
    status     TEXT NOT NULL CHECK (status IN ('pending','retrying','delivered','failed')),
    attempts   TEXT NOT NULL, -- JSON, oldest first
    due_at     INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK ((status IN ('pending','retrying')) = (due_at IS NOT NULL))
) STRICT;
-- Each endpoint is told of an event once, whatever happens in between.
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (webhook_id, event_id) WHERE origin = 'event';
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (updated_at) WHERE due_at IS NULL;
