-- What tokens come of and end by, roles of an identity's own, and invites of people.

-- `depth` counts the tokens it descends from. `predecessor` is the token whose place it took, and
-- `minted_by` the token that asked for it: where the two are the same, it ends with its predecessor.
-- `last_used_ms` is no part of the authority, and is written without a revision.
ALTER TABLE tokens ADD COLUMN depth INTEGER NOT NULL DEFAULT 0 CHECK (depth BETWEEN 0 AND 3);
ALTER TABLE tokens ADD COLUMN predecessor TEXT;
ALTER TABLE tokens ADD COLUMN minted_by TEXT;
-- The first of those whose place it took, one after the other: what a run keeps for one, it keeps for all.
ALTER TABLE tokens ADD COLUMN family TEXT;
ALTER TABLE tokens ADD COLUMN last_used_ms INTEGER;
ALTER TABLE tokens ADD COLUMN revoked_ms INTEGER;
ALTER TABLE tokens ADD COLUMN revoked_because TEXT
    CHECK (revoked_because IN ('revoked', 'rotated', 'leaked'));
CREATE INDEX tokens_predecessor ON tokens (identity, predecessor) WHERE predecessor IS NOT NULL;
UPDATE tokens SET revoked_because = 'revoked' WHERE revoked = 1;
WITH RECURSIVE line (identity, id, depth) AS (
    SELECT identity, id, 0 FROM tokens WHERE parent IS NULL
    UNION ALL
    SELECT t.identity, t.id, line.depth + 1
    FROM tokens t JOIN line ON t.identity = line.identity AND t.parent = line.id
)
UPDATE tokens SET depth = (
    SELECT line.depth FROM line WHERE line.identity = tokens.identity AND line.id = tokens.id
) WHERE parent IS NOT NULL;

-- Roles that an identity defines beside the built-in ones. Grants name a role by its name.
CREATE TABLE roles (
    identity   TEXT NOT NULL REFERENCES identities (name),
    name       TEXT NOT NULL,
    id         TEXT NOT NULL,
    title      TEXT NOT NULL,
    actions    TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (identity, name)
) STRICT, WITHOUT ROWID;

-- Invites as hashes: each yields one token of a user, once. `inviter` is the token that invited: an
-- invite is worth nothing once that token could not mint the user's any more.
CREATE TABLE invites (
    identity   TEXT NOT NULL,
    id         TEXT NOT NULL,
    principal  TEXT NOT NULL,
    email      TEXT NOT NULL,
    inviter    TEXT NOT NULL,
    hash       TEXT NOT NULL UNIQUE,
    state      TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'revoked', 'leaked')),
    expires_ms INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (identity, id),
    FOREIGN KEY (identity, principal) REFERENCES principals (identity, id),
    FOREIGN KEY (identity, inviter) REFERENCES tokens (identity, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX invites_principal ON invites (identity, principal);
