-- What tools answer: GitHub's REST objects, one view each, in a column `body`.

CREATE VIEW account_json AS
SELECT a.id, a.login, json_object(
  'login', a.login, 'id', a.id, 'node_id', base64_encode('04:User' || a.id),
  'avatar_url', 'https://avatars.githubusercontent.com/u/' || a.id || '?v=4', 'url', 'https://api.github.com/users/' || a.login,
  'html_url', 'https://github.com/' || a.login, 'type', a.type, 'site_admin', json(iif(a.site_admin, 'true', 'false'))) AS body
FROM account a;

CREATE VIEW account_full_json AS
SELECT a.id, a.login, json_object(
  'login', a.login, 'id', a.id, 'node_id', base64_encode('04:User' || a.id),
  'avatar_url', 'https://avatars.githubusercontent.com/u/' || a.id || '?v=4', 'url', 'https://api.github.com/users/' || a.login,
  'html_url', 'https://github.com/' || a.login, 'type', a.type, 'site_admin', json(iif(a.site_admin, 'true', 'false')),
  'name', a.name, 'company', a.company, 'blog', coalesce(a.blog, ''), 'location', a.location, 'email', a.email,
  'hireable', CASE WHEN a.hireable IS NOT NULL THEN json(iif(a.hireable, 'true', 'false')) END,
  'bio', a.bio, 'twitter_username', a.twitter_username,
  'public_repos', (SELECT count(*) FROM repo r WHERE r.owner_id = a.id AND NOT r.private), 'public_gists', 0,
  'followers', a.followers, 'following', a.following,
  'created_at', time_format(a.created_ms, 'rfc3339'), 'updated_at', time_format(a.updated_ms, 'rfc3339')) AS body
FROM account a;

-- ── Repositories ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- The files at the head of each default branch.
CREATE VIEW default_file AS
SELECT r.id AS repo_id, c.id AS commit_id, c.sha AS commit_sha, e.path, e.blob_sha,
  lower(iif(instr(e.path, '.'), substr(e.path, length(rtrim(e.path, replace(e.path, '.', ''))) + 1), '')) AS extension
FROM repo r
JOIN branch b ON b.repo_id = r.id AND b.name = r.default_branch
JOIN git_commit c ON c.id = b.commit_id
JOIN tree_entry e ON e.tree_id = c.tree_id;

-- The counts and the language of each repository.
CREATE VIEW repo_facts AS
SELECT r.id,
  r.stars_elsewhere + (SELECT count(*) FROM star s WHERE s.repo_id = r.id) AS stars,
  r.forks_elsewhere + (SELECT count(*) FROM repo f WHERE f.parent_id = r.id) AS forks,
  (SELECT count(*) FROM issue i WHERE i.repo_id = r.id AND i.state = 'open') AS open_issues,
  coalesce(r.language, (
    SELECT l.name FROM default_file f JOIN language l ON l.extension = f.extension AND l.is_code JOIN blob b ON b.sha = f.blob_sha
    WHERE f.repo_id = r.id GROUP BY l.name ORDER BY sum(b.size) DESC, l.name LIMIT 1)) AS language,
  (SELECT coalesce(sum(b.size), 0) + 1023 FROM default_file f JOIN blob b ON b.sha = f.blob_sha WHERE f.repo_id = r.id) / 1024 AS size
FROM repo r;

CREATE VIEW repo_brief_json AS
SELECT r.id, json_object(
  'id', r.id, 'node_id', base64_encode('010:Repository' || r.id), 'name', r.name, 'full_name', o.login || '/' || r.name,
  'private', json(iif(r.private, 'true', 'false')), 'owner', (SELECT json(a.body) FROM account_json a WHERE a.id = r.owner_id),
  'html_url', 'https://github.com/' || o.login || '/' || r.name, 'description', r.description,
  'fork', json(iif(r.parent_id IS NULL, 'false', 'true')), 'url', 'https://api.github.com/repos/' || o.login || '/' || r.name,
  'default_branch', r.default_branch, 'visibility', iif(r.private, 'private', 'public')) AS body
FROM repo r JOIN account o ON o.id = r.owner_id;

