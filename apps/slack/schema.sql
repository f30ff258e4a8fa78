CREATE TABLE user (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  real_name TEXT NOT NULL,
  email TEXT,
  title TEXT,
  tz TEXT NOT NULL DEFAULT 'America/Los_Angeles',
  is_bot INTEGER NOT NULL DEFAULT 0,
  is_admin INTEGER NOT NULL DEFAULT 0,
  deleted INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE channel (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  topic TEXT,
  purpose TEXT,
  is_private INTEGER NOT NULL DEFAULT 0,
  is_archived INTEGER NOT NULL DEFAULT 0,
  creator TEXT NOT NULL REFERENCES user (id),
  created_ms INTEGER NOT NULL
);

CREATE TABLE member (
  channel_id TEXT NOT NULL REFERENCES channel (id),
  user_id TEXT NOT NULL REFERENCES user (id),
  PRIMARY KEY (channel_id, user_id)
) WITHOUT ROWID;

-- ts identifies a message within its channel; a reply carries its parent's ts as thread_ts.
CREATE TABLE message (
  channel_id TEXT NOT NULL REFERENCES channel (id),
  ts TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES user (id),
  text TEXT NOT NULL,
  thread_ts TEXT,
  PRIMARY KEY (channel_id, ts)
);
CREATE INDEX message_by_thread ON message (channel_id, thread_ts, ts);

CREATE TABLE reaction (
  channel_id TEXT NOT NULL,
  ts TEXT NOT NULL,
  name TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES user (id),
  PRIMARY KEY (channel_id, ts, name, user_id),
  FOREIGN KEY (channel_id, ts) REFERENCES message (channel_id, ts)
) WITHOUT ROWID;
