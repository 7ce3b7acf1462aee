-- Written once, when a project is made.  Nothing is ever deleted from `labels`.
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS items (
  number INTEGER PRIMARY KEY,            -- order, and the item's name in addresses
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  version TEXT NOT NULL,
  languages TEXT NOT NULL,               -- JSON
  event TEXT,
  payload TEXT NOT NULL,                 -- JSON, as are the next three
  models TEXT NOT NULL,
  gold TEXT,
  source TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS people (
  name TEXT PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  consented TEXT,                        -- when, and to which text (a digest)
  consent TEXT,
  introduced TEXT                        -- JSON: kinds whose definitions and example were read
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS assignments (
  item INTEGER NOT NULL REFERENCES items (number),
  annotator TEXT NOT NULL,
  round INTEGER NOT NULL,
  place INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,       -- 1 where a label of the present version counts
  put_off INTEGER NOT NULL DEFAULT 0,    -- how often it was put off
  PRIMARY KEY (annotator, item, round)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS queue ON assignments (annotator, done, put_off, place);
CREATE INDEX IF NOT EXISTS by_item ON assignments (item, round);

CREATE TABLE IF NOT EXISTS labels (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  item TEXT NOT NULL,
  version TEXT NOT NULL,
  kind TEXT NOT NULL,
  annotator TEXT NOT NULL,
  round INTEGER NOT NULL,
  role TEXT NOT NULL,
  answer TEXT,                           -- JSON
  started TEXT NOT NULL,
  submitted TEXT NOT NULL,
  seconds REAL NOT NULL,
  prelabels TEXT NOT NULL,
  consulted TEXT NOT NULL,               -- JSON
  note TEXT,
  state TEXT NOT NULL                    -- counts, undone, superseded
);
CREATE UNIQUE INDEX IF NOT EXISTS one_that_counts
  ON labels (item, annotator, round, role) WHERE state = 'counts';
CREATE INDEX IF NOT EXISTS by_annotator ON labels (annotator, state, number);

CREATE TABLE IF NOT EXISTS consultations (
  item TEXT NOT NULL,
  annotator TEXT NOT NULL,
  version TEXT NOT NULL,
  at TEXT NOT NULL,
  models TEXT NOT NULL                   -- JSON: whose verdicts were shown
);
CREATE INDEX IF NOT EXISTS consulted ON consultations (item, annotator);

CREATE TABLE IF NOT EXISTS decisions (
  item INTEGER PRIMARY KEY REFERENCES items (number),
  version TEXT NOT NULL,
  status TEXT NOT NULL,                  -- as of annotation.labels.deciding
  answer TEXT                            -- JSON
);
CREATE INDEX IF NOT EXISTS by_status ON decisions (status, item);