CREATE VIEW repo_json AS
SELECT r.id, json_object(
  'id', r.id, 'node_id', base64_encode('010:Repository' || r.id), 'name', r.name, 'full_name', o.login || '/' || r.name,
  'private', json(iif(r.private, 'true', 'false')), 'owner', (SELECT json(a.body) FROM account_json a WHERE a.id = r.owner_id),
  'html_url', 'https://github.com/' || o.login || '/' || r.name, 'description', r.description,
  'fork', json(iif(r.parent_id IS NULL, 'false', 'true')), 'url', 'https://api.github.com/repos/' || o.login || '/' || r.name,
  'created_at', time_format(r.created_ms, 'rfc3339'), 'updated_at', time_format(r.updated_ms, 'rfc3339'),
  'pushed_at', time_format(r.pushed_ms, 'rfc3339'),
  'git_url', 'git://github.com/' || o.login || '/' || r.name || '.git',
  'ssh_url', 'git@github.com:' || o.login || '/' || r.name || '.git',
  'clone_url', 'https://github.com/' || o.login || '/' || r.name || '.git',
  'homepage', r.homepage, 'size', f.size, 'stargazers_count', f.stars, 'watchers_count', f.stars, 'language', f.language,
  'has_issues', json(iif(r.has_issues, 'true', 'false')), 'has_projects', json('true'), 'has_wiki', json('true'),
  'forks_count', f.forks, 'archived', json(iif(r.archived, 'true', 'false')), 'disabled', json(iif(r.disabled, 'true', 'false')),
  'open_issues_count', f.open_issues,
  'license', CASE WHEN r.license IS NOT NULL THEN json_object('key', lower(r.license), 'name', r.license, 'spdx_id', r.license) END,
  'allow_forking', json('true'), 'is_template', json(iif(r.is_template, 'true', 'false')), 'topics', json(r.topics),
  'visibility', iif(r.private, 'private', 'public'), 'forks', f.forks, 'open_issues', f.open_issues, 'watchers', f.stars,
  'default_branch', r.default_branch, 'subscribers_count', r.watchers) AS body
FROM repo r JOIN account o ON o.id = r.owner_id JOIN repo_facts f ON f.id = r.id;

-- What an author is to a repository.
CREATE VIEW association AS
SELECT r.id AS repo_id, a.id AS account_id, CASE
  WHEN r.owner_id = a.id THEN 'OWNER'
  WHEN EXISTS (SELECT 1 FROM org_member m WHERE m.org_id = r.owner_id AND m.account_id = a.id) THEN 'MEMBER'
  WHEN EXISTS (SELECT 1 FROM collaborator c WHERE c.repo_id = r.id AND c.account_id = a.id) THEN 'COLLABORATOR'
  WHEN EXISTS (SELECT 1 FROM git_commit c WHERE c.author_id = a.id AND c.network_id = r.network_id) THEN 'CONTRIBUTOR'
  ELSE 'NONE' END AS value
FROM repo r JOIN account a;

-- By repo_id and commit_id: a commit of a fork is there under every repository of the network.
CREATE VIEW commit_json AS
SELECT r.id AS repo_id, c.id AS commit_id, c.sha, json_object(
  'sha', c.sha, 'node_id', base64_encode('06:Commit' || c.id),
  'commit', json_object(
    'author', json_object('name', c.author_name, 'email', c.author_email, 'date', time_format(c.authored_ms, 'rfc3339')),
    'committer', json_object('name', c.committer_name, 'email', c.committer_email, 'date', time_format(c.committed_ms, 'rfc3339')),
    'message', c.message,
    'tree', json_object('sha', t.sha, 'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/git/trees/' || t.sha),
    'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/git/commits/' || c.sha, 'comment_count', 0,
    'verification', json_object('verified', json('false'), 'reason', 'unsigned', 'signature', NULL, 'payload', NULL)),
  'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/commits/' || c.sha,
  'html_url', 'https://github.com/' || o.login || '/' || r.name || '/commit/' || c.sha,
  'author', (SELECT json(a.body) FROM account_json a WHERE a.id = c.author_id),
  'committer', (SELECT json(a.body) FROM account_json a WHERE a.id = c.committer_id),
  'parents', (SELECT json_group_array(json_object('sha', x.sha,
      'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/commits/' || x.sha,
      'html_url', 'https://github.com/' || o.login || '/' || r.name || '/commit/' || x.sha))
    FROM (SELECT q.sha FROM commit_parent p JOIN git_commit q ON q.id = p.parent_id WHERE p.commit_id = c.id ORDER BY p.position) x)
  ) AS body
FROM git_commit c
JOIN repo r ON r.network_id = c.network_id
JOIN account o ON o.id = r.owner_id
JOIN tree t ON t.id = c.tree_id;

