-- Actions: workflows, their runs with jobs and artifacts. Workflows come from the files of default branches: triggers notice them.

CREATE VIEW repo_name AS
SELECT r.id, r.network_id, o.login || '/' || r.name AS full_name,
  'https://api.github.com/repos/' || o.login || '/' || r.name AS api_url, 'https://github.com/' || o.login || '/' || r.name AS web_url
FROM repo r JOIN account o ON o.id = r.owner_id;

CREATE TABLE workflow (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'active'
    CHECK (state IN ('active', 'deleted', 'disabled_fork', 'disabled_inactivity', 'disabled_manually')),
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  UNIQUE (repo_id, path)
);

CREATE TABLE workflow_run (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  workflow_id INTEGER NOT NULL REFERENCES workflow (id) ON DELETE CASCADE,
  run_number INTEGER NOT NULL,
  run_attempt INTEGER NOT NULL DEFAULT 1,
  event TEXT NOT NULL DEFAULT 'push',
  status TEXT NOT NULL DEFAULT 'completed' CHECK (status IN ('queued', 'in_progress', 'completed', 'requested', 'waiting')),
  conclusion TEXT CHECK (conclusion IN ('success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required')),
  head_branch TEXT,
  commit_id INTEGER REFERENCES git_commit (id),
  title TEXT NOT NULL,
  actor_id INTEGER REFERENCES account (id),
  triggering_actor_id INTEGER REFERENCES account (id),
  inputs TEXT NOT NULL DEFAULT '{}',
  logs_deleted INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  UNIQUE (workflow_id, run_number)
);
CREATE INDEX workflow_run_by_repo ON workflow_run (repo_id, created_ms);
CREATE INDEX workflow_run_by_commit ON workflow_run (commit_id);

-- A re-run has jobs of its own, with the next attempt.
CREATE TABLE workflow_job (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES workflow_run (id) ON DELETE CASCADE,
  run_attempt INTEGER NOT NULL DEFAULT 1,
  name TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'completed' CHECK (status IN ('queued', 'in_progress', 'completed', 'waiting')),
  conclusion TEXT CHECK (conclusion IN ('success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required')),
  labels TEXT NOT NULL DEFAULT '["ubuntu-latest"]',
  runner_name TEXT,
  steps TEXT NOT NULL DEFAULT '[]',                -- name, status, conclusion, number
  log TEXT NOT NULL DEFAULT '',
  created_ms INTEGER NOT NULL,
  started_ms INTEGER,
  completed_ms INTEGER
);
CREATE INDEX workflow_job_by_run ON workflow_job (run_id);

