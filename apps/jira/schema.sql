-- The site's people and settings. They come from seed/base.json and are in every world.
CREATE TABLE user (
  account_id TEXT PRIMARY KEY,
  display_name TEXT NOT NULL COLLATE NOCASE,
  email TEXT COLLATE NOCASE,
  active INTEGER NOT NULL DEFAULT 1,
  time_zone TEXT NOT NULL DEFAULT 'Etc/UTC',
  account_type TEXT NOT NULL DEFAULT 'atlassian',
  login TEXT AS (substr(email, 1, instr(email, '@') - 1)) COLLATE NOCASE  -- people are also called by that
);

CREATE TABLE issue_type (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  description TEXT NOT NULL DEFAULT '',
  level INTEGER NOT NULL DEFAULT 0  -- 1 an epic, 0 the usual, -1 a subtask
);

CREATE TABLE priority (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  description TEXT NOT NULL DEFAULT '',
  rank INTEGER NOT NULL  -- 1 is the most urgent
);

CREATE TABLE status (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  description TEXT NOT NULL DEFAULT '',
  category TEXT NOT NULL CHECK (category IN ('new', 'indeterminate', 'done'))
);

-- From which status a project's workflow leads to which; from NULL from any.
CREATE TABLE transition (
  workflow TEXT NOT NULL,
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  from_status TEXT COLLATE NOCASE REFERENCES status (name),
  to_status TEXT NOT NULL COLLATE NOCASE REFERENCES status (name)
);
CREATE INDEX transition_by_workflow ON transition (workflow, from_status);

CREATE TABLE resolution (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  description TEXT NOT NULL DEFAULT ''
);

CREATE TABLE link_type (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  inward TEXT NOT NULL,
  outward TEXT NOT NULL
);

CREATE TABLE field (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL COLLATE NOCASE,
  description TEXT,
  type TEXT,         -- of its values, as Jira's schemas name it
  items TEXT,        -- of a list's items
  custom_type TEXT,  -- the kind of custom field; NULL for Jira's own fields
  options TEXT NOT NULL DEFAULT '[]',       -- JSON: what may be chosen
  clause_names TEXT NOT NULL DEFAULT '[]',  -- JSON: its names in JQL
  stored INTEGER NOT NULL DEFAULT 0,        -- whether its values are in issue_value
  settable INTEGER NOT NULL DEFAULT 0,
  navigable INTEGER NOT NULL DEFAULT 1,
  orderable INTEGER NOT NULL DEFAULT 1,
  searchable INTEGER NOT NULL DEFAULT 1,
  position INTEGER NOT NULL
);

CREATE TABLE project (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name TEXT NOT NULL,
  description TEXT,
  project_type TEXT NOT NULL DEFAULT 'software',
  workflow TEXT NOT NULL DEFAULT 'simplified',
  lead_id TEXT REFERENCES user (account_id),
  counter INTEGER NOT NULL DEFAULT 0  -- the last issue number that was given out
);

CREATE TABLE component (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project (id),
  name TEXT NOT NULL COLLATE NOCASE,
  description TEXT,
  lead_id TEXT REFERENCES user (account_id),
  UNIQUE (project_id, name)
);

CREATE TABLE version (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project (id),
  name TEXT NOT NULL COLLATE NOCASE,
  description TEXT,
  released INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  release_date TEXT,
  UNIQUE (project_id, name)
);

CREATE TABLE board (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL DEFAULT 'scrum',
  project_key TEXT,
  filter_jql TEXT
);
CREATE INDEX board_by_name ON board (name);

CREATE TABLE sprint (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL COLLATE NOCASE,
  state TEXT,  -- NULL is future, as it is for a sprint that was never touched
  start_date TEXT,
  end_date TEXT,
  complete_ms INTEGER,
  goal TEXT,
  board_id INTEGER REFERENCES board (id),
  board_name TEXT
);
CREATE INDEX sprint_by_board ON sprint (board_id, id);
CREATE INDEX sprint_by_name ON sprint (name);

