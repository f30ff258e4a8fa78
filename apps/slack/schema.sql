CREATE TABLE user (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  real_name TEXT NOT NULL,
  display_name TEXT NOT NULL DEFAULT '',
  email TEXT,
  title TEXT,
  phone TEXT,
  tz TEXT NOT NULL DEFAULT 'America/Los_Angeles',
  locale TEXT NOT NULL DEFAULT 'en-US',
  status_text TEXT NOT NULL DEFAULT '',
  status_emoji TEXT NOT NULL DEFAULT '',
  is_bot INTEGER NOT NULL DEFAULT 0,
  is_admin INTEGER NOT NULL DEFAULT 0,
  deleted INTEGER NOT NULL DEFAULT 0,
  updated_ms INTEGER NOT NULL DEFAULT 0
);

-- Channels, direct messages (is_im, without a name) and group direct messages (is_mpim). The last two are private.
CREATE TABLE channel (
  id TEXT PRIMARY KEY,
  name TEXT UNIQUE,
  topic TEXT,
  purpose TEXT,
  is_private INTEGER NOT NULL DEFAULT 0,
  is_im INTEGER NOT NULL DEFAULT 0,
  is_mpim INTEGER NOT NULL DEFAULT 0,
  is_archived INTEGER NOT NULL DEFAULT 0,
  creator TEXT NOT NULL REFERENCES user (id),
  created_ms INTEGER NOT NULL,
  CHECK (is_im OR name IS NOT NULL),
  CHECK (is_private OR NOT (is_im OR is_mpim))
);

CREATE TABLE member (
  channel_id TEXT NOT NULL REFERENCES channel (id),
  user_id TEXT NOT NULL REFERENCES user (id),
  PRIMARY KEY (channel_id, user_id)
) WITHOUT ROWID;
CREATE INDEX member_by_user ON member (user_id, channel_id);

-- ts identifies a message within its channel. A reply carries the ts of the thread's first message as thread_ts; reply_to is the
-- same, but for replies to replies in a document: Slack's threads are flat, the document's need not be.
CREATE TABLE message (
  channel_id TEXT NOT NULL REFERENCES channel (id),
  ts TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES user (id),
  text TEXT NOT NULL,
  thread_ts TEXT,
  reply_to TEXT,
  subtype TEXT,
  inviter TEXT REFERENCES user (id),
  PRIMARY KEY (channel_id, ts)
);
CREATE INDEX message_by_thread ON message (channel_id, thread_ts, ts);
CREATE INDEX message_by_reply ON message (channel_id, reply_to, ts);

CREATE TABLE reaction (
  id INTEGER PRIMARY KEY,
  channel_id TEXT NOT NULL,
  ts TEXT NOT NULL,
  name TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES user (id),
  UNIQUE (channel_id, ts, name, user_id),
  FOREIGN KEY (channel_id, ts) REFERENCES message (channel_id, ts)
);

-- Who a direct message is with, for each of its members; somebody may also write to themselves.
CREATE VIEW direct_partner AS
SELECT a.channel_id, a.user_id AS viewer,
  coalesce((SELECT b.user_id FROM member b WHERE b.channel_id = a.channel_id AND b.user_id <> a.user_id), a.user_id) AS partner
FROM member a JOIN channel c ON c.id = a.channel_id AND c.is_im;

-- The objects as Slack's Web API shows them.

