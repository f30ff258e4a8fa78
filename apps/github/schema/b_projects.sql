-- Projects (v2) with fields and items, sub-issues, issue types, what Copilot was given to do.

CREATE TABLE project (
  id INTEGER PRIMARY KEY,
  owner_id INTEGER NOT NULL REFERENCES account (id),
  number INTEGER NOT NULL,
  title TEXT NOT NULL,
  short_description TEXT,
  readme TEXT,
  public INTEGER NOT NULL DEFAULT 0,
  creator_id INTEGER REFERENCES account (id),
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  closed_ms INTEGER,
  UNIQUE (owner_id, number)
);

-- options of a single_select: id, name, color, description; of an iteration: id, title, start_date, duration.
CREATE TABLE project_field (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  name TEXT NOT NULL COLLATE NOCASE,
  data_type TEXT NOT NULL CHECK (data_type IN ('title', 'assignees', 'labels', 'linked_pull_requests', 'milestone', 'repository', 'reviewers',
    'text', 'number', 'date', 'single_select', 'iteration')),
  options TEXT NOT NULL DEFAULT '[]',
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  UNIQUE (project_id, name)
);

CREATE TRIGGER project_fields AFTER INSERT ON project BEGIN
  INSERT INTO project_field (id, project_id, name, data_type, created_ms, updated_ms)
  SELECT (SELECT coalesce(max(id), 210440100) FROM project_field) + 3 * x.position, NEW.id, x.name, x.type, NEW.created_ms, NEW.created_ms
  FROM (SELECT 1 AS position, 'Title' AS name, 'title' AS type UNION ALL SELECT 2, 'Assignees', 'assignees' UNION ALL SELECT 3, 'Labels', 'labels'
    UNION ALL SELECT 4, 'Linked pull requests', 'linked_pull_requests' UNION ALL SELECT 5, 'Milestone', 'milestone'
    UNION ALL SELECT 6, 'Repository', 'repository' UNION ALL SELECT 7, 'Reviewers', 'reviewers') x;
END;

CREATE TABLE project_item (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  issue_id INTEGER REFERENCES issue (id) ON DELETE CASCADE,  -- NULL: a draft
  draft_title TEXT,
  draft_body TEXT,
  creator_id INTEGER REFERENCES account (id),
  archived_ms INTEGER,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  UNIQUE (project_id, issue_id),
  CHECK ((issue_id IS NULL) <> (draft_title IS NULL))
);
CREATE INDEX project_item_by_issue ON project_item (issue_id);

-- value: text, number, date, or the id of an option.
CREATE TABLE project_value (
  item_id INTEGER NOT NULL REFERENCES project_item (id) ON DELETE CASCADE,
  field_id INTEGER NOT NULL REFERENCES project_field (id) ON DELETE CASCADE,
  value NOT NULL,
  PRIMARY KEY (item_id, field_id)
) WITHOUT ROWID;
CREATE INDEX project_value_by_field ON project_value (field_id);

CREATE TABLE sub_issue (
  child_id INTEGER PRIMARY KEY REFERENCES issue (id) ON DELETE CASCADE,
  parent_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  position REAL NOT NULL,
  CHECK (child_id <> parent_id)
);
CREATE INDEX sub_issue_by_parent ON sub_issue (parent_id, position);

CREATE TABLE issue_duplicate (
  issue_id INTEGER PRIMARY KEY REFERENCES issue (id) ON DELETE CASCADE,
  duplicate_of_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE
);
CREATE INDEX issue_duplicate_by_other ON issue_duplicate (duplicate_of_id);

CREATE TABLE issue_type (
  id INTEGER PRIMARY KEY,
  org_id INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL COLLATE NOCASE,
  description TEXT,
  color TEXT NOT NULL DEFAULT 'gray',
  created_ms INTEGER NOT NULL,
  UNIQUE (org_id, name)
);
-- What every organization has.
CREATE TRIGGER issue_types AFTER INSERT ON account WHEN NEW.type = 'Organization' BEGIN
  INSERT INTO issue_type (id, org_id, name, description, color, created_ms)
  SELECT (SELECT coalesce(max(id), 4410200) FROM issue_type) + 11 * x.position, NEW.id, x.name, x.description, x.color, NEW.created_ms
  FROM (SELECT 1 AS position, 'Task' AS name, 'A specific piece of work' AS description, 'yellow' AS color
    UNION ALL SELECT 2, 'Bug', 'An unexpected problem or behavior', 'red'
    UNION ALL SELECT 3, 'Feature', 'A request, idea, or new functionality', 'blue') x;
END;

-- The coding agent's work on an issue: it has a branch and a draft pull request.
CREATE TABLE copilot_assignment (
  issue_id INTEGER PRIMARY KEY REFERENCES issue (id) ON DELETE CASCADE,
  pull_id INTEGER REFERENCES pull (issue_id) ON DELETE SET NULL,
  base_ref TEXT NOT NULL,
  custom_instructions TEXT,
  created_ms INTEGER NOT NULL
);
CREATE INDEX copilot_assignment_by_pull ON copilot_assignment (pull_id);

-- ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- The issue with what its sub-issues come to.
CREATE VIEW issue_full AS
SELECT i.id, i.repo_id, i.number, json_set(j.body,
  '$.id', i.id, '$.sub_issues_summary', (SELECT json_object('total', count(*), 'completed', coalesce(sum(c.state = 'closed'), 0),
      'percent_completed', coalesce(100 * sum(c.state = 'closed') / count(*), 0))
    FROM sub_issue s JOIN issue c ON c.id = s.child_id WHERE s.parent_id = i.id)) AS body