-- Type, priority and status are named, since names are what documents and agents use.
CREATE TABLE issue (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project (id),
  number INTEGER NOT NULL,
  key TEXT NOT NULL UNIQUE COLLATE NOCASE,
  summary TEXT NOT NULL,
  description TEXT,
  description_doc TEXT,  -- the Atlassian document, where it is more than one paragraph of text
  environment TEXT,
  issue_type TEXT NOT NULL COLLATE NOCASE,
  priority TEXT COLLATE NOCASE,  -- NULL is the default, Medium
  status TEXT NOT NULL COLLATE NOCASE REFERENCES status (name),
  status_changed_ms INTEGER NOT NULL,
  resolution TEXT COLLATE NOCASE REFERENCES resolution (name),
  resolved_ms INTEGER,
  assignee_id TEXT REFERENCES user (account_id),
  reporter_id TEXT REFERENCES user (account_id),
  creator_id TEXT REFERENCES user (account_id),
  parent_id INTEGER REFERENCES issue (id),
  due_date TEXT,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  sprint_name TEXT COLLATE NOCASE,  -- of a document whose sprint has not been seen (yet)
  UNIQUE (project_id, number)
);
CREATE INDEX issue_by_parent ON issue (parent_id);
CREATE INDEX issue_by_assignee ON issue (assignee_id);
CREATE INDEX issue_by_status ON issue (status);
CREATE INDEX issue_by_sprint_name ON issue (sprint_name) WHERE sprint_name IS NOT NULL;

CREATE TABLE issue_label (
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  PRIMARY KEY (issue_id, label)
) WITHOUT ROWID;
CREATE INDEX label_by_name ON issue_label (label COLLATE NOCASE);

CREATE TABLE issue_component (
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  component_id INTEGER NOT NULL REFERENCES component (id),
  PRIMARY KEY (issue_id, component_id)
) WITHOUT ROWID;

CREATE TABLE issue_version (
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('fix', 'affects')),
  version_id INTEGER NOT NULL REFERENCES version (id),
  PRIMARY KEY (issue_id, kind, version_id)
) WITHOUT ROWID;

-- Every sprint an issue was in; the one that is not closed is the one it is in.
CREATE TABLE issue_sprint (
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  sprint_id INTEGER NOT NULL REFERENCES sprint (id),
  PRIMARY KEY (issue_id, sprint_id)
) WITHOUT ROWID;
CREATE INDEX issue_sprint_by_sprint ON issue_sprint (sprint_id, issue_id);

CREATE TABLE issue_value (
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  field_id TEXT NOT NULL REFERENCES field (id),
  value TEXT NOT NULL,  -- JSON: a number, a text, or the value of an option
  PRIMARY KEY (issue_id, field_id)
) WITHOUT ROWID;

CREATE TABLE issue_property (
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (issue_id, key)
) WITHOUT ROWID;

CREATE TABLE watcher (
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES user (account_id),
  PRIMARY KEY (issue_id, user_id)
) WITHOUT ROWID;

-- "from blocks to": the outward name leads from from_id to to_id.
CREATE TABLE issue_link (
  id INTEGER PRIMARY KEY,
  type_id INTEGER NOT NULL REFERENCES link_type (id),
  from_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  to_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  UNIQUE (type_id, from_id, to_id)
);
CREATE INDEX link_by_from ON issue_link (from_id);
CREATE INDEX link_by_to ON issue_link (to_id);

CREATE TABLE comment (
  id INTEGER PRIMARY KEY,
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  author_id TEXT NOT NULL REFERENCES user (account_id),
  body TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
);
CREATE INDEX comment_by_issue ON comment (issue_id, created_ms, id);

CREATE TABLE attachment (
  id INTEGER PRIMARY KEY,
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  filename TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size INTEGER NOT NULL DEFAULT 0,
  author_id TEXT NOT NULL REFERENCES user (account_id),
  created_ms INTEGER NOT NULL
);
CREATE INDEX attachment_by_issue ON attachment (issue_id, id);

-- An issue's history: one row per field that a call changed; a call's rows share group_id.
CREATE TABLE change (
  id INTEGER PRIMARY KEY,
  group_id INTEGER NOT NULL,
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  author_id TEXT NOT NULL REFERENCES user (account_id),
  at_ms INTEGER NOT NULL,
  field_id TEXT NOT NULL,
  from_value TEXT,
  from_text TEXT,
  to_value TEXT,
  to_text TEXT
);
CREATE INDEX change_by_issue ON change (issue_id, group_id, id);