-- ── Issues ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE VIEW label_json AS
SELECT l.id, l.repo_id, l.name, json_object(
  'id', l.id, 'node_id', base64_encode('05:Label' || l.id),
  'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/labels/' || replace(l.name, ' ', '%20'),
  'name', l.name, 'color', l.color, 'default', json(iif(l.is_default, 'true', 'false')), 'description', l.description) AS body
FROM label l JOIN repo r ON r.id = l.repo_id JOIN account o ON o.id = r.owner_id;

CREATE VIEW milestone_json AS
SELECT m.id, m.repo_id, json_object(
  'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/milestones/' || m.number,
  'html_url', 'https://github.com/' || o.login || '/' || r.name || '/milestone/' || m.number,
  'id', m.id, 'node_id', base64_encode('09:Milestone' || m.id), 'number', m.number, 'title', m.title, 'description', m.description,
  'creator', (SELECT json(a.body) FROM account_json a WHERE a.id = m.creator_id),
  'open_issues', (SELECT count(*) FROM issue i WHERE i.milestone_id = m.id AND i.state = 'open'),
  'closed_issues', (SELECT count(*) FROM issue i WHERE i.milestone_id = m.id AND i.state = 'closed'),
  'state', m.state, 'created_at', time_format(m.created_ms, 'rfc3339'), 'updated_at', time_format(m.updated_ms, 'rfc3339'),
  'due_on', time_format(m.due_ms, 'rfc3339'), 'closed_at', time_format(m.closed_ms, 'rfc3339')) AS body
FROM milestone m JOIN repo r ON r.id = m.repo_id JOIN account o ON o.id = r.owner_id;

-- By subject and subject_id, for those that have any.
CREATE VIEW reaction_count AS
SELECT subject, subject_id, count(*) AS total, json_object(
  'total_count', count(*), '+1', sum(content = '+1'), '-1', sum(content = '-1'), 'laugh', sum(content = 'laugh'),
  'hooray', sum(content = 'hooray'), 'confused', sum(content = 'confused'), 'heart', sum(content = 'heart'),
  'rocket', sum(content = 'rocket'), 'eyes', sum(content = 'eyes')) AS body
FROM reaction GROUP BY subject, subject_id;

CREATE VIEW issue_lists AS
SELECT i.id,
  (SELECT json_group_array(json(x.body)) FROM (
    SELECT l.body FROM issue_label il JOIN label_json l ON l.id = il.label_id WHERE il.issue_id = i.id ORDER BY il.position, l.name) x
  ) AS labels,
  (SELECT json_group_array(json(x.body)) FROM (
    SELECT a.body FROM issue_assignee ia JOIN account_json a ON a.id = ia.account_id WHERE ia.issue_id = i.id ORDER BY ia.position, a.id) x
  ) AS assignees,
  coalesce((SELECT c.body FROM reaction_count c WHERE c.subject = 'issue' AND c.subject_id = i.id),
    '{"total_count":0,"+1":0,"-1":0,"laugh":0,"hooray":0,"confused":0,"heart":0,"rocket":0,"eyes":0}') AS reactions,
  (SELECT count(*) FROM issue_comment c WHERE c.issue_id = i.id) AS comments
FROM issue i;

CREATE VIEW issue_json AS
SELECT b.id, b.repo_id, iif(NOT b.is_pull, b.body, json_insert(b.body,
  '$.draft', json(iif(p.draft, 'true', 'false')),
  '$.pull_request', json_object(
    'url', b.api_url || '/pulls/' || b.number, 'html_url', b.web_url || '/pull/' || b.number,
    'diff_url', b.web_url || '/pull/' || b.number || '.diff', 'patch_url', b.web_url || '/pull/' || b.number || '.patch',
    'merged_at', time_format(p.merged_ms, 'rfc3339')))) AS body