CREATE VIEW user_object AS
SELECT u.id, json_patch('{}', json_object(
    'id', u.id, 'team_id', 'T01ACME', 'name', u.name, 'deleted', json(iif(u.deleted, 'true', 'false')),
    'color', substr(md5_hex(u.id), 1, 6), 'real_name', u.real_name, 'tz', u.tz,
    'tz_label', CASE zone WHEN 'PDT' THEN 'Pacific Daylight Time' WHEN 'PST' THEN 'Pacific Standard Time'
      WHEN 'EDT' THEN 'Eastern Daylight Time' WHEN 'EST' THEN 'Eastern Standard Time' WHEN 'CDT' THEN 'Central Daylight Time'
      WHEN 'CST' THEN 'Central Standard Time' WHEN 'CEST' THEN 'Central European Summer Time' WHEN 'CET' THEN 'Central European Time'
      WHEN 'EEST' THEN 'Eastern European Summer Time' WHEN 'BST' THEN 'British Summer Time' WHEN 'GMT' THEN 'Greenwich Mean Time'
      WHEN 'IST' THEN 'India Standard Time' WHEN 'JST' THEN 'Japan Standard Time' WHEN 'WAT' THEN 'West Africa Standard Time'
      ELSE zone END,
    'tz_offset', iif(shift LIKE '-%', -1, 1) * (CAST(substr(shift, 2, 2) AS INTEGER) * 3600 + CAST(substr(shift, 4, 2) AS INTEGER) * 60),
    'profile', json_object(
      'title', coalesce(u.title, ''), 'phone', coalesce(u.phone, ''), 'skype', '', 'real_name', u.real_name,
      'real_name_normalized', u.real_name, 'display_name', u.display_name, 'display_name_normalized', u.display_name,
      'status_text', u.status_text, 'status_emoji', u.status_emoji, 'status_expiration', 0,
      'avatar_hash', substr(md5_hex(u.id || 'avatar'), 1, 12), 'email', u.email,
      'first_name', substr(u.real_name, 1, instr(u.real_name || ' ', ' ') - 1),
      'last_name', trim(substr(u.real_name, instr(u.real_name || ' ', ' '))),
      'bot_id', iif(u.is_bot, 'B' || substr(u.id, 2), NULL), 'api_app_id', iif(u.is_bot, 'A' || substr(u.id, 2), NULL),
      'team', 'T01ACME'),
    'is_admin', json(iif(u.is_admin, 'true', 'false')), 'is_owner', json('false'), 'is_primary_owner', json('false'),
    'is_restricted', json('false'), 'is_ultra_restricted', json('false'), 'is_bot', json(iif(u.is_bot, 'true', 'false')),
    'is_app_user', json('false'), 'updated', u.updated_ms / 1000, 'is_email_confirmed', json(iif(u.is_bot, 'false', 'true')))) AS body
FROM (SELECT *, time_format(now_ms(), '%Z', tz) AS zone, time_format(now_ms(), '%z', tz) AS shift FROM user) u;

CREATE VIEW channel_object AS
SELECT c.id, c.rowid AS place, c.type, c.members, iif(c.is_im, json_object(
      'id', c.id, 'created', c.created_ms / 1000, 'is_archived', json('false'), 'is_im', json('true'),
      'is_org_shared', json('false'), 'context_team_id', 'T01ACME', 'updated', c.created_ms, 'priority', 0),
    json_object(
      'id', c.id, 'name', c.name, 'is_channel', json(iif(c.type = 'public_channel', 'true', 'false')),
      'is_group', json(iif(c.type = 'private_channel', 'true', 'false')), 'is_im', json('false'),
      'is_mpim', json(iif(c.is_mpim, 'true', 'false')), 'is_private', json(iif(c.is_private, 'true', 'false')),
      'created', c.created_ms / 1000, 'is_archived', json(iif(c.is_archived, 'true', 'false')),
      'is_general', json(iif(c.name = 'general', 'true', 'false')), 'unlinked', 0, 'name_normalized', c.name,
      'is_shared', json('false'), 'is_org_shared', json('false'), 'is_pending_ext_shared', json('false'),
      'pending_shared', json('[]'), 'context_team_id', 'T01ACME', 'updated', c.created_ms, 'creator', c.creator,
      'is_ext_shared', json('false'), 'shared_team_ids', json('["T01ACME"]'), 'pending_connected_team_ids', json('[]'),
      'topic', json_object('value', coalesce(c.topic, ''), 'creator', iif(c.topic IS NULL, '', c.creator),
        'last_set', iif(c.topic IS NULL, 0, c.created_ms / 1000)),
      'purpose', json_object('value', coalesce(c.purpose, ''), 'creator', iif(c.purpose IS NULL, '', c.creator),
        'last_set', iif(c.purpose IS NULL, 0, c.created_ms / 1000)),
      'previous_names', json('[]'), 'num_members', c.members)) AS body