-- What Jira's REST API answers for each thing, as JSON.
CREATE VIEW site AS
SELECT 'https://api.atlassian.com/ex/jira/3f1c8e52-7c1e-4f0a-9d53-1b7f0f6c2a10/rest/api/3/' AS api,
  'https://api.atlassian.com/ex/jira/3f1c8e52-7c1e-4f0a-9d53-1b7f0f6c2a10/rest/agile/1.0/' AS agile;

CREATE VIEW user_json AS
SELECT u.account_id, json_object('self', s.api || 'user?accountId=' || u.account_id, 'accountId', u.account_id,
  'emailAddress', u.email, 'displayName', u.display_name, 'active', json_known(iif(u.active, 'true', 'false')),
  'timeZone', u.time_zone, 'accountType', u.account_type) AS body
FROM user u CROSS JOIN site s;

CREATE VIEW status_category AS
SELECT column1 AS key, column2 AS id, column3 AS name, column4 AS color
FROM (VALUES ('new', 2, 'To Do', 'blue-gray'), ('indeterminate', 4, 'In Progress', 'yellow'), ('done', 3, 'Done', 'green'));

CREATE VIEW status_json AS
SELECT t.name, json_object('self', s.api || 'status/' || t.id, 'description', t.description, 'name', t.name,
  'id', CAST(t.id AS TEXT), 'statusCategory', json_object('self', s.api || 'statuscategory/' || c.id, 'id', c.id, 'key', c.key,
    'colorName', c.color, 'name', c.name)) AS body
FROM status t JOIN status_category c ON c.key = t.category CROSS JOIN site s;

CREATE VIEW type_json AS
SELECT t.name, json_object('self', s.api || 'issuetype/' || t.id, 'id', CAST(t.id AS TEXT), 'description', t.description,
  'name', t.name, 'subtask', json_known(iif(t.level < 0, 'true', 'false')), 'hierarchyLevel', t.level) AS body
FROM issue_type t CROSS JOIN site s;

CREATE VIEW priority_json AS
SELECT p.name, json_object('self', s.api || 'priority/' || p.id, 'name', p.name, 'id', CAST(p.id AS TEXT)) AS body
FROM priority p CROSS JOIN site s;

CREATE VIEW resolution_json AS
SELECT r.name, json_object('self', s.api || 'resolution/' || r.id, 'id', CAST(r.id AS TEXT), 'description', r.description,
  'name', r.name) AS body
FROM resolution r CROSS JOIN site s;

CREATE VIEW project_json AS
SELECT p.id, json_object('self', s.api || 'project/' || p.id, 'id', CAST(p.id AS TEXT), 'key', p.key, 'name', p.name,
  'projectTypeKey', p.project_type, 'simplified', json_known(iif(p.workflow = 'simplified', 'true', 'false'))) AS body
FROM project p CROSS JOIN site s;

CREATE VIEW component_json AS
SELECT c.id, json_object('self', s.api || 'component/' || c.id, 'id', CAST(c.id AS TEXT), 'name', c.name,
  'description', c.description) AS body
FROM component c CROSS JOIN site s;

CREATE VIEW version_json AS
SELECT v.id, json_object('self', s.api || 'version/' || v.id, 'id', CAST(v.id AS TEXT), 'description', v.description,
  'name', v.name, 'archived', json_known(iif(v.archived, 'true', 'false')), 'released', json_known(iif(v.released, 'true', 'false')),
  'releaseDate', v.release_date) AS body
FROM version v CROSS JOIN site s;

-- `body` as boards show a sprint, `value` as the Sprint field of an issue does.
CREATE VIEW sprint_json AS
SELECT t.id, t.board_id, coalesce(t.state, 'future') AS state,
  json_patch('{}', json_object('id', t.id, 'self', s.agile || 'sprint/' || t.id, 'state', coalesce(t.state, 'future'),
    'name', t.name, 'startDate', t.start_iso, 'endDate', t.end_iso, 'completeDate', t.complete_iso,
    'originBoardId', t.board_id, 'goal', coalesce(t.goal, ''))) AS body,
  json_patch('{}', json_object('id', t.id, 'name', t.name, 'state', coalesce(t.state, 'future'), 'boardId', t.board_id,
    'goal', coalesce(t.goal, ''), 'startDate', t.start_iso, 'endDate', t.end_iso, 'completeDate', t.complete_iso)) AS value