CREATE TABLE workflow_artifact (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES workflow_run (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  size INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
);
CREATE INDEX workflow_artifact_by_run ON workflow_artifact (run_id);

-- The workflow files at the head of each default branch.
CREATE VIEW workflow_file AS
SELECT r.id AS repo_id, b.commit_id, c.tree_id, e.path, f.content, c.committed_ms,
  coalesce(trim(trim(regexp_extract(f.content, '(?m)^name:[ \t]*([^#\r\n]+)', 1)), '"'''), e.path) AS name
FROM repo r
JOIN branch b ON b.repo_id = r.id AND b.name = r.default_branch
JOIN git_commit c ON c.id = b.commit_id
JOIN tree_entry e ON e.tree_id = c.tree_id AND e.path > '.github/workflows/' AND e.path < '.github/workflows0'
JOIN blob f ON f.sha = e.blob_sha
WHERE e.path LIKE '%.yml' OR e.path LIKE '%.yaml';

CREATE INDEX git_commit_by_tree ON git_commit (tree_id);

CREATE TRIGGER workflow_of_file AFTER INSERT ON tree_entry WHEN NEW.path > '.github/workflows/' AND NEW.path < '.github/workflows0' BEGIN
  INSERT OR IGNORE INTO workflow (id, repo_id, name, path, created_ms, updated_ms)
  SELECT (SELECT coalesce(max(id), 98120400) + 37 FROM workflow), w.repo_id, w.name, w.path, w.committed_ms, w.committed_ms
  FROM git_commit c JOIN branch b ON b.commit_id = c.id JOIN workflow_file w ON w.repo_id = b.repo_id AND w.path = NEW.path
  WHERE c.tree_id = NEW.tree_id AND w.tree_id = NEW.tree_id ORDER BY w.repo_id LIMIT 1;
END;

CREATE TRIGGER workflow_of_branch AFTER UPDATE OF commit_id ON branch BEGIN
  INSERT OR IGNORE INTO workflow (id, repo_id, name, path, created_ms, updated_ms)
  SELECT (SELECT coalesce(max(id), 98120400) FROM workflow) + 37 * row_number() OVER (ORDER BY w.path), w.repo_id, w.name, w.path,
    w.committed_ms, w.committed_ms
  FROM workflow_file w WHERE w.repo_id = NEW.repo_id AND w.commit_id = NEW.commit_id
    AND NOT EXISTS (SELECT 1 FROM workflow o WHERE o.repo_id = w.repo_id AND o.path = w.path);
END;
CREATE TRIGGER workflow_of_new_branch AFTER INSERT ON branch BEGIN
  INSERT OR IGNORE INTO workflow (id, repo_id, name, path, created_ms, updated_ms)
  SELECT (SELECT coalesce(max(id), 98120400) FROM workflow) + 37 * row_number() OVER (ORDER BY w.path), w.repo_id, w.name, w.path,
    w.committed_ms, w.committed_ms
  FROM workflow_file w WHERE w.repo_id = NEW.repo_id AND w.commit_id = NEW.commit_id
    AND NOT EXISTS (SELECT 1 FROM workflow o WHERE o.repo_id = w.repo_id AND o.path = w.path);
END;
CREATE TRIGGER workflow_of_default AFTER UPDATE OF default_branch ON repo BEGIN
  INSERT OR IGNORE INTO workflow (id, repo_id, name, path, created_ms, updated_ms)
  SELECT (SELECT coalesce(max(id), 98120400) FROM workflow) + 37 * row_number() OVER (ORDER BY w.path), w.repo_id, w.name, w.path,
    w.committed_ms, w.committed_ms
  FROM workflow_file w WHERE w.repo_id = NEW.id
    AND NOT EXISTS (SELECT 1 FROM workflow o WHERE o.repo_id = w.repo_id AND o.path = w.path);
END;

-- ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE VIEW workflow_json AS
SELECT w.id, w.repo_id, w.path, json_object(
  'id', w.id, 'node_id', base64_encode('08:Workflow' || w.id), 'name', w.name, 'path', w.path, 'state', w.state,
  'created_at', time_format(w.created_ms, 'rfc3339'), 'updated_at', time_format(w.updated_ms, 'rfc3339'),
  'url', n.api_url || '/actions/workflows/' || w.id, 'html_url', n.web_url || '/blob/' || r.default_branch || '/' || w.path,
  'badge_url', n.web_url || '/workflows/' || replace(w.name, ' ', '%20') || '/badge.svg') AS body
FROM workflow w JOIN repo_name n ON n.id = w.repo_id JOIN repo r ON r.id = w.repo_id;

CREATE VIEW workflow_run_json AS
SELECT u.id, u.repo_id, json_object(
  'id', u.id, 'name', w.name, 'node_id', base64_encode('011:WorkflowRun' || u.id), 'head_branch', u.head_branch, 'head_sha', c.sha,
  'path', w.path, 'run_number', u.run_number, 'run_attempt', u.run_attempt, 'event', u.event, 'display_title', u.title,
  'status', u.status, 'conclusion', u.conclusion, 'workflow_id', u.workflow_id,
  'url', n.api_url || '/actions/runs/' || u.id, 'html_url', n.web_url || '/actions/runs/' || u.id,
  'pull_requests', (SELECT json_group_array(json_object('number', i.number, 'url', n.api_url || '/pulls/' || i.number,
      'head', json_object('ref', p.head_ref, 'sha', c.sha), 'base', json_object('ref', p.base_ref)))
    FROM pull p JOIN issue i ON i.id = p.issue_id
    WHERE u.event = 'pull_request' AND p.head_repo_id = u.repo_id AND p.head_ref = u.head_branch AND i.state = 'open'),
  'created_at', time_format(u.created_ms, 'rfc3339'), 'updated_at', time_format(u.updated_ms, 'rfc3339'),
  'run_started_at', time_format(u.started_ms, 'rfc3339'),
  'jobs_url', n.api_url || '/actions/runs/' || u.id || '/jobs', 'logs_url', n.api_url || '/actions/runs/' || u.id || '/logs',
  'artifacts_url', n.api_url || '/actions/runs/' || u.id || '/artifacts', 'cancel_url', n.api_url || '/actions/runs/' || u.id || '/cancel',
  'rerun_url', n.api_url || '/actions/runs/' || u.id || '/rerun', 'workflow_url', n.api_url || '/actions/workflows/' || u.workflow_id,
  'head_commit', CASE WHEN c.id IS NOT NULL THEN json_object('id', c.sha, 'tree_id', (SELECT t.sha FROM tree t WHERE t.id = c.tree_id),
    'message', c.message, 'timestamp', time_format(c.committed_ms, 'rfc3339'),
    'author', json_object('name', c.author_name, 'email', c.author_email),
    'committer', json_object('name', c.committer_name, 'email', c.committer_email)) END,
  'actor', (SELECT json(a.body) FROM account_json a WHERE a.id = u.actor_id),
  'triggering_actor', (SELECT json(a.body) FROM account_json a WHERE a.id = u.triggering_actor_id),
  'repository', (SELECT json(b.body) FROM repo_brief_json b WHERE b.id = u.repo_id)) AS body
FROM workflow_run u
JOIN workflow w ON w.id = u.workflow_id
JOIN repo_name n ON n.id = u.repo_id
LEFT JOIN git_commit c ON c.id = u.commit_id;

CREATE VIEW workflow_job_json AS
SELECT j.id, j.run_id, u.repo_id, json_object(
  'id', j.id, 'run_id', j.run_id, 'run_url', n.api_url || '/actions/runs/' || j.run_id, 'node_id', base64_encode('08:CheckRun' || j.id),
  'head_branch', u.head_branch, 'head_sha', (SELECT c.sha FROM git_commit c WHERE c.id = u.commit_id),
  'url', n.api_url || '/actions/jobs/' || j.id, 'html_url', n.web_url || '/actions/runs/' || j.run_id || '/job/' || j.id,
  'status', j.status, 'conclusion', j.conclusion, 'created_at', time_format(j.created_ms, 'rfc3339'),
  'started_at', time_format(j.started_ms, 'rfc3339'), 'completed_at', time_format(j.completed_ms, 'rfc3339'), 'name', j.name,
  'steps', json(j.steps), 'check_run_url', n.api_url || '/check-runs/' || j.id, 'labels', json(j.labels), 'runner_name', j.runner_name,
  'run_attempt', j.run_attempt, 'workflow_name', w.name) AS body
FROM workflow_job j
JOIN workflow_run u ON u.id = j.run_id
JOIN workflow w ON w.id = u.workflow_id
JOIN repo_name n ON n.id = u.repo_id;

CREATE VIEW workflow_artifact_json AS
SELECT a.id, a.run_id, u.repo_id, a.expires_ms, json_object(
  'id', a.id, 'node_id', base64_encode('08:Artifact' || a.id), 'name', a.name, 'size_in_bytes', a.size,
  'url', n.api_url || '/actions/artifacts/' || a.id, 'archive_download_url', n.api_url || '/actions/artifacts/' || a.id || '/zip',
  'expired', json(iif(a.expires_ms < now_ms(), 'true', 'false')), 'created_at', time_format(a.created_ms, 'rfc3339'),
  'updated_at', time_format(a.created_ms, 'rfc3339'), 'expires_at', time_format(a.expires_ms, 'rfc3339'),
  'workflow_run', json_object('id', u.id, 'repository_id', u.repo_id, 'head_repository_id', u.repo_id, 'head_branch', u.head_branch,
    'head_sha', (SELECT c.sha FROM git_commit c WHERE c.id = u.commit_id))) AS body
FROM workflow_artifact a JOIN workflow_run u ON u.id = a.run_id JOIN repo_name n ON n.id = u.repo_id;