FROM issue i JOIN issue_json j ON j.id = i.id;

CREATE VIEW project_json AS
SELECT p.id, p.owner_id, json_patch(json_object('id', p.id, 'node_id', 'PVT_' || base64url_encode('project' || p.id)), json_object(
  'owner', (SELECT json(a.body) FROM account_minimal a WHERE a.id = p.owner_id),
  'creator', (SELECT json(a.body) FROM account_minimal a WHERE a.id = p.creator_id), 'title', p.title, 'description', p.readme,
  'public', json(iif(p.public, 'true', 'false')), 'closed_at', time_format(p.closed_ms, 'rfc3339'),
  'created_at', time_format(p.created_ms, 'rfc3339'), 'updated_at', time_format(p.updated_ms, 'rfc3339'), 'number', p.number,
  'short_description', p.short_description, 'owner_type', iif((SELECT a.type FROM account a WHERE a.id = p.owner_id) = 'Organization', 'org', 'user')
  )) AS body
FROM project p;

CREATE VIEW project_field_json AS
SELECT f.id, f.project_id, f.name, json_patch(json_object('id', f.id, 'node_id', 'PVTF_' || base64url_encode('field' || f.id), 'name', f.name,
    'data_type', f.data_type, 'project_url', 'https://api.github.com/projectsV2/' || f.project_id), json_object(
  'options', CASE WHEN f.data_type = 'single_select' THEN json(f.options) END,
  'configuration', CASE WHEN f.data_type = 'iteration' THEN json_object('iterations', json(f.options)) END,
  'created_at', time_format(f.created_ms, 'rfc3339'), 'updated_at', time_format(f.updated_ms, 'rfc3339'))) AS body
FROM project_field f;

-- What an item has in a field, as JSON; NULL for nothing.
CREATE VIEW project_item_value AS
SELECT t.id AS item_id, f.id AS field_id, f.name, f.data_type, CASE f.data_type
    WHEN 'title' THEN json_object('raw', coalesce(i.title, t.draft_title), 'html', coalesce(i.title, t.draft_title))
    WHEN 'assignees' THEN (SELECT json_group_array(json(a.body)) FROM issue_assignee s JOIN account_minimal a ON a.id = s.account_id WHERE s.issue_id = t.issue_id)
    WHEN 'labels' THEN (SELECT json_group_array(json_object('name', l.name, 'color', l.color)) FROM issue_label s JOIN label l ON l.id = s.label_id WHERE s.issue_id = t.issue_id)
    WHEN 'milestone' THEN (SELECT json_object('title', m.title, 'number', m.number) FROM milestone m WHERE m.id = i.milestone_id)
    WHEN 'repository' THEN (SELECT json_quote(n.full_name) FROM repo_name n WHERE n.id = i.repo_id)
    WHEN 'reviewers' THEN (SELECT iif(count(*) = 0, NULL, json_group_array(a.login)) FROM review_request q JOIN account a ON a.id = q.account_id WHERE q.issue_id = t.issue_id)
    WHEN 'linked_pull_requests' THEN (SELECT iif(count(*) = 0, NULL, json_group_array(json_object('number', k.number, 'title', k.title, 'state', k.state)))
      FROM issue k WHERE k.repo_id = i.repo_id AND k.is_pull AND NOT i.is_pull
        AND regexp_like(coalesce(k.body, ''), '(?i)\b(close[sd]?|fix(e[sd])?|resolve[sd]?):? #' || i.number || '\b'))
    WHEN 'single_select' THEN (SELECT json(o.value) FROM project_value v, json_each(f.options) o
      WHERE v.item_id = t.id AND v.field_id = f.id AND json_extract(o.value, '$.id') = v.value)
    WHEN 'iteration' THEN (SELECT json(o.value) FROM project_value v, json_each(f.options) o
      WHERE v.item_id = t.id AND v.field_id = f.id AND json_extract(o.value, '$.id') = v.value)
    ELSE (SELECT json_quote(v.value) FROM project_value v WHERE v.item_id = t.id AND v.field_id = f.id) END AS value
FROM project_item t JOIN project_field f ON f.project_id = t.project_id LEFT JOIN issue i ON i.id = t.issue_id;

-- Without its fields: a tool adds those that were asked for.
CREATE VIEW project_item_json AS
SELECT t.id, t.project_id, t.issue_id, json_patch(json_object('id', t.id, 'node_id', 'PVTI_' || base64url_encode('item' || t.id),
    'content_type', CASE WHEN t.issue_id IS NULL THEN 'DraftIssue' WHEN i.is_pull THEN 'PullRequest' ELSE 'Issue' END), json_object(
  'content', CASE WHEN t.issue_id IS NULL THEN json_object('title', t.draft_title, 'body', coalesce(t.draft_body, ''))
    ELSE (SELECT json(j.body) FROM issue_json j WHERE j.id = t.issue_id) END,
  'project_url', 'https://api.github.com/projectsV2/' || t.project_id, 'creator', (SELECT json(a.body) FROM account_minimal a WHERE a.id = t.creator_id),
  'created_at', time_format(t.created_ms, 'rfc3339'), 'updated_at', time_format(t.updated_ms, 'rfc3339'),
  'archived_at', time_format(t.archived_ms, 'rfc3339'))) AS body
FROM project_item t LEFT JOIN issue i ON i.id = t.issue_id;