FROM (SELECT x.*,
    time_format(time_parse(x.start_date), 'rfc3339ms') AS start_iso,
    time_format(time_parse(x.end_date), 'rfc3339ms') AS end_iso,
    time_format(x.complete_ms, 'rfc3339ms') AS complete_iso
  FROM sprint x) t CROSS JOIN site s;

CREATE VIEW comment_json AS
SELECT c.id, c.issue_id, c.created_ms, c.body AS plain, json_object('self', s.api || 'issue/' || c.issue_id || '/comment/' || c.id,
  'id', CAST(c.id AS TEXT), 'author', json_known(u.body),
  'body', json_object('type', 'doc', 'version', 1, 'content', json_array(json_object('type', 'paragraph', 'content',
    json_array(json_object('type', 'text', 'text', c.body))))),
  'updateAuthor', json_known(u.body), 'created', time_format(c.created_ms, 'jira'), 'updated', time_format(c.updated_ms, 'jira'),
  'jsdPublic', json_known('true')) AS body
FROM comment c JOIN user_json u ON u.account_id = c.author_id CROSS JOIN site s;

CREATE VIEW attachment_json AS
SELECT a.id, a.issue_id, json_object('self', s.api || 'attachment/' || a.id, 'id', CAST(a.id AS TEXT), 'filename', a.filename,
  'author', json_known(u.body), 'created', time_format(a.created_ms, 'jira'), 'size', a.size, 'mimeType', a.mime_type,
  'content', s.api || 'attachment/content/' || a.id) AS body
FROM attachment a JOIN user_json u ON u.account_id = a.author_id CROSS JOIN site s;

-- An issue as other issues mention it: parent, subtask, link.
CREATE VIEW issue_brief AS
SELECT i.id, i.parent_id, json_object('id', CAST(i.id AS TEXT), 'key', i.key, 'self', s.api || 'issue/' || i.id,
  'fields', json_object('summary', i.summary,
    'status', json_known((SELECT body FROM status_json x WHERE x.name = i.status)),
    'priority', json_known((SELECT body FROM priority_json x WHERE x.name = coalesce(i.priority, 'Medium'))),
    'issuetype', json_known((SELECT body FROM type_json x WHERE x.name = i.issue_type)))) AS body
FROM issue i CROSS JOIN site s;

CREATE VIEW link_json AS
SELECT l.id, l.from_id AS issue_id, json_object('id', CAST(l.id AS TEXT), 'self', s.api || 'issueLink/' || l.id,
  'type', json_object('id', CAST(t.id AS TEXT), 'name', t.name, 'inward', t.inward, 'outward', t.outward,
    'self', s.api || 'issueLinkType/' || t.id), 'outwardIssue', json_known(b.body)) AS body
FROM issue_link l JOIN link_type t ON t.id = l.type_id JOIN issue_brief b ON b.id = l.to_id CROSS JOIN site s;
CREATE VIEW link_back_json AS
SELECT l.id, l.to_id AS issue_id, json_object('id', CAST(l.id AS TEXT), 'self', s.api || 'issueLink/' || l.id,
  'type', json_object('id', CAST(t.id AS TEXT), 'name', t.name, 'inward', t.inward, 'outward', t.outward,
    'self', s.api || 'issueLinkType/' || t.id), 'inwardIssue', json_known(b.body)) AS body
FROM issue_link l JOIN link_type t ON t.id = l.type_id JOIN issue_brief b ON b.id = l.from_id CROSS JOIN site s;

CREATE VIEW field_json AS
SELECT f.id, f.name, f.position, f.description, json_patch('{}', json_object('id', f.id, 'key', f.id, 'name', f.name,
  'description', f.description, 'custom', json_known(iif(f.custom_type IS NULL, 'false', 'true')),
  'orderable', json_known(iif(f.orderable, 'true', 'false')), 'navigable', json_known(iif(f.navigable, 'true', 'false')),
  'searchable', json_known(iif(f.searchable, 'true', 'false')), 'clauseNames', json(f.clause_names),
  'schema', json(f.schema))) AS body, f.schema
