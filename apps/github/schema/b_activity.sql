-- Gists, notifications, releases, teams, discussions.

CREATE TABLE gist (
  id TEXT PRIMARY KEY,
  owner_id INTEGER NOT NULL REFERENCES account (id),
  description TEXT,
  public INTEGER NOT NULL DEFAULT 0,
  comments INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
);
CREATE INDEX gist_by_owner ON gist (owner_id);

CREATE TABLE gist_file (
  gist_id TEXT NOT NULL REFERENCES gist (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (gist_id, name)
) WITHOUT ROWID;

-- A notification is a thread: one row per subject and account.
CREATE TABLE notification (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  reason TEXT NOT NULL CHECK (reason IN ('approval_requested', 'assign', 'author', 'ci_activity', 'comment', 'invitation', 'manual',
    'member_feature_requested', 'mention', 'review_requested', 'security_advisory_credit', 'security_alert', 'state_change', 'subscribed', 'team_mention')),
  subject_type TEXT NOT NULL CHECK (subject_type IN ('Issue', 'PullRequest', 'Commit', 'Release', 'Discussion', 'CheckSuite',
    'RepositoryInvitation', 'RepositoryVulnerabilityAlert')),
  title TEXT NOT NULL,
  number INTEGER,                                  -- of the issue, pull request or discussion
  unread INTEGER NOT NULL DEFAULT 1,
  done INTEGER NOT NULL DEFAULT 0,
  updated_ms INTEGER NOT NULL,
  last_read_ms INTEGER
);
CREATE INDEX notification_by_account ON notification (account_id, updated_ms);

CREATE TABLE thread_subscription (
  notification_id INTEGER PRIMARY KEY REFERENCES notification (id) ON DELETE CASCADE,
  ignored INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL
);

CREATE TABLE repo_subscription (
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES account (id),
  ignored INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (repo_id, account_id)
) WITHOUT ROWID;

CREATE TABLE release (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  tag_name TEXT NOT NULL,
  target TEXT NOT NULL DEFAULT 'main',
  name TEXT,
  body TEXT,
  draft INTEGER NOT NULL DEFAULT 0,
  prerelease INTEGER NOT NULL DEFAULT 0,
  author_id INTEGER REFERENCES account (id),
  assets TEXT NOT NULL DEFAULT '[]',               -- name, size, downloads
  created_ms INTEGER NOT NULL,
  published_ms INTEGER                             -- NULL for a draft
);
CREATE INDEX release_by_repo ON release (repo_id, tag_name);

CREATE TABLE team (
  id INTEGER PRIMARY KEY,
  org_id INTEGER NOT NULL REFERENCES account (id),
  slug TEXT NOT NULL COLLATE NOCASE,
  name TEXT NOT NULL,
  description TEXT,
  UNIQUE (org_id, slug)
);
CREATE TABLE team_member (
  team_id INTEGER NOT NULL REFERENCES team (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES account (id),
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, account_id)
) WITHOUT ROWID;
CREATE INDEX team_member_by_account ON team_member (account_id);

CREATE TABLE discussion_category (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  node_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL COLLATE NOCASE,
  description TEXT,
  answerable INTEGER NOT NULL DEFAULT 0,
  UNIQUE (repo_id, name)
);

CREATE TABLE discussion (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,                         -- from the same count as issues
  category_id INTEGER NOT NULL REFERENCES discussion_category (id),
  title TEXT NOT NULL,
  body TEXT NOT NULL DEFAULT '',
  author_id INTEGER NOT NULL REFERENCES account (id),
  closed INTEGER NOT NULL DEFAULT 0,
  answered_ms INTEGER,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  UNIQUE (repo_id, number)
);

CREATE TABLE discussion_comment (
  id INTEGER PRIMARY KEY,
  discussion_id INTEGER NOT NULL REFERENCES discussion (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES account (id),
  body TEXT NOT NULL,
  is_answer INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL
);
CREATE INDEX discussion_comment_by_discussion ON discussion_comment (discussion_id);

-- ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What the official server's answers call a user, and a repository in lists.
CREATE VIEW account_minimal AS
SELECT a.id, a.login, json_object('login', a.login, 'id', a.id, 'profile_url', 'https://github.com/' || a.login,
  'avatar_url', 'https://avatars.githubusercontent.com/u/' || a.id || '?v=4') AS body
FROM account a;

CREATE VIEW repo_minimal AS
SELECT r.id, json_patch(
  json_object('id', r.id, 'name', r.name, 'full_name', n.full_name),
  json_object('description', nullif(r.description, ''), 'html_url', n.web_url, 'language', f.language,
    'stargazers_count', f.stars, 'forks_count', f.forks, 'open_issues_count', f.open_issues,
    'updated_at', time_format(r.updated_ms, 'rfc3339'), 'created_at', time_format(r.created_ms, 'rfc3339'),
    'topics', iif(r.topics = '[]', NULL, json(r.topics)), 'private', json(iif(r.private, 'true', 'false')),
    'fork', json(iif(r.parent_id IS NULL, 'false', 'true')), 'archived', json(iif(r.archived, 'true', 'false')),
    'default_branch', r.default_branch)) AS body
FROM repo r JOIN repo_name n ON n.id = r.id JOIN repo_facts f ON f.id = r.id;

CREATE VIEW commit_minimal AS
SELECT n.id AS repo_id, c.id AS commit_id, json_patch(
  json_object('sha', c.sha, 'html_url', n.web_url || '/commit/' || c.sha, 'commit', json_object('message', c.message,
    'author', json_object('name', c.author_name, 'email', c.author_email, 'date', time_format(c.authored_ms, 'rfc3339')),
    'committer', json_object('name', c.committer_name, 'email', c.committer_email, 'date', time_format(c.committed_ms, 'rfc3339')))),
  json_object('author', (SELECT json(a.body) FROM account_minimal a WHERE a.id = c.author_id),
    'committer', (SELECT json(a.body) FROM account_minimal a WHERE a.id = c.committer_id))) AS body
FROM git_commit c JOIN repo_name n ON n.network_id = c.network_id;

-- `files` has the contents, `brief_files` has not.
CREATE VIEW gist_json AS
SELECT g.id, g.owner_id, json_object(
  'id', g.id, 'node_id', 'G_' || substr(g.id, 1, 20), 'url', 'https://api.github.com/gists/' || g.id,
  'html_url', 'https://gist.github.com/' || o.login || '/' || g.id, 'git_pull_url', 'https://gist.github.com/' || g.id || '.git',
  'description', g.description, 'public', json(iif(g.public, 'true', 'false')),
  'owner', (SELECT json(a.body) FROM account_json a WHERE a.id = g.owner_id), 'comments', g.comments,
  'created_at', time_format(g.created_ms, 'rfc3339'), 'updated_at', time_format(g.updated_ms, 'rfc3339')) AS body,
  (SELECT json_group_object(f.name, json(f.body)) FROM (
    SELECT x.name, json_object('filename', x.name, 'size', length(CAST(x.content AS BLOB)),
      'language', (SELECT l.name FROM language l WHERE l.extension = lower(replace(x.name, rtrim(x.name, replace(x.name, '.', '')), ''))),
      'type', 'text/plain', 'raw_url', 'https://gist.githubusercontent.com/' || o.login || '/' || g.id || '/raw/' || x.name,
      'content', x.content) AS body
    FROM gist_file x WHERE x.gist_id = g.id ORDER BY x.name) f) AS files,
  (SELECT json_group_object(f.name, json(f.body)) FROM (
    SELECT x.name, json_object('filename', x.name, 'size', length(CAST(x.content AS BLOB)),
      'language', (SELECT l.name FROM language l WHERE l.extension = lower(replace(x.name, rtrim(x.name, replace(x.name, '.', '')), ''))),
      'type', 'text/plain', 'raw_url', 'https://gist.githubusercontent.com/' || o.login || '/' || g.id || '/raw/' || x.name) AS body
    FROM gist_file x WHERE x.gist_id = g.id ORDER BY x.name) f) AS brief_files
FROM gist g JOIN account o ON o.id = g.owner_id;

CREATE VIEW notification_json AS
SELECT t.id, t.account_id, t.repo_id, json_object(
  'id', CAST(t.id AS TEXT), 'repository', (SELECT json(b.body) FROM repo_brief_json b WHERE b.id = t.repo_id),
  'subject', json_patch(json_object('title', t.title), json_object('url', s.url, 'latest_comment_url', coalesce(
      (SELECT n.api_url || '/issues/comments/' || max(c.id) FROM issue i JOIN issue_comment c ON c.issue_id = i.id
        WHERE i.repo_id = t.repo_id AND i.number = t.number AND t.subject_type IN ('Issue', 'PullRequest')), s.url),
    'type', t.subject_type)),
  'reason', t.reason, 'unread', json(iif(t.unread, 'true', 'false')), 'updated_at', time_format(t.updated_ms, 'rfc3339'),
  'last_read_at', time_format(t.last_read_ms, 'rfc3339'), 'url', 'https://api.github.com/notifications/threads/' || t.id,
  'subscription_url', 'https://api.github.com/notifications/threads/' || t.id || '/subscription') AS body
FROM notification t
JOIN repo_name n ON n.id = t.repo_id
JOIN (
  SELECT x.id, y.api_url || CASE x.subject_type WHEN 'Issue' THEN '/issues/' WHEN 'PullRequest' THEN '/pulls/'
    WHEN 'Discussion' THEN '/discussions/' END || x.number AS url
  FROM notification x JOIN repo_name y ON y.id = x.repo_id) s ON s.id = t.id;

CREATE VIEW release_json AS
SELECT e.id, e.repo_id, json_object(
  'id', e.id, 'node_id', base64_encode('07:Release' || e.id), 'tag_name', e.tag_name, 'target_commitish', e.target, 'name', e.name, 'body', e.body,
  'draft', json(iif(e.draft, 'true', 'false')), 'prerelease', json(iif(e.prerelease, 'true', 'false')),
  'created_at', time_format(e.created_ms, 'rfc3339'), 'published_at', time_format(e.published_ms, 'rfc3339'),
  'url', n.api_url || '/releases/' || e.id, 'html_url', n.web_url || '/releases/tag/' || e.tag_name,
  'assets_url', n.api_url || '/releases/' || e.id || '/assets',
  'tarball_url', n.api_url || '/tarball/' || e.tag_name, 'zipball_url', n.api_url || '/zipball/' || e.tag_name,
  'author', (SELECT json(a.body) FROM account_json a WHERE a.id = e.author_id),
  'assets', (SELECT json_group_array(json_object('id', e.id * 10 + j.key, 'name', json_extract(j.value, '$.name'), 'state', 'uploaded',
      'size', coalesce(json_extract(j.value, '$.size'), 0), 'download_count', coalesce(json_extract(j.value, '$.downloads'), 0),
      'browser_download_url', n.web_url || '/releases/download/' || e.tag_name || '/' || json_extract(j.value, '$.name')))
    FROM json_each(e.assets) j)) AS body
FROM release e JOIN repo_name n ON n.id = e.repo_id;

CREATE VIEW discussion_json AS
SELECT d.id, d.repo_id, json_object('number', d.number, 'title', d.title, 'html_url', n.web_url || '/discussions/' || d.number,
  'created_at', time_format(d.created_ms, 'rfc3339'), 'updated_at', time_format(d.updated_ms, 'rfc3339'),
  'user', json_object('login', (SELECT a.login FROM account a WHERE a.id = d.author_id)),
  'category', json_object('name', c.name)) AS body
FROM discussion d JOIN discussion_category c ON c.id = d.category_id JOIN repo_name n ON n.id = d.repo_id;