FROM (
  SELECT i.id, i.repo_id, i.number, i.is_pull,
    'https://api.github.com/repos/' || o.login || '/' || r.name AS api_url, 'https://github.com/' || o.login || '/' || r.name AS web_url,
    json_object(
      'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/issues/' || i.number,
      'repository_url', 'https://api.github.com/repos/' || o.login || '/' || r.name,
      'html_url', 'https://github.com/' || o.login || '/' || r.name || iif(i.is_pull, '/pull/', '/issues/') || i.number,
      'id', i.id, 'node_id', base64_encode('05:Issue' || i.id), 'number', i.number, 'title', i.title,
      'user', (SELECT json(a.body) FROM account_json a WHERE a.id = i.author_id),
      'labels', json(x.labels), 'state', i.state, 'locked', json(iif(i.locked, 'true', 'false')),
      'assignee', json(json_extract(x.assignees, '$[0]')), 'assignees', json(x.assignees),
      'milestone', (SELECT json(m.body) FROM milestone_json m WHERE m.id = i.milestone_id), 'comments', x.comments,
      'created_at', time_format(i.created_ms, 'rfc3339'), 'updated_at', time_format(i.updated_ms, 'rfc3339'),
      'closed_at', time_format(i.closed_ms, 'rfc3339'),
      'author_association', (SELECT s.value FROM association s WHERE s.repo_id = i.repo_id AND s.account_id = i.author_id),
      'type', CASE WHEN i.issue_type IS NOT NULL THEN json_object('name', i.issue_type) END,
      'active_lock_reason', i.active_lock_reason, 'body', i.body,
      'closed_by', (SELECT json(a.body) FROM account_json a WHERE a.id = i.closed_by_id),
      'reactions', json(x.reactions), 'state_reason', i.state_reason) AS body
  FROM issue i JOIN repo r ON r.id = i.repo_id JOIN account o ON o.id = r.owner_id JOIN issue_lists x ON x.id = i.id
) b
LEFT JOIN pull p ON p.issue_id = b.id;

CREATE VIEW comment_json AS
SELECT c.id, c.issue_id, c.created_ms, json_object(
  'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/issues/comments/' || c.id,
  'html_url', 'https://github.com/' || o.login || '/' || r.name || iif(i.is_pull, '/pull/', '/issues/') || i.number || '#issuecomment-' || c.id,
  'issue_url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/issues/' || i.number,
  'id', c.id, 'node_id', base64_encode('012:IssueComment' || c.id),
  'user', (SELECT json(a.body) FROM account_json a WHERE a.id = c.author_id),
  'created_at', time_format(c.created_ms, 'rfc3339'), 'updated_at', time_format(c.updated_ms, 'rfc3339'),
  'author_association', (SELECT s.value FROM association s WHERE s.repo_id = i.repo_id AND s.account_id = c.author_id), 'body', c.body,
  'reactions', json(coalesce((SELECT x.body FROM reaction_count x WHERE x.subject = 'comment' AND x.subject_id = c.id),
    '{"total_count":0,"+1":0,"-1":0,"laugh":0,"hooray":0,"confused":0,"heart":0,"rocket":0,"eyes":0}'))) AS body
FROM issue_comment c JOIN issue i ON i.id = c.issue_id JOIN repo r ON r.id = i.repo_id JOIN account o ON o.id = r.owner_id;

-- ── Pull requests ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- As lists have it; `find_pull` and get_pull_request add counts and mergeability.
CREATE VIEW pull_json AS
SELECT i.id, i.repo_id, json_object(
  'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/pulls/' || i.number,
  'id', i.id, 'node_id', base64_encode('011:PullRequest' || i.id),
  'html_url', 'https://github.com/' || o.login || '/' || r.name || '/pull/' || i.number,
  'diff_url', 'https://github.com/' || o.login || '/' || r.name || '/pull/' || i.number || '.diff',
  'patch_url', 'https://github.com/' || o.login || '/' || r.name || '/pull/' || i.number || '.patch',
  'issue_url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/issues/' || i.number,
  'number', i.number, 'state', i.state, 'locked', json(iif(i.locked, 'true', 'false')), 'title', i.title,
  'user', (SELECT json(a.body) FROM account_json a WHERE a.id = i.author_id), 'body', i.body,
  'created_at', time_format(i.created_ms, 'rfc3339'), 'updated_at', time_format(i.updated_ms, 'rfc3339'),
  'closed_at', time_format(i.closed_ms, 'rfc3339'), 'merged_at', time_format(p.merged_ms, 'rfc3339'),
  'merge_commit_sha', (SELECT c.sha FROM git_commit c WHERE c.id = p.merge_commit_id),
  'assignee', json(json_extract(x.assignees, '$[0]')), 'assignees', json(x.assignees),
  'requested_reviewers', (SELECT json_group_array(json(y.body)) FROM (
    SELECT a.body FROM review_request q JOIN account_json a ON a.id = q.account_id WHERE q.issue_id = i.id ORDER BY a.id) y),
  'requested_teams', json('[]'), 'labels', json(x.labels),
  'milestone', (SELECT json(m.body) FROM milestone_json m WHERE m.id = i.milestone_id),
  'draft', json(iif(p.draft, 'true', 'false')),
  'head', json_object('label', coalesce(ho.login, 'unknown') || ':' || p.head_ref, 'ref', p.head_ref,
    'sha', (SELECT c.sha FROM git_commit c WHERE c.id = p.head_commit_id),
    'user', (SELECT json(a.body) FROM account_json a WHERE a.id = h.owner_id),
    'repo', (SELECT json(b.body) FROM repo_brief_json b WHERE b.id = p.head_repo_id)),
  'base', json_object('label', o.login || ':' || p.base_ref, 'ref', p.base_ref,
    'sha', (SELECT c.sha FROM git_commit c WHERE c.id = p.base_commit_id),
    'user', (SELECT json(a.body) FROM account_json a WHERE a.id = r.owner_id),
    'repo', (SELECT json(b.body) FROM repo_brief_json b WHERE b.id = p.repo_id)),
  'author_association', (SELECT s.value FROM association s WHERE s.repo_id = i.repo_id AND s.account_id = i.author_id),
  'auto_merge', NULL, 'active_lock_reason', i.active_lock_reason) AS body