FROM (SELECT x.*, iif(x.type IS NULL, NULL, json_patch('{}', json_object('type', x.type, 'items', x.items,
    'custom', iif(x.custom_type IS NULL, NULL, 'com.atlassian.jira.plugin.system.customfieldtypes:' || x.custom_type),
    'customId', iif(x.custom_type IS NULL, NULL, CAST(substr(x.id, 13) AS INTEGER)),
    'system', iif(x.custom_type IS NULL, x.id, NULL)))) AS schema
  FROM field x) f;

-- An issue's own fields, each as JSON in a column of its own, so that a query computes those alone that it shows; NULL stands
-- for null. Those kept in issue_value come beside them.
CREATE VIEW issue_fields AS
SELECT i.id,
  json_quote(time_format(i.status_changed_ms, 'jira')) AS statuscategorychangedate,
  (SELECT body FROM type_json x WHERE x.name = i.issue_type) AS issuetype,
  (SELECT body FROM issue_brief x WHERE x.id = i.parent_id) AS parent,
  (SELECT body FROM project_json x WHERE x.id = i.project_id) AS project,
  (SELECT '[' || coalesce(group_concat(x.body), '') || ']' FROM issue_version v JOIN version_json x ON x.id = v.version_id
    WHERE v.issue_id = i.id AND v.kind = 'fix') AS fixVersions,
  (SELECT body FROM resolution_json x WHERE x.name = i.resolution) AS resolution,
  json_quote(time_format(i.resolved_ms, 'jira')) AS resolutiondate,
  json_object('self', (SELECT api FROM site) || 'issue/' || i.key || '/watchers',
    'watchCount', (SELECT count(*) FROM watcher w WHERE w.issue_id = i.id)) AS watches,
  json_quote(time_format(i.created_ms, 'jira')) AS created,
  (SELECT body FROM priority_json x WHERE x.name = coalesce(i.priority, 'Medium')) AS priority,
  (SELECT json_group_array(label) FROM issue_label x WHERE x.issue_id = i.id) AS labels,
  (SELECT '[' || coalesce(group_concat(x.body), '') || ']' FROM issue_version v JOIN version_json x ON x.id = v.version_id
    WHERE v.issue_id = i.id AND v.kind = 'affects') AS versions,
  (SELECT '[' || coalesce(group_concat(body), '') || ']' FROM (
    SELECT id, body FROM link_json x WHERE x.issue_id = i.id
    UNION ALL SELECT id, body FROM link_back_json x WHERE x.issue_id = i.id ORDER BY 1)) AS issuelinks,
  (SELECT body FROM user_json x WHERE x.account_id = i.assignee_id) AS assignee,
  json_quote(time_format(i.updated_ms, 'jira')) AS updated,
  (SELECT body FROM status_json x WHERE x.name = i.status) AS status,
  (SELECT '[' || coalesce(group_concat(x.body), '') || ']' FROM issue_component c JOIN component_json x ON x.id = c.component_id
    WHERE c.issue_id = i.id) AS components,
  CASE WHEN i.description_doc IS NOT NULL THEN json(i.description_doc) WHEN i.description <> '' THEN
    json_object('type', 'doc', 'version', 1, 'content', json_array(json_object('type', 'paragraph', 'content',
      json_array(json_object('type', 'text', 'text', i.description))))) END AS description,
  CASE WHEN i.environment <> '' THEN
    json_object('type', 'doc', 'version', 1, 'content', json_array(json_object('type', 'paragraph', 'content',
      json_array(json_object('type', 'text', 'text', i.environment))))) END AS environment,
  json_quote(i.summary) AS summary,
  (SELECT body FROM user_json x WHERE x.account_id = i.creator_id) AS creator,
  (SELECT body FROM user_json x WHERE x.account_id = i.reporter_id) AS reporter,
  (SELECT '[' || coalesce(group_concat(x.body), '') || ']' FROM issue_brief x WHERE x.parent_id = i.id
    AND (SELECT t.level FROM issue c JOIN issue_type t ON t.name = c.issue_type WHERE c.id = x.id) < 0) AS subtasks,
  (SELECT '[' || coalesce(group_concat(body), '') || ']' FROM attachment_json x WHERE x.issue_id = i.id) AS attachment,
  json_quote(i.due_date) AS duedate,
  (SELECT '{"comments":[' || coalesce(group_concat(body), '') || '],"maxResults":' || count(*) || ',"total":' || count(*) || ',"startAt":0}'
    FROM (SELECT body FROM comment_json x WHERE x.issue_id = i.id ORDER BY x.created_ms, x.id)) AS comment,
  (SELECT json_quote(p.key) FROM issue p JOIN issue_type t ON t.name = p.issue_type WHERE p.id = i.parent_id AND t.level = 1) AS customfield_10014,
  json_quote(printf('0|i%05d:', i.id - 10000)) AS customfield_10019,
  (SELECT CASE WHEN count(*) > 0 THEN '[' || group_concat(value) || ']' END
    FROM issue_sprint m JOIN sprint_json x ON x.id = m.sprint_id WHERE m.issue_id = i.id) AS customfield_10020
