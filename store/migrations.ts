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
  `
  CREATE TABLE install_wishes (
    person TEXT NOT NULL, app TEXT NOT NULL, version TEXT, request_id TEXT NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (person, app)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE rollbacks (
    key TEXT PRIMARY KEY, from_version TEXT NOT NULL, to_version TEXT NOT NULL, request_id TEXT NOT NULL, at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // How, when and from where a session is used: its person's list of sessions.
  `
  ALTER TABLE sessions ADD COLUMN seen_at_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN method TEXT NOT NULL DEFAULT '';
  ALTER TABLE sessions ADD COLUMN address TEXT NOT NULL DEFAULT '';
  ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
  `,
  // Documents in force were one named value, which was rewritten at every change.
  `
  CREATE TABLE in_force (name TEXT PRIMARY KEY, leaving INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO in_force SELECT value ->> '$.document.kind' || '/' || (value ->> '$.document.metadata.name'), 0, value
    FROM (SELECT each.value FROM named_values, json_each(named_values.value, '$.documents') AS each WHERE name = 'desired/in-force');
  INSERT OR IGNORE INTO in_force SELECT value ->> '$.document.kind' || '/' || (value ->> '$.document.metadata.name'), 1, value
    FROM (SELECT each.value FROM named_values, json_each(named_values.value, '$.leaving') AS each WHERE name = 'desired/in-force');
  UPDATE named_values SET value = json_remove(value, '$.documents', '$.leaving') WHERE name = 'desired/in-force';
  DROP TABLE applied;
  `,
  `
  ALTER TABLE install_wishes ADD COLUMN cancels INTEGER NOT NULL DEFAULT 0;
  `,
  // Rooms without their documents, the bell, and the portal credentials of backends.
  `
  CREATE TABLE rooms (
    id TEXT PRIMARY KEY, app TEXT NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
    changed_at_ms INTEGER NOT NULL, declared_name TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX rooms_by_owner ON rooms (owner, app);
  CREATE UNIQUE INDEX rooms_by_declaration ON rooms (app, declared_name) WHERE declared_name IS NOT NULL;

  CREATE TABLE room_people (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, name TEXT NOT NULL, role TEXT NOT NULL, given TEXT, declared_by TEXT,
    PRIMARY KEY (room, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX room_people_by_name ON room_people (name, room);
  CREATE INDEX room_people_by_document ON room_people (declared_by) WHERE declared_by IS NOT NULL;

  CREATE TABLE room_groups (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, name TEXT NOT NULL, role TEXT NOT NULL, given TEXT, declared_by TEXT,
    PRIMARY KEY (room, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX room_groups_by_name ON room_groups (name, room);
  CREATE INDEX room_groups_by_document ON room_groups (declared_by) WHERE declared_by IS NOT NULL;

  CREATE TABLE notices (
    id TEXT PRIMARY KEY, person TEXT NOT NULL, kind TEXT NOT NULL, room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
    by_whom TEXT NOT NULL, role TEXT, anchor TEXT, at_ms INTEGER NOT NULL, read INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX notices_by_person ON notices (person, at_ms, id);
  CREATE INDEX notices_unread ON notices (person) WHERE read = 0;
  CREATE INDEX notices_by_room ON notices (room);
  CREATE UNIQUE INDEX notices_of_invitations ON notices (person, room) WHERE kind = 'convite';

  CREATE TABLE notice_anchors (
    person TEXT NOT NULL, room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, kind TEXT NOT NULL, anchor TEXT NOT NULL,
    at_ms INTEGER NOT NULL, PRIMARY KEY (person, room, kind, anchor)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX notice_anchors_by_age ON notice_anchors (person, at_ms);
  CREATE INDEX notice_anchors_by_room ON notice_anchors (room);

  CREATE TABLE room_attachments (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, sha TEXT NOT NULL, bytes INTEGER NOT NULL, type TEXT NOT NULL,
    at_ms INTEGER NOT NULL, PRIMARY KEY (room, sha)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE portal_tokens (
    token_hash TEXT PRIMARY KEY, person TEXT NOT NULL, app TEXT NOT NULL, scopes TEXT NOT NULL, start_hash TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX portal_tokens_by_backend ON portal_tokens (person, app);
  `,
  // Rooms that were deleted and may have left something on the disk.
  `
  CREATE TABLE deleted_rooms (room TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  `,
  // Preferences of people in the desktop.
  `
  CREATE TABLE preferences (person TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  // Answers of people to apps that use capabilities of others.
  `
  CREATE TABLE consents (
    person TEXT NOT NULL, caller TEXT NOT NULL, provider TEXT NOT NULL, capability TEXT NOT NULL, id TEXT NOT NULL UNIQUE,
    answer TEXT NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (person, caller, provider, capability)
  ) STRICT, WITHOUT ROWID;
  `,
  // Notices that an app puts into the bell of its own person: of an app and with words, without a room.
  `
  CREATE TABLE all_notices (
    id TEXT PRIMARY KEY, person TEXT NOT NULL, kind TEXT NOT NULL, room TEXT REFERENCES rooms ON DELETE CASCADE, by_whom TEXT NOT NULL,
    role TEXT, anchor TEXT, at_ms INTEGER NOT NULL, read INTEGER NOT NULL DEFAULT 0, app TEXT, words TEXT, route TEXT,
    CHECK ((room IS NULL) = (app IS NOT NULL AND words IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
  INSERT INTO all_notices SELECT id, person, kind, room, by_whom, role, anchor, at_ms, read, NULL, NULL, NULL FROM notices;
  DROP TABLE notices;
  ALTER TABLE all_notices RENAME TO notices;
  CREATE INDEX notices_by_person ON notices (person, at_ms, id);
  CREATE INDEX notices_unread ON notices (person) WHERE read = 0;
  CREATE INDEX notices_by_room ON notices (room);
  CREATE INDEX notices_by_app ON notices (person, app, at_ms, id) WHERE app IS NOT NULL;
  CREATE UNIQUE INDEX notices_of_invitations ON notices (person, room) WHERE kind = 'convite';
  `,
  // Jobs of the queue. The submission is in a table of its own: it is large, and the rest of a job changes often.
  `
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY, change INTEGER NOT NULL, person TEXT NOT NULL, app TEXT NOT NULL, submit_key TEXT NOT NULL, name TEXT NOT NULL,
    cluster TEXT NOT NULL, cpus INTEGER NOT NULL, request_hash TEXT NOT NULL, created_at_ms INTEGER NOT NULL, released_at_ms INTEGER,
    attempt_at_ms INTEGER, accepted_at_ms INTEGER, cancel_at_ms INTEGER, report_state TEXT, report_code INTEGER, report_progress REAL,
    report_at_ms INTEGER, started_at_ms INTEGER, log_bytes INTEGER NOT NULL DEFAULT 0, output_bytes INTEGER NOT NULL DEFAULT 0, outcome TEXT,
    forgotten_at_ms INTEGER, expires_at_ms INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX jobs_by_key ON jobs (person, app, submit_key);
  CREATE UNIQUE INDEX jobs_by_change ON jobs (change);
  CREATE INDEX jobs_by_age ON jobs (created_at_ms, id);
  CREATE INDEX jobs_by_person ON jobs (person, created_at_ms, id);
  CREATE INDEX jobs_space ON jobs (person, output_bytes, log_bytes);

  CREATE TABLE job_requests (job TEXT PRIMARY KEY REFERENCES jobs ON DELETE CASCADE, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE job_tokens (token_hash TEXT PRIMARY KEY, job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE) STRICT, WITHOUT ROWID;
  CREATE INDEX job_tokens_by_job ON job_tokens (job);
  CREATE TABLE job_files (
    job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE, kind TEXT NOT NULL, path TEXT NOT NULL, sha TEXT NOT NULL, bytes INTEGER NOT NULL,
    complete INTEGER NOT NULL, refused INTEGER NOT NULL, PRIMARY KEY (job, kind, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX job_files_by_sha ON job_files (sha, kind);
  CREATE TABLE job_inputs (
    person TEXT NOT NULL, app TEXT NOT NULL, sha TEXT NOT NULL, bytes INTEGER NOT NULL, complete INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (person, app, sha)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX job_inputs_by_age ON job_inputs (at_ms);
  CREATE TABLE job_leftovers (kind TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, name)) STRICT, WITHOUT ROWID;
  `,
  // Errors that apps reported, by stack.
  `
  CREATE TABLE app_errors (
    person TEXT NOT NULL, app TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, message TEXT NOT NULL, stack TEXT NOT NULL,
    release TEXT NOT NULL, origin TEXT NOT NULL, n INTEGER NOT NULL, first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
    PRIMARY KEY (person, app, id)
  ) STRICT, WITHOUT ROWID;
  `,
  // Jobs in the bell: those of an app that ended in a row are one notice.
  `
  ALTER TABLE notices ADD COLUMN job TEXT;
  ALTER TABLE notices ADD COLUMN job_state TEXT;
  ALTER TABLE notices ADD COLUMN jobs INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE notices ADD COLUMN jobs_failed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE notices ADD COLUMN begun_ms INTEGER;
  `,
  // The request that a job came with: its line in the log of the portal.
  `
  ALTER TABLE jobs ADD COLUMN request_id TEXT;
  `,
  // Which engine a job was handed to, so that another one of the same name does not judge it; and keys of jobs that are not kept any more.
  `
  ALTER TABLE jobs ADD COLUMN engine TEXT;
  CREATE TABLE job_keys (
    person TEXT NOT NULL, app TEXT NOT NULL, submit_key TEXT NOT NULL, job TEXT NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (person, app, submit_key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX job_keys_by_age ON job_keys (at_ms);
  `,
  // Numbers that several portals of one database give out, each once.
  `
  CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO counters SELECT 'jobs', coalesce(max(change), 0) FROM jobs;
  `,
  // Windows are counted by each portal of its own pages.
  `
  CREATE TABLE windows_of_portals (
    person TEXT NOT NULL, app TEXT NOT NULL, open INTEGER NOT NULL, zero_since_ms INTEGER, portal TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (person, app, portal)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO windows_of_portals SELECT person, app, open, zero_since_ms, '' FROM windows;
  DROP TABLE windows;
  ALTER TABLE windows_of_portals RENAME TO windows;
  `,
  // The administrator who requested an intent.
  `
  ALTER TABLE intents ADD COLUMN who TEXT NOT NULL DEFAULT '';
  `,
  // Passkeys of people, and challenges that were answered: each counts once.
  `
  CREATE TABLE passkeys (
    id TEXT PRIMARY KEY, person TEXT NOT NULL, public_key TEXT NOT NULL, counter INTEGER NOT NULL, transports TEXT NOT NULL,
    backed_up INTEGER NOT NULL, name TEXT NOT NULL, made_at_ms INTEGER NOT NULL, used_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX passkeys_by_person ON passkeys (person, made_at_ms);
  CREATE TABLE passkey_challenges (hash TEXT PRIMARY KEY, expires_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at_ms);
  `,
  // Rooms in the bin, since when.
  `
  ALTER TABLE rooms ADD COLUMN binned_ms INTEGER;
  CREATE INDEX rooms_in_bin ON rooms (binned_ms) WHERE binned_ms IS NOT NULL;
  `,
];