FROM pull p
JOIN issue i ON i.id = p.issue_id
JOIN repo r ON r.id = p.repo_id
JOIN account o ON o.id = r.owner_id
JOIN issue_lists x ON x.id = i.id
LEFT JOIN repo h ON h.id = p.head_repo_id
LEFT JOIN account ho ON ho.id = h.owner_id;

CREATE VIEW review_json AS
SELECT v.id, v.issue_id, v.state, v.author_id, json_object(
  'id', v.id, 'node_id', base64_encode('017:PullRequestReview' || v.id),
  'user', (SELECT json(a.body) FROM account_json a WHERE a.id = v.author_id), 'body', v.body, 'state', v.state,
  'html_url', 'https://github.com/' || o.login || '/' || r.name || '/pull/' || i.number || '#pullrequestreview-' || v.id,
  'pull_request_url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/pulls/' || i.number,
  'author_association', (SELECT s.value FROM association s WHERE s.repo_id = i.repo_id AND s.account_id = v.author_id),
  'submitted_at', time_format(v.submitted_ms, 'rfc3339'),
  'commit_id', (SELECT c.sha FROM git_commit c WHERE c.id = v.commit_id)) AS body
FROM review v JOIN issue i ON i.id = v.issue_id JOIN repo r ON r.id = i.repo_id JOIN account o ON o.id = r.owner_id;

CREATE VIEW review_comment_json AS
SELECT v.id, v.issue_id, v.review_id, v.created_ms, v.updated_ms, json_object(
  'url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/pulls/comments/' || v.id,
  'pull_request_review_id', v.review_id, 'id', v.id, 'node_id', base64_encode('024:PullRequestReviewComment' || v.id),
  'diff_hunk', v.diff_hunk, 'path', v.path, 'position', v.position, 'original_position', v.position,
  'commit_id', (SELECT c.sha FROM git_commit c WHERE c.id = v.commit_id),
  'original_commit_id', (SELECT c.sha FROM git_commit c WHERE c.id = v.commit_id), 'in_reply_to_id', v.in_reply_to_id,
  'user', (SELECT json(a.body) FROM account_json a WHERE a.id = v.author_id), 'body', v.body,
  'created_at', time_format(v.created_ms, 'rfc3339'), 'updated_at', time_format(v.updated_ms, 'rfc3339'),
  'html_url', 'https://github.com/' || o.login || '/' || r.name || '/pull/' || i.number || '#discussion_r' || v.id,
  'pull_request_url', 'https://api.github.com/repos/' || o.login || '/' || r.name || '/pulls/' || i.number,
  'author_association', (SELECT s.value FROM association s WHERE s.repo_id = i.repo_id AND s.account_id = v.author_id),
  'start_line', v.start_line, 'original_start_line', v.start_line, 'start_side', v.start_side,
  'line', v.line, 'original_line', v.line, 'side', v.side, 'subject_type', v.subject_type,
  'reactions', json(coalesce((SELECT x.body FROM reaction_count x WHERE x.subject = 'review_comment' AND x.subject_id = v.id),
    '{"total_count":0,"+1":0,"-1":0,"laugh":0,"hooray":0,"confused":0,"heart":0,"rocket":0,"eyes":0}'))) AS body
FROM review_comment v JOIN issue i ON i.id = v.issue_id JOIN repo r ON r.id = i.repo_id JOIN account o ON o.id = r.owner_id;
