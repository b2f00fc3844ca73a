-- One identity's world. No column names the identity: the file is the border, and `meta` says whose
-- it is. Ids are TEXT with their prefix, times INTEGER milliseconds since the Unix epoch, labels a
-- bit set, lists and maps JSON. Twenty tables is the ceiling; those inside the full-text index do
-- not count, since PostgreSQL has none.

-- What the file is: written when it is made, compared at every open.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The ledger. `body` is canonical JSON and what `hash` covers; the columns beside it repeat parts
-- of it for filters. Every index carries `seq` already, because `seq` is the rowid.
CREATE TABLE ledger (
    seq       INTEGER PRIMARY KEY,
    at_ms     INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    prev      BLOB NOT NULL CHECK (length(prev) = 32),
    hash      BLOB NOT NULL CHECK (length(hash) = 32),
    body      TEXT NOT NULL,
    -- The ruling that the entry is or belongs to, and the decision that explains it.
    ruling    TEXT,
    decision  TEXT,
    run       TEXT,
    principal TEXT,
    scope     TEXT,
    address   TEXT,
    verdict   TEXT CHECK (verdict IN ('allow', 'constrain', 'approve', 'block'))
) STRICT;
CREATE INDEX ledger_kind ON ledger (kind);
CREATE INDEX ledger_at ON ledger (at_ms);
CREATE INDEX ledger_ruling ON ledger (ruling) WHERE ruling IS NOT NULL;
CREATE INDEX ledger_decision ON ledger (decision) WHERE decision IS NOT NULL;
CREATE INDEX ledger_run ON ledger (run) WHERE run IS NOT NULL;
CREATE INDEX ledger_principal ON ledger (principal) WHERE principal IS NOT NULL;
CREATE INDEX ledger_scope ON ledger (scope) WHERE scope IS NOT NULL;
CREATE INDEX ledger_address ON ledger (address) WHERE address IS NOT NULL;
CREATE TRIGGER ledger_keeps_entries BEFORE DELETE ON ledger
BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_keeps_words BEFORE UPDATE ON ledger
BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;

-- The end of the chain, and the fence: every batch compares `epoch`, and it only grows. `head` is
-- null until there is an entry, since the genesis is the ledger's to compute.
CREATE TABLE ledger_head (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    next_seq INTEGER NOT NULL CHECK (next_seq >= 0),
    head     BLOB CHECK (length(head) = 32),
    frontier BLOB,
    epoch    INTEGER NOT NULL CHECK (epoch >= 0),
    CHECK ((next_seq = 0) = (head IS NULL)),
    CHECK ((head IS NULL) = (frontier IS NULL))
) STRICT;
INSERT INTO ledger_head (one, next_seq, head, frontier, epoch) VALUES (1, 0, NULL, NULL, 0);
CREATE TRIGGER ledger_head_only_grows BEFORE UPDATE ON ledger_head
WHEN new.epoch < old.epoch OR new.next_seq < old.next_seq
BEGIN SELECT raise(ABORT, 'neither epoch nor chain goes back'); END;
CREATE TRIGGER ledger_head_stays BEFORE DELETE ON ledger_head
BEGIN SELECT raise(ABORT, 'the ledger keeps its head'); END;

-- Signed checkpoints over the first `size` entries.
CREATE TABLE checkpoint (
    size  INTEGER PRIMARY KEY,
    note  TEXT NOT NULL,
    at_ms INTEGER NOT NULL
) STRICT;

-- Rulings without an outcome: what is found here at start was cut off by a crash.
CREATE TABLE ruling_open (
    ruling          TEXT NOT NULL PRIMARY KEY,
    seq             INTEGER NOT NULL REFERENCES ledger (seq),
    at_ms           INTEGER NOT NULL,
    effect          TEXT NOT NULL CHECK (effect IN ('read', 'write', 'destructive', 'financial')),
    idempotency_key BLOB
) STRICT, WITHOUT ROWID;

