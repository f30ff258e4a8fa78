-- What the default profile answers where its server has words of its own (subject, reporter, star_count …) instead of GitHub's.

CREATE VIEW account_data AS
SELECT a.id, json_object('username', a.login, 'profile_id', a.id) AS body FROM account a;

CREATE VIEW issue_data AS
SELECT i.id, json_object(
  'issue_id', i.id, 'issue_number', i.number, 'subject', i.title, 'description', coalesce(i.body, ''), 'status', i.state,
  'submitted_at', time_format(i.created_ms, 'rfc3339'), 'last_updated_at', time_format(i.updated_ms, 'rfc3339'),
  'reporter', (SELECT json(a.body) FROM account_data a WHERE a.id = i.author_id),
  'tags', (SELECT json_group_array(x.name) FROM (
    SELECT l.name FROM issue_label s JOIN label l ON l.id = s.label_id WHERE s.issue_id = i.id ORDER BY s.position, l.name) x),
  'assignees', (SELECT json_group_array(json(x.body)) FROM (
    SELECT a.body FROM issue_assignee s JOIN account_data a ON a.id = s.account_id WHERE s.issue_id = i.id ORDER BY s.position) x)) AS body
FROM issue i;

CREATE VIEW comment_data AS
SELECT c.id, c.issue_id, c.created_ms, json_object(
  'comment_id', c.id, 'content', c.body, 'author', (SELECT json(a.body) FROM account_data a WHERE a.id = c.author_id),
  'posted_at', time_format(c.created_ms, 'rfc3339'), 'modified_at', time_format(c.updated_ms, 'rfc3339')) AS body
FROM issue_comment c;

CREATE VIEW repo_data AS
SELECT r.id, json_object(
  'repo_id', r.id, 'name', r.name, 'full_name', o.login || '/' || r.name, 'description', coalesce(r.description, ''),
  'owner', json_object('username', o.login, 'profile_id', o.id), 'is_private', json(iif(r.private, 'true', 'false')),
  'is_fork', json(iif(r.parent_id IS NULL, 'false', 'true')), 'default_branch', r.default_branch, 'language', coalesce(f.language, ''),
  'star_count', f.stars, 'fork_count', f.forks, 'watcher_count', f.stars,
  'created_at', time_format(r.created_ms, 'rfc3339'), 'updated_at', time_format(r.updated_ms, 'rfc3339'),
  'pushed_at', time_format(r.pushed_ms, 'rfc3339'), 'clone_url', 'https://github.com/' || o.login || '/' || r.name || '.git',
  'html_url', 'https://github.com/' || o.login || '/' || r.name) AS body
FROM repo r JOIN account o ON o.id = r.owner_id JOIN repo_facts f ON f.id = r.id;

CREATE VIEW commit_data AS
SELECT c.id, json_object(
  'sha', c.sha, 'message', c.message, 'committer', json_object('name', c.committer_name, 'email', c.committer_email),
  'author', json_object('name', c.author_name, 'email', c.author_email),
  'committed_date', time_format(c.committed_ms, 'rfc3339'), 'authored_date', time_format(c.authored_ms, 'rfc3339')) AS body
FROM git_commit c;

CREATE VIEW alert_data AS
SELECT a.id, a.repo_id, a.number, json_patch(
  json_object(
    'alert_id', a.number, 'alert_number', a.number, 'state', a.state, 'severity', a.rule_severity, 'description', a.rule_description,
    'rule_name', coalesce(a.rule_name, ''), 'rule_id', a.rule_id),
  json_object(
    'tool', json_patch(json_object('name', a.tool_name), json_object('version', a.tool_version)),
    'location', json_object('file_path', a.path, 'start_line', a.start_line, 'end_line', a.end_line),
    'created_at', time_format(a.created_ms, 'rfc3339'), 'updated_at', time_format(a.updated_ms, 'rfc3339'),
    -- left out when there is none
    'dismissed_at', time_format(a.dismissed_ms, 'rfc3339'), 'fixed_at', time_format(a.fixed_ms, 'rfc3339'))) AS body
FROM code_scanning_alert a;

-- GitHub's own form, for other profiles.
CREATE VIEW alert_json AS
SELECT a.id, a.repo_id, a.number, json_object(
  'number', a.number, 'created_at', time_format(a.created_ms, 'rfc3339'), 'updated_at', time_format(a.updated_ms, 'rfc3339'),
  'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/code-scanning/alerts/' || a.number,
  'html_url', 'https://github.com/' || o.login || '/' || r.name || '/security/code-scanning/' || a.number,
  'state', a.state, 'fixed_at', time_format(a.fixed_ms, 'rfc3339'),
  'dismissed_by', (SELECT json(j.body) FROM account_json j WHERE j.id = a.dismissed_by_id),
  'dismissed_at', time_format(a.dismissed_ms, 'rfc3339'), 'dismissed_reason', a.dismissed_reason, 'dismissed_comment', a.dismissed_comment,
  'rule', json_object('id', a.rule_id, 'severity', a.rule_severity, 'security_severity_level', a.security_severity,
    'description', a.rule_description, 'name', a.rule_name, 'tags', json(a.rule_tags)),
  'tool', json_object('name', a.tool_name, 'guid', NULL, 'version', a.tool_version),
  'most_recent_instance', json_object('ref', a.ref, 'analysis_key', '.github/workflows/codeql.yml:analyze', 'category', a.category,
    'state', a.state, 'commit_sha', (SELECT c.sha FROM git_commit c WHERE c.id = a.commit_id), 'message', json_object('text', a.message),
    'location', json_object('path', a.path, 'start_line', a.start_line, 'end_line', a.end_line,
      'start_column', a.start_column, 'end_column', a.end_column), 'classifications', json('[]'))) AS body
FROM code_scanning_alert a JOIN repo r ON r.id = a.repo_id JOIN account o ON o.id = r.owner_id;
