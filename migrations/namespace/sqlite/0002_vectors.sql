-- What passages mean, as vectors that callers gave. All vectors of a block are of content at one
-- scope and of one principal, were given by one principal and made by one model, so that what may be
-- compared is chosen block by block, in SQL. A row is the passage (8 bytes, little endian; 0 is an
-- empty slot), the scale (4 bytes) and one byte a number; 1,024 rows at the most.
CREATE TABLE vector_block (
    block     INTEGER PRIMARY KEY,
    scope     TEXT NOT NULL,
    -- Whose call produced the content.
    principal TEXT NOT NULL,
    giver     TEXT NOT NULL,
    -- Whether the giver saw personal values: such a vector may hold what is masked for others.
    unmasked  INTEGER NOT NULL CHECK (unmasked IN (0, 1)),
    model     TEXT NOT NULL,
    width     INTEGER NOT NULL CHECK (width BETWEEN 2 AND 4096),
    -- Slots that were handed out, and those of them that hold a row.
    used      INTEGER NOT NULL CHECK (used BETWEEN 0 AND 1024),
    live      INTEGER NOT NULL CHECK (live BETWEEN 0 AND used),
    rows      BLOB NOT NULL,
    CHECK (length(rows) = used * (width + 12))
) STRICT;
CREATE INDEX vector_block_model ON vector_block (model, scope);
CREATE INDEX vector_block_giver ON vector_block (giver, model);

-- Which passage has a vector, and where. Nobody's vector replaces another's.
CREATE TABLE content_vector (
    chunk INTEGER NOT NULL REFERENCES content_chunk (chunk) ON DELETE CASCADE,
    giver TEXT NOT NULL,
    model TEXT NOT NULL,
    block INTEGER NOT NULL REFERENCES vector_block (block),
    slot  INTEGER NOT NULL CHECK (slot BETWEEN 0 AND 1023),
    PRIMARY KEY (chunk, giver, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX content_vector_block ON content_vector (block);
-- A vector of personal content is personal: when its passage goes, the slot is overwritten, and a
-- block in which nothing is left goes whole.
CREATE TRIGGER content_vector_removed AFTER DELETE ON content_vector BEGIN
    UPDATE vector_block SET
        live = live - 1,
        rows = CAST(
            substr(rows, 1, old.slot * (width + 12))
            || zeroblob(width + 12)
            || substr(rows, (old.slot + 1) * (width + 12) + 1) AS BLOB)
    WHERE block = old.block;
    DELETE FROM vector_block WHERE block = old.block AND live = 0;
END;
CREATE TRIGGER content_vector_stays BEFORE UPDATE ON content_vector
BEGIN SELECT raise(ABORT, 'a vector is replaced, never changed'); END;