-- Runs. Labels only grow; the open default run of a principal is one.
CREATE TABLE run (
    id         TEXT NOT NULL PRIMARY KEY,
    principal  TEXT NOT NULL,
    parent     TEXT REFERENCES run (id),
    scope      TEXT NOT NULL,
    title      TEXT NOT NULL DEFAULT '',
    labels     INTEGER NOT NULL DEFAULT 0 CHECK (labels >= 0),
    -- Where the labels came from, and the pack versions the run started with.
    sources    TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(sources)),
    packs      TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(packs)),
    is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
    -- The token that started it: a clean run is named by no other.
    token      TEXT,
    -- Started without labels by whoever may: what its principal has read elsewhere is not in it.
    is_clean   INTEGER NOT NULL DEFAULT 0 CHECK (is_clean IN (0, 1)),
    started_ms INTEGER NOT NULL,
    ended_ms   INTEGER,
    -- Keys the placeholders, and says which value has which number: `[email:2]` is the second. Values
    -- are known by keyed hashes only, so nothing here says what they are or matches across runs.
    mask_key   BLOB NOT NULL CHECK (length(mask_key) = 32),
    numbering  TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(numbering)),
    version    INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1)
) STRICT;
CREATE UNIQUE INDEX run_default ON run (principal) WHERE is_default = 1 AND ended_ms IS NULL;
CREATE INDEX run_principal ON run (principal, started_ms);
CREATE INDEX run_scope ON run (scope, started_ms);
CREATE INDEX run_parent ON run (parent) WHERE parent IS NOT NULL;
CREATE TRIGGER run_labels_only_grow BEFORE UPDATE OF labels ON run
WHEN (new.labels & old.labels) <> old.labels
BEGIN SELECT raise(ABORT, 'a run loses no label'); END;

-- Stored results. This row outlives the payload and is then its tombstone.
CREATE TABLE content (
    id           TEXT NOT NULL PRIMARY KEY,
    scope        TEXT NOT NULL,
    principal    TEXT NOT NULL,
    run          TEXT,
    ruling       TEXT,
    address      TEXT NOT NULL,
    media_type   TEXT NOT NULL,
    bytes        INTEGER NOT NULL CHECK (bytes >= 0),
    lines        INTEGER CHECK (lines >= 0),
    labels       INTEGER NOT NULL DEFAULT 0 CHECK (labels >= 0),
    -- Salted: without the payload row it matches nothing.
    digest       BLOB NOT NULL CHECK (length(digest) = 32),
    derived_from TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(derived_from)),
    created_ms   INTEGER NOT NULL,
    erased_ms    INTEGER
) STRICT;
CREATE INDEX content_scope ON content (scope, created_ms);
CREATE INDEX content_run ON content (run) WHERE run IS NOT NULL;
CREATE INDEX content_created ON content (created_ms);

-- What erasure removes, as one row: deleting it takes chunks, words with it. The
-- payload stands last, so that reading what is before it does not read the payload.
CREATE TABLE content_payload (
    content TEXT NOT NULL PRIMARY KEY REFERENCES content (id) ON DELETE CASCADE,
    salt    BLOB NOT NULL CHECK (length(salt) >= 16),
    summary TEXT,
    spans   TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(spans)),
    payload BLOB NOT NULL
) STRICT;