FROM (
  SELECT rowid, *, (SELECT count(*) FROM member m WHERE m.channel_id = channel.id) AS members,
    CASE WHEN is_im THEN 'im' WHEN is_mpim THEN 'mpim' WHEN is_private THEN 'private_channel' ELSE 'public_channel' END AS type
  FROM channel) c;

-- thread is the thread's ts for every message of a thread, the first one included; NULL for others.
CREATE VIEW message_object AS
SELECT m.key, m.channel_id, m.ts, m.thread, m.user_id, m.text, m.subtype, m.reply_count, m.reactions, m.parent_user_id,
  json_patch('{}', json_object(
    'type', 'message', 'subtype', m.subtype, 'user', m.user_id, 'text', m.text, 'ts', m.ts,
    'bot_id', iif(u.is_bot, 'B' || substr(u.id, 2), NULL), 'app_id', iif(u.is_bot, 'A' || substr(u.id, 2), NULL),
    'inviter', m.inviter, 'team', 'T01ACME',
    'bot_profile', json(iif(u.is_bot, json_object('id', 'B' || substr(u.id, 2), 'app_id', 'A' || substr(u.id, 2), 'name', u.real_name,
      'deleted', json('false'), 'team_id', 'T01ACME'), NULL)),
    'thread_ts', m.thread, 'reply_count', nullif(m.reply_count, 0),
    'reply_users_count', (SELECT nullif(count(DISTINCT r.user_id), 0) FROM message r WHERE r.channel_id = m.channel_id AND r.thread_ts = m.ts),
    'latest_reply', (SELECT max(r.ts) FROM message r WHERE r.channel_id = m.channel_id AND r.thread_ts = m.ts),
    'reply_users', json(iif(m.reply_count > 0, (SELECT json_group_array(user_id) FROM (
        SELECT r.user_id FROM message r WHERE r.channel_id = m.channel_id AND r.thread_ts = m.ts
        GROUP BY r.user_id ORDER BY min(r.ts))), NULL)),
    'is_locked', json(iif(m.reply_count > 0, 'false', NULL)), 'parent_user_id', m.parent_user_id,
    'reactions', json(nullif(m.reactions, '[]')))) AS body
FROM (
  SELECT x.rowid AS key, x.*, coalesce(x.thread_ts, iif(x.replies > 0, x.ts, NULL)) AS thread, x.replies AS reply_count,
    (SELECT p.user_id FROM message p WHERE p.channel_id = x.channel_id AND p.ts = x.thread_ts) AS parent_user_id,
    (SELECT json_group_array(json_object('name', name, 'users', json(users), 'count', number)) FROM (
        SELECT g.name, count(*) AS number, min(g.id) AS first, (
            SELECT json_group_array(user_id) FROM (
              SELECT h.user_id FROM reaction h WHERE h.channel_id = x.channel_id AND h.ts = x.ts AND h.name = g.name ORDER BY h.id)) AS users
        FROM reaction g WHERE g.channel_id = x.channel_id AND g.ts = x.ts GROUP BY g.name ORDER BY first)) AS reactions
  FROM (
    SELECT rowid, *, (SELECT count(*) FROM message r WHERE r.channel_id = message.channel_id AND r.thread_ts = message.ts) AS replies
    FROM message) x) m
JOIN user u ON u.id = m.user_id;

-- A message's text as the server of MCP_Atlas shows it: links as "address - text", without marks, emoji and brackets.
CREATE VIEW plain_text AS
SELECT key, trim(regexp_replace(regexp_replace(linked,
    '(https?://[^\s<>"{}|\\^`\[\]]+)|[^0-9\p{L}\p{M}\s.,\-_:/?=&%]', '\1'), '[ \t]+', ' '), char(9, 10, 13, 32)) AS plain
FROM (
  SELECT key, regexp_replace(regexp_replace(ended, '<(https?://[^>|]+)\|([^>]+)>', '\1 - \2,'), '\[([^\]]+)\]\((https?://[^)]+)\)', '\2 - \1,') AS linked
  FROM (
    SELECT rowid AS key, regexp_replace(regexp_replace(text, '<(https?://[^>|]+)\|([^>]+)>\s*$', '\1 - \2'),
      '\[([^\]]+)\]\((https?://[^)]+)\)\s*$', '\2 - \1') AS ended
    FROM message));
