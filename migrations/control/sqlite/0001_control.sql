-- The control database: who there is, who may do what, what can be called, and who serves whom.
-- Every tenant table carries `identity`, and what lies at a scope carries `scope`: both are in every
-- predicate. Ids are TEXT with their prefix, times INTEGER milliseconds since the Unix epoch, flags 0
-- or 1, lists and maps JSON. Rows are written in the transaction that also counts the identity's
-- revision up and writes its outbox.

-- Those who run the service. They open no tenant's records.
CREATE TABLE operators (
    id         TEXT NOT NULL PRIMARY KEY,
    hash       TEXT NOT NULL UNIQUE,
    expires_ms INTEGER,
    revoked    INTEGER NOT NULL CHECK (revoked IN (0, 1)),
    created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The tenants. `revision` and `catalogue` only grow; `outbox` is the number of the last act.
CREATE TABLE identities (
    name           TEXT NOT NULL PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    route          TEXT NOT NULL UNIQUE,
    suspended      INTEGER NOT NULL CHECK (suspended IN (0, 1)),
    dek            TEXT NOT NULL,
    settings       TEXT NOT NULL,
    revision       INTEGER NOT NULL CHECK (revision > 0),
    catalogue      INTEGER NOT NULL CHECK (catalogue >= 0),
    outbox         INTEGER NOT NULL CHECK (outbox >= 0),
    usage_fresh_ms INTEGER NOT NULL,
    created_ms     INTEGER NOT NULL,
    version        INTEGER NOT NULL CHECK (version > 0)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER identities_only_grow BEFORE UPDATE ON identities
WHEN new.revision < old.revision OR new.catalogue < old.catalogue OR new.outbox < old.outbox
BEGIN SELECT raise(ABORT, 'no revision goes back'); END;

-- Groups and projects. The identity itself is no row here.
CREATE TABLE scopes (
    identity   TEXT NOT NULL REFERENCES identities (name),
    scope      TEXT NOT NULL,
    id         TEXT NOT NULL UNIQUE,
    title      TEXT NOT NULL,
    archived   INTEGER NOT NULL CHECK (archived IN (0, 1)),
    created_ms INTEGER NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (identity, scope)
) STRICT, WITHOUT ROWID;

-- Users and agents. They live in the identity, at no scope.
CREATE TABLE principals (
    identity   TEXT NOT NULL REFERENCES identities (name),
    id         TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('user', 'agent')),
    name       TEXT NOT NULL,
    stage      TEXT NOT NULL CHECK (stage IN ('supervised', 'autonomous')),
    suspended  INTEGER NOT NULL CHECK (suspended IN (0, 1)),
    created_ms INTEGER NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (identity, id),
    UNIQUE (identity, name)
) STRICT, WITHOUT ROWID;

-- Tokens as hashes. `scope` is the narrowing, if there is one; `home` is where the token stands and
-- is managed: that scope, else the parent's home, else the identity.
CREATE TABLE tokens (
    identity   TEXT NOT NULL,
    id         TEXT NOT NULL,
    principal  TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('agent', 'user')),
    parent     TEXT,
    hash       TEXT NOT NULL UNIQUE,
    scope      TEXT,
    home       TEXT NOT NULL,
    actions    TEXT,
    packs      TEXT NOT NULL,
    expires_ms INTEGER,
    revoked    INTEGER NOT NULL CHECK (revoked IN (0, 1)),
    created_ms INTEGER NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (identity, id),
    FOREIGN KEY (identity, principal) REFERENCES principals (identity, id),
    FOREIGN KEY (identity, parent) REFERENCES tokens (identity, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_parent ON tokens (identity, parent) WHERE parent IS NOT NULL;
CREATE INDEX tokens_principal ON tokens (identity, principal);

CREATE TABLE grants (
    identity   TEXT NOT NULL,
    id         TEXT NOT NULL,
    principal  TEXT NOT NULL,
    scope      TEXT NOT NULL,
    role       TEXT NOT NULL,
    expires_ms INTEGER,
    revoked    INTEGER NOT NULL CHECK (revoked IN (0, 1)),
    created_ms INTEGER NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (identity, id),
    FOREIGN KEY (identity, principal) REFERENCES principals (identity, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_principal ON grants (identity, principal);

-- Secrets for systems upstream. `sealed` is null once the secret was destroyed; the name is free
-- again then. `version` is part of what the seal authenticates.
CREATE TABLE credentials (
    identity   TEXT NOT NULL REFERENCES identities (name),
    id         TEXT NOT NULL,
    name       TEXT NOT NULL,
    scope      TEXT NOT NULL,
    origins    TEXT NOT NULL,
    sealed     TEXT,
    rotated_ms INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (identity, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX credentials_name ON credentials (identity, name) WHERE sealed IS NOT NULL;

CREATE TABLE credential_grants (
    identity   TEXT NOT NULL,
    id         TEXT NOT NULL,
    credential TEXT NOT NULL,
    scope      TEXT NOT NULL,
    expires_ms INTEGER,
    revoked    INTEGER NOT NULL CHECK (revoked IN (0, 1)),
    created_ms INTEGER NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (identity, id),
    FOREIGN KEY (identity, credential) REFERENCES credentials (identity, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX credential_grants_credential ON credential_grants (identity, credential);

-- The catalogue: servers, their tools, the tools' declarations, and what curators judged them to
-- be. A declaration and a classification are never changed. What was withdrawn stays so, and its
-- name is free again.
CREATE TABLE servers (
    identity        TEXT NOT NULL REFERENCES identities (name),
    id              TEXT NOT NULL,
    scope           TEXT NOT NULL,
    name            TEXT NOT NULL,
    title           TEXT NOT NULL,
    interchangeable INTEGER NOT NULL CHECK (interchangeable IN (0, 1)),
    instance        TEXT NOT NULL,
    withdrawn       INTEGER NOT NULL CHECK (withdrawn IN (0, 1)),
    created_ms      INTEGER NOT NULL,
    version         INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (identity, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX servers_name ON servers (identity, scope, name) WHERE withdrawn = 0;

-- `declaration` is the newest declaration, `classification` the newest judgement. All tools of a
-- withdrawn server are withdrawn.
CREATE TABLE tools (
    identity       TEXT NOT NULL,
    id             TEXT NOT NULL,
    server         TEXT NOT NULL,
    scope          TEXT NOT NULL,
    name           TEXT NOT NULL,
    declaration    INTEGER NOT NULL CHECK (declaration > 0),
    classification INTEGER CHECK (classification > 0),
    withdrawn      INTEGER NOT NULL CHECK (withdrawn IN (0, 1)),
    version        INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (identity, server, id),
    UNIQUE (identity, id),
    FOREIGN KEY (identity, server) REFERENCES servers (identity, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tools_name ON tools (identity, server, name) WHERE withdrawn = 0;

CREATE TABLE declarations (
    identity    TEXT NOT NULL,
    tool        TEXT NOT NULL,
    version     INTEGER NOT NULL CHECK (version > 0),
    scope       TEXT NOT NULL,
    digest      TEXT NOT NULL,
    declaration TEXT NOT NULL,
    created_ms  INTEGER NOT NULL,
    PRIMARY KEY (identity, tool, version),
    FOREIGN KEY (identity, tool) REFERENCES tools (identity, id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER declarations_never_change BEFORE UPDATE ON declarations
BEGIN SELECT raise(ABORT, 'a declaration never changes'); END;

-- `digest` is that of the definition which was judged.
CREATE TABLE classifications (
    identity       TEXT NOT NULL,
    tool           TEXT NOT NULL,
    version        INTEGER NOT NULL CHECK (version > 0),
    scope          TEXT NOT NULL,
    declaration    INTEGER NOT NULL,
    digest         TEXT NOT NULL,
    classification TEXT NOT NULL,
    PRIMARY KEY (identity, tool, version),
    FOREIGN KEY (identity, tool, declaration) REFERENCES declarations (identity, tool, version)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER classifications_never_change BEFORE UPDATE ON classifications
BEGIN SELECT raise(ABORT, 'a classification never changes'); END;

-- A tool with its newest declaration, its newest judgement, and where it stands by them.
CREATE VIEW tool_states AS
SELECT t.identity, t.id, t.server, s.name AS server_name, t.scope, t.name, t.declaration, t.version,
    d.digest, d.declaration AS declared, c.version AS classification,
    c.declaration AS classified, c.classification AS judged,
    CASE WHEN t.withdrawn = 1 THEN 'withdrawn' WHEN c.version IS NULL THEN 'unclassified'
        WHEN c.digest = d.digest THEN 'classified' ELSE 'drifted' END AS state
FROM tools t
JOIN servers s ON s.identity = t.identity AND s.id = t.server
JOIN declarations d ON d.identity = t.identity AND d.tool = t.id AND d.version = t.declaration
LEFT JOIN classifications c ON c.identity = t.identity AND c.tool = t.id
    AND c.version = t.classification;

-- Packs: `id` is the same for all versions of a name. A version is never changed.
CREATE TABLE packs (
    identity   TEXT NOT NULL REFERENCES identities (name),
    name       TEXT NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    id         TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (identity, name, version)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER packs_never_change BEFORE UPDATE ON packs
BEGIN SELECT raise(ABORT, 'a pack never changes'); END;

CREATE TABLE pins (
    identity       TEXT NOT NULL,
    pack           TEXT NOT NULL,
    pack_version   INTEGER NOT NULL,
    tool           TEXT NOT NULL,
    declaration    INTEGER NOT NULL,
    classification INTEGER NOT NULL,
    PRIMARY KEY (identity, pack, pack_version, tool),
    FOREIGN KEY (identity, pack, pack_version) REFERENCES packs (identity, name, version),
    FOREIGN KEY (identity, tool, classification) REFERENCES classifications (identity, tool, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX pins_tool ON pins (identity, tool);
CREATE TRIGGER pins_never_change BEFORE UPDATE ON pins
BEGIN SELECT raise(ABORT, 'a pack never changes'); END;

-- Cumulative totals of an hour by one incarnation of a worker, merged by maximum.
CREATE TABLE usage (
    identity     TEXT NOT NULL REFERENCES identities (name),
    hour_ms      INTEGER NOT NULL,
    scope        TEXT NOT NULL,
    principal    TEXT NOT NULL,
    address      TEXT NOT NULL,
    effect       TEXT NOT NULL,
    incarnation  INTEGER NOT NULL,
    calls        INTEGER NOT NULL,
    refused      INTEGER NOT NULL,
    bytes_sent   INTEGER NOT NULL,
    bytes_stored INTEGER NOT NULL,
    PRIMARY KEY (identity, hour_ms, scope, principal, address, effect, incarnation)
) STRICT, WITHOUT ROWID;

-- Acts of administration that the holder has not yet folded into the ledger.
CREATE TABLE outbox (
    identity TEXT NOT NULL REFERENCES identities (name),
    seq      INTEGER NOT NULL CHECK (seq > 0),
    act      TEXT NOT NULL,
    PRIMARY KEY (identity, seq)
) STRICT, WITHOUT ROWID;

-- What writes with an idempotency key have answered, without one-time secrets. `digest` is the
-- input's, keyed, since an input may hold a secret. Operators' rows have an empty `identity`, which
-- no tenant has.
CREATE TABLE idempotency (
    identity TEXT NOT NULL,
    caller   TEXT NOT NULL,
    verb     TEXT NOT NULL,
    key      TEXT NOT NULL,
    digest   TEXT NOT NULL,
    scope    TEXT NOT NULL,
    answer   TEXT NOT NULL,
    at_ms    INTEGER NOT NULL,
    PRIMARY KEY (identity, caller, verb, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_at ON idempotency (at_ms);

-- Who serves an identity. `ends_boot_ms` is on this machine's boot clock; `lasts_ms` bounds it anew
-- when that clock starts again. An ended lease keeps its row, so that `epoch` only grows.
CREATE TABLE leases (
    identity     TEXT NOT NULL PRIMARY KEY REFERENCES identities (name),
    epoch        INTEGER NOT NULL CHECK (epoch > 0),
    node         TEXT NOT NULL,
    ends_boot_ms INTEGER NOT NULL,
    lasts_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER leases_only_grow BEFORE UPDATE ON leases WHEN new.epoch < old.epoch
BEGIN SELECT raise(ABORT, 'no epoch goes back'); END;

-- The last checkpoint of each ledger that was countersigned.
CREATE TABLE checkpoints (
    identity TEXT NOT NULL PRIMARY KEY REFERENCES identities (name),
    origin   TEXT NOT NULL,
    size     INTEGER NOT NULL CHECK (size >= 0),
    root     TEXT NOT NULL,
    at_ms    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER checkpoints_only_grow BEFORE UPDATE ON checkpoints
WHEN new.size < old.size OR new.origin <> old.origin
    OR (new.size = old.size AND new.root <> old.root)
BEGIN SELECT raise(ABORT, 'a ledger does not fork'); END;