-- The masked text in passages, as it is indexed; `start` and `bytes` are the passage's place in the
-- payload. Kept because a word leaves the index only if it is taken out as it was put in.
CREATE TABLE content_chunk (
    chunk   INTEGER PRIMARY KEY,
    content TEXT NOT NULL REFERENCES content_payload (content) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    start   INTEGER NOT NULL CHECK (start >= 0),
    bytes   INTEGER NOT NULL CHECK (bytes >= 0),
    masked  TEXT NOT NULL,
    UNIQUE (content, ordinal)
) STRICT;
CREATE VIRTUAL TABLE content_fts USING fts5 (
    masked,
    content = 'content_chunk',
    content_rowid = 'chunk',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Without this a deleted word stays in the index's pages, whatever `secure_delete` says.
INSERT INTO content_fts (content_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER content_chunk_added AFTER INSERT ON content_chunk BEGIN
    INSERT INTO content_fts (rowid, masked) VALUES (new.chunk, new.masked);
END;
CREATE TRIGGER content_chunk_removed AFTER DELETE ON content_chunk BEGIN
    INSERT INTO content_fts (content_fts, rowid, masked) VALUES ('delete', old.chunk, old.masked);
END;
CREATE TRIGGER content_chunk_stays BEFORE UPDATE ON content_chunk
BEGIN SELECT raise(ABORT, 'a passage is replaced, never changed'); END;

-- Writes by key. The key is a digest over principal, resolved target and what the caller gave.
CREATE TABLE idempotency (
    key             BLOB NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    principal       TEXT NOT NULL,
    target          TEXT NOT NULL,
    argument_digest BLOB NOT NULL CHECK (length(argument_digest) = 32),
    state           TEXT NOT NULL
        CHECK (state IN ('in_flight', 'done', 'outcome_unknown', 'failed_before_send')),
    ruling          TEXT NOT NULL,
    answer          TEXT,
    content         TEXT REFERENCES content (id) ON DELETE SET NULL,
    created_ms      INTEGER NOT NULL,
    expires_ms      INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_expires ON idempotency (expires_ms);
CREATE INDEX idempotency_content ON idempotency (content) WHERE content IS NOT NULL;
CREATE INDEX idempotency_ruling ON idempotency (ruling);

-- Held calls. `call` is the whole call with its exact arguments, `call_hash` what a release lets
-- through, `checks` why it was held. The call is erasable once it is decided.
CREATE TABLE approval (
    id         TEXT NOT NULL PRIMARY KEY,
    ruling     TEXT NOT NULL,
    principal  TEXT NOT NULL,
    token      TEXT,
    run        TEXT,
    scope      TEXT NOT NULL,
    address    TEXT NOT NULL,
    tool       TEXT NOT NULL,
    call_hash  BLOB NOT NULL CHECK (length(call_hash) = 32),
    call       TEXT,
    checks     TEXT NOT NULL CHECK (json_valid(checks)),
    labels     INTEGER NOT NULL DEFAULT 0 CHECK (labels >= 0),
    state      TEXT NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'released', 'refused', 'expired', 'done')),
    created_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    decided_by TEXT,
    decided_ms INTEGER,
    reason     TEXT,
    answer     TEXT,
    content    TEXT REFERENCES content (id) ON DELETE SET NULL,
    version    INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1),
    CHECK (state <> 'pending' OR (call IS NOT NULL AND decided_ms IS NULL)),
    CHECK (state NOT IN ('released', 'refused', 'done')
        OR (decided_by IS NOT NULL AND decided_ms IS NOT NULL))
) STRICT;
CREATE INDEX approval_state ON approval (state, expires_ms);
CREATE INDEX approval_scope ON approval (scope, created_ms);
CREATE INDEX approval_principal ON approval (principal, created_ms);
CREATE INDEX approval_call ON approval (call_hash);
CREATE INDEX approval_content ON approval (content) WHERE content IS NOT NULL;

-- Usage by hour: a fold of the ledger, written in the batch of the entries it counts.
CREATE TABLE usage_bucket (
    hour_ms      INTEGER NOT NULL CHECK (hour_ms % 3600000 = 0),
    scope        TEXT NOT NULL,
    principal    TEXT NOT NULL,
    address      TEXT NOT NULL,
    effect       TEXT NOT NULL
        CHECK (effect IN ('read', 'write', 'destructive', 'financial', 'unclassified')),
    calls        INTEGER NOT NULL DEFAULT 0 CHECK (calls >= 0),
    refused      INTEGER NOT NULL DEFAULT 0 CHECK (refused >= 0),
    held         INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    -- Arguments taken, bytes answered, and bytes kept instead of answered.
    bytes_in     INTEGER NOT NULL DEFAULT 0 CHECK (bytes_in >= 0),
    bytes_out    INTEGER NOT NULL DEFAULT 0 CHECK (bytes_out >= 0),
    bytes_stored INTEGER NOT NULL DEFAULT 0 CHECK (bytes_stored >= 0),
    -- The size of the ledger with the entry that it last grew by: what grew since is to be shipped.
    grown_at     INTEGER NOT NULL DEFAULT 0 CHECK (grown_at >= 0),
    PRIMARY KEY (hour_ms, scope, principal, address, effect)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_bucket_grown_at ON usage_bucket (grown_at);

-- The places of the control database's outbox that the ledger holds already: what makes folding in
-- exactly once.
CREATE TABLE outbox_folded (
    seq        INTEGER PRIMARY KEY,
    ledger_seq INTEGER NOT NULL REFERENCES ledger (seq)
) STRICT;
