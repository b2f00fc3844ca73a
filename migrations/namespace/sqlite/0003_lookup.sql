-- What a write was sent as: a look-up that finds nothing is believed only of the same declaration, and only
-- once its sending has been given up for long enough.
ALTER TABLE idempotency ADD COLUMN definition TEXT NOT NULL DEFAULT '';
ALTER TABLE idempotency ADD COLUMN given_up_ms INTEGER NOT NULL DEFAULT 0;
