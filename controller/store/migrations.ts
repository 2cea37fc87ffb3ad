/**
 * Steps of the embedded store's schema. Entry n brings `user_version` from n to n + 1, inside one transaction. Entries are
 * never changed once released: a store that was written by a newer svc is refused (STORE_NEWER), never guessed at.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE intents (
    person TEXT NOT NULL, app TEXT NOT NULL, wish TEXT NOT NULL, by_whom TEXT NOT NULL, request_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL, done INTEGER NOT NULL, PRIMARY KEY (person, app)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE statuses (key TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, key TEXT NOT NULL, type TEXT NOT NULL, reason TEXT NOT NULL,
    message TEXT NOT NULL, round TEXT NOT NULL, from_state TEXT, to_state TEXT
  ) STRICT;
  CREATE INDEX events_by_key ON events (key, seq);

  CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY, person TEXT NOT NULL, admin INTEGER NOT NULL, audience TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_by_person ON sessions (person, created_at_ms);
  CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);

  CREATE TABLE passes (
    pass_hash TEXT PRIMARY KEY, person TEXT NOT NULL, admin INTEGER NOT NULL, audience TEXT NOT NULL, expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX passes_by_expiry ON passes (expires_at_ms);

  CREATE TABLE windows (
    person TEXT NOT NULL, app TEXT NOT NULL, open INTEGER NOT NULL, zero_since_ms INTEGER, PRIMARY KEY (person, app)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE applied (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE named_values (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
];