FROM issue i;

-- The values of custom fields: a chosen option is an object, and so is a person.
CREATE VIEW value_json AS
SELECT v.issue_id, v.field_id, CASE
  WHEN f.type = 'option' THEN
    (SELECT json_object('self', s.api || 'customFieldOption/' || (o.value ->> 'id'), 'value', o.value ->> 'value', 'id', o.value ->> 'id')
     FROM json_each(f.options) o WHERE o.value ->> 'value' = json_extract(v.value, '$'))
  WHEN f.items = 'option' THEN
    (SELECT json_group_array(json_object('self', s.api || 'customFieldOption/' || (o.value ->> 'id'), 'value', o.value ->> 'value',
       'id', o.value ->> 'id'))
     FROM json_each(v.value) x JOIN json_each(f.options) o ON o.value ->> 'value' = x.value)
  WHEN f.type = 'user' THEN (SELECT body FROM user_json u WHERE u.account_id = json_extract(v.value, '$'))
  ELSE v.value END AS body
FROM issue_value v JOIN field f ON f.id = v.field_id CROSS JOIN site s;

-- What the history of an issue speaks of: the value, and how it reads.
CREATE VIEW tracked AS
SELECT id AS issue_id, 'summary' AS field_id, summary AS value, summary AS text FROM issue
UNION ALL SELECT id, 'description', description, description FROM issue
UNION ALL SELECT id, 'environment', environment, environment FROM issue
UNION ALL SELECT i.id, 'issuetype', t.id, t.name FROM issue i JOIN issue_type t ON t.name = i.issue_type
UNION ALL SELECT i.id, 'status', s.id, s.name FROM issue i JOIN status s ON s.name = i.status
UNION ALL SELECT i.id, 'resolution', r.id, r.name FROM issue i JOIN resolution r ON r.name = i.resolution
UNION ALL SELECT i.id, 'priority', p.id, p.name FROM issue i JOIN priority p ON p.name = coalesce(i.priority, 'Medium')
UNION ALL SELECT i.id, 'assignee', u.account_id, u.display_name FROM issue i JOIN user u ON u.account_id = i.assignee_id
UNION ALL SELECT i.id, 'reporter', u.account_id, u.display_name FROM issue i JOIN user u ON u.account_id = i.reporter_id
UNION ALL SELECT i.id, 'duedate', i.due_date, i.due_date FROM issue i
UNION ALL SELECT i.id, 'parent', p.id, p.key FROM issue i JOIN issue p ON p.id = i.parent_id
UNION ALL SELECT issue_id, 'labels', NULL, group_concat(label, ' ') FROM issue_label GROUP BY issue_id
UNION ALL SELECT x.issue_id, 'components', group_concat(c.id), group_concat(c.name, ', ')
  FROM issue_component x JOIN component c ON c.id = x.component_id GROUP BY x.issue_id
UNION ALL SELECT x.issue_id, iif(x.kind = 'fix', 'fixVersions', 'versions'), group_concat(v.id), group_concat(v.name, ', ')
  FROM issue_version x JOIN version v ON v.id = x.version_id GROUP BY x.issue_id, x.kind
UNION ALL SELECT x.issue_id, 'customfield_10020', group_concat(s.id, ', '), group_concat(s.name, ', ')
  FROM issue_sprint x JOIN sprint s ON s.id = x.sprint_id GROUP BY x.issue_id
UNION ALL SELECT issue_id, field_id, NULL, CASE json_type(value) WHEN 'text' THEN json_extract(value, '$') ELSE value END FROM issue_value;
