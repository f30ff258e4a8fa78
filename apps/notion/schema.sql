-- A workspace of pages, databases and blocks. As in Notion everything hangs in one tree; `node` below is that tree.
-- Values of the API that have a shape of their own (rich text, icons, parents, a block's content) are kept as JSON.

CREATE TABLE user (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL DEFAULT 'person' CHECK (type IN ('person', 'bot')),
  email TEXT,
  avatar_url TEXT,
  owner_id TEXT REFERENCES user (id)  -- of a bot
);

-- What a document calls a database: a name over one or more sources. Tools know sources only: the first one has the
-- database's id and passes for the database itself, further ones are databases of their own.
CREATE TABLE database (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  summary TEXT,
  display_icon TEXT
);

CREATE TABLE source (
  id TEXT PRIMARY KEY,
  database_id TEXT NOT NULL REFERENCES database (id),
  label TEXT NOT NULL,
  summary TEXT,
  implicit INTEGER NOT NULL DEFAULT 0,  -- made because a database needs one, not declared
  title TEXT NOT NULL,                  -- rich text
  title_text TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '[]',
  icon TEXT,
  cover TEXT,
  is_inline INTEGER NOT NULL DEFAULT 0,
  parent_type TEXT NOT NULL DEFAULT 'workspace',
  parent_id TEXT,
  position REAL NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  trashed_with TEXT,  -- the node above whose removal took this one along
  created_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  edited_ms INTEGER NOT NULL,
  edited_by TEXT NOT NULL
);
CREATE INDEX source_by_database ON source (database_id);
CREATE INDEX source_by_parent ON source (parent_id, position);

CREATE TABLE property (
  source_id TEXT NOT NULL REFERENCES source (id),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL REFERENCES property_kind (type),
  config TEXT NOT NULL DEFAULT '{}',
  description TEXT,
  position INTEGER NOT NULL,
  raw TEXT,                             -- as the document declared it, until it is changed
  implicit INTEGER NOT NULL DEFAULT 0,  -- seen on a page only, not declared
  plain INTEGER NOT NULL DEFAULT 0,     -- the document writes its values as plain ones ("Done"), not as Notion's objects
  PRIMARY KEY (source_id, id),
  UNIQUE (source_id, name)
);

CREATE TABLE page (
  id TEXT PRIMARY KEY,
  source_id TEXT REFERENCES source (id),  -- the database it is a row of
  home_source TEXT,                       -- the source it stands under in the document; NULL: among the top-level pages
  parent_source TEXT,                     -- as the document has it
  parent_type TEXT NOT NULL,
  parent_id TEXT,
  position REAL NOT NULL DEFAULT 0,
  title TEXT NOT NULL,                    -- rich text
  title_text TEXT NOT NULL,
  title_raw TEXT,                         -- how the document's attributes had it, if they did
  attributes TEXT,                        -- of a page that is in no database, as the document has them
  icon TEXT,
  cover TEXT,
  number INTEGER,                         -- for unique_id
  archived INTEGER NOT NULL DEFAULT 0,
  trashed_with TEXT,
  created_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  edited_ms INTEGER NOT NULL,
  edited_by TEXT NOT NULL
);
CREATE INDEX page_by_source ON page (source_id, archived, created_ms);
CREATE INDEX page_by_home ON page (home_source);
CREATE INDEX page_by_parent ON page (parent_id, position);

-- What a row of a database has under a property. `value` is what the API shows; the other columns are what filters look at.
CREATE TABLE value (
  page_id TEXT NOT NULL REFERENCES page (id),
  property_id TEXT NOT NULL,
  value TEXT NOT NULL,
  text TEXT,
  number REAL,
  date_ms INTEGER,
  list TEXT NOT NULL DEFAULT '[]',
  raw TEXT,  -- as the document had it, until it is changed
  PRIMARY KEY (page_id, property_id)
);

CREATE TABLE block (
  id TEXT PRIMARY KEY,
  page_id TEXT NOT NULL,  -- the page it is on, at whatever depth
  parent_type TEXT NOT NULL,
  parent_id TEXT NOT NULL,
  position REAL NOT NULL,
  type TEXT NOT NULL REFERENCES block_kind (type),
  content TEXT NOT NULL,
  raw_type TEXT,     -- as the document has them
  raw_content TEXT,
  archived INTEGER NOT NULL DEFAULT 0,
  trashed_with TEXT,
  created_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  edited_ms INTEGER NOT NULL,
  edited_by TEXT NOT NULL
);
CREATE INDEX block_by_parent ON block (parent_id, position);
CREATE INDEX block_by_page ON block (page_id);

CREATE TABLE comment (
  id TEXT PRIMARY KEY,
  discussion_id TEXT NOT NULL,
  parent_type TEXT NOT NULL,
  parent_id TEXT NOT NULL,
  rich_text TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  edited_ms INTEGER NOT NULL
);
CREATE INDEX comment_by_parent ON comment (parent_id, created_ms);
CREATE INDEX comment_by_discussion ON comment (discussion_id);

-- The tree of blocks that a call brings, while it is being stored; empty between calls.
CREATE TABLE new_block (
  path TEXT PRIMARY KEY,
  parent_path TEXT,
  depth INTEGER NOT NULL,
  n INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT,
  block TEXT NOT NULL
);

-- What Notion knows beforehand: the types of properties and of blocks.

-- kind: how it can be filtered; empty: its value when nothing is set; writable: whether pages may be given one
CREATE TABLE property_kind (type TEXT PRIMARY KEY, kind TEXT NOT NULL, empty TEXT NOT NULL, writable INTEGER NOT NULL, config TEXT NOT NULL);
INSERT INTO property_kind VALUES
  ('title', 'text', '[]', 1, '{}'), ('rich_text', 'text', '[]', 1, '{}'), ('number', 'number', 'null', 1, '{"format":"number"}'),
  ('select', 'text', 'null', 1, '{"options":[]}'), ('multi_select', 'list', '[]', 1, '{"options":[]}'),
  ('status', 'text', 'null', 1, '{"options":[],"groups":[]}'), ('date', 'date', 'null', 1, '{}'), ('people', 'list', '[]', 1, '{}'),
  ('files', 'list', '[]', 1, '{}'), ('checkbox', 'boolean', 'false', 1, '{}'), ('url', 'text', 'null', 1, '{}'),
  ('email', 'text', 'null', 1, '{}'), ('phone_number', 'text', 'null', 1, '{}'), ('relation', 'list', '[]', 1, '{}'),
  ('formula', 'formula', 'null', 0, '{"expression":""}'), ('rollup', 'rollup', 'null', 0, '{}'),
  ('created_time', 'date', 'null', 0, '{}'), ('created_by', 'list', 'null', 0, '{}'),
  ('last_edited_time', 'date', 'null', 0, '{}'), ('last_edited_by', 'list', 'null', 0, '{}'),
  ('unique_id', 'number', 'null', 0, '{"prefix":null}'), ('button', 'none', '{}', 0, '{}'), ('verification', 'none', 'null', 0, '{}');

-- Words that documents use for property types.
CREATE TABLE property_alias (alias TEXT PRIMARY KEY, type TEXT NOT NULL);
INSERT INTO property_alias SELECT type, type FROM property_kind;
INSERT INTO property_alias VALUES
  ('text', 'rich_text'), ('string', 'rich_text'), ('richtext', 'rich_text'), ('integer', 'number'), ('float', 'number'),
  ('multi-select', 'multi_select'), ('multiselect', 'multi_select'), ('tags', 'multi_select'), ('person', 'people'),
  ('boolean', 'checkbox'), ('bool', 'checkbox'), ('phone', 'phone_number'), ('link', 'url'), ('datetime', 'date'), ('file', 'files');

-- style: what its content is made of; parent: whether blocks may stand in it; creatable: whether a call may make one
CREATE TABLE block_kind (type TEXT PRIMARY KEY, style TEXT NOT NULL, parent INTEGER NOT NULL, creatable INTEGER NOT NULL, content TEXT NOT NULL);
INSERT INTO block_kind VALUES
  ('paragraph', 'text', 1, 1, '{"rich_text":[],"color":"default"}'),
  ('heading_1', 'text', 1, 1, '{"rich_text":[],"is_toggleable":false,"color":"default"}'),
  ('heading_2', 'text', 1, 1, '{"rich_text":[],"is_toggleable":false,"color":"default"}'),
  ('heading_3', 'text', 1, 1, '{"rich_text":[],"is_toggleable":false,"color":"default"}'),
  ('bulleted_list_item', 'text', 1, 1, '{"rich_text":[],"color":"default"}'),
  ('numbered_list_item', 'text', 1, 1, '{"rich_text":[],"color":"default"}'),
  ('to_do', 'text', 1, 1, '{"rich_text":[],"checked":false,"color":"default"}'),
  ('toggle', 'text', 1, 1, '{"rich_text":[],"color":"default"}'),
  ('quote', 'text', 1, 1, '{"rich_text":[],"color":"default"}'),
  ('callout', 'text', 1, 1, '{"rich_text":[],"icon":{"type":"emoji","emoji":"💡"},"color":"gray_background"}'),
  ('code', 'text', 0, 1, '{"caption":[],"rich_text":[],"language":"plain text"}'),
  ('template', 'text', 1, 1, '{"rich_text":[]}'),
  ('divider', 'none', 0, 1, '{}'), ('breadcrumb', 'none', 0, 1, '{}'), ('table_of_contents', 'none', 0, 1, '{"color":"default"}'),
  ('equation', 'expression', 0, 1, '{"expression":""}'),
  ('bookmark', 'url', 0, 1, '{"caption":[],"url":""}'), ('embed', 'url', 0, 1, '{"caption":[],"url":""}'),
  ('link_preview', 'url', 0, 0, '{"url":""}'),
  ('image', 'file', 0, 1, '{"caption":[],"type":"external"}'), ('video', 'file', 0, 1, '{"caption":[],"type":"external"}'),
  ('file', 'file', 0, 1, '{"caption":[],"type":"external"}'), ('pdf', 'file', 0, 1, '{"caption":[],"type":"external"}'),
  ('audio', 'file', 0, 1, '{"caption":[],"type":"external"}'),
  ('table', 'data', 1, 1, '{"table_width":1,"has_column_header":false,"has_row_header":false}'), ('table_row', 'cells', 0, 1, '{"cells":[]}'),
  ('column_list', 'data', 1, 1, '{}'), ('column', 'data', 1, 1, '{}'), ('synced_block', 'data', 1, 1, '{"synced_from":null}'),
  ('link_to_page', 'data', 0, 1, '{}'), ('child_page', 'title', 1, 0, '{"title":""}'), ('child_database', 'title', 0, 0, '{"title":""}'),
  ('unsupported', 'none', 0, 0, '{}');

-- Words that documents use for block types; '' is what any other word means.
CREATE TABLE block_alias (alias TEXT PRIMARY KEY, type TEXT NOT NULL);
INSERT INTO block_alias SELECT type, type FROM block_kind;
INSERT INTO block_alias VALUES
  ('', 'paragraph'), ('text', 'paragraph'), ('heading', 'heading_1'), ('heading1', 'heading_1'), ('h1', 'heading_1'),
  ('heading2', 'heading_2'), ('h2', 'heading_2'), ('heading3', 'heading_3'), ('h3', 'heading_3'), ('bullet', 'bulleted_list_item'),
  ('bulleted_list', 'bulleted_list_item'), ('list_item', 'bulleted_list_item'), ('numbered_list', 'numbered_list_item'),
  ('todo', 'to_do'), ('checkbox', 'to_do'), ('blockquote', 'quote');

-- A plain text as rich text: json_set(item, '$[0].text.content', x, '$[0].plain_text', x)
CREATE TABLE plain_text (item TEXT NOT NULL);
INSERT INTO plain_text VALUES ('[{"type":"text","text":{"content":"","link":null},"annotations":{"bold":false,"italic":false,"strikethrough":false,"underline":false,"code":false,"color":"default"},"plain_text":"","href":null}]');

-- Everything that stands in the tree: blocks, and pages and databases as the blocks they are for the page above them.
CREATE VIEW node AS
  SELECT id, 'block' AS kind, type, parent_type, parent_id, position, content, archived, page_id, created_ms, created_by, edited_ms, edited_by
  FROM block
  UNION ALL
  SELECT id, 'page', 'child_page', parent_type, parent_id, position, json_object('title', title_text), archived, id,
    created_ms, created_by, edited_ms, edited_by
  FROM page
  UNION ALL
  SELECT id, 'database', 'child_database', parent_type, parent_id, position, json_object('title', title_text), archived, NULL,
    created_ms, created_by, edited_ms, edited_by
  FROM source;

CREATE VIEW user_json AS
  SELECT u.id, CASE u.type
    WHEN 'person' THEN json_object('object', 'user', 'id', u.id, 'name', u.name, 'avatar_url', u.avatar_url, 'type', 'person',
      'person', json_object('email', u.email))
    ELSE json_object('object', 'user', 'id', u.id, 'name', u.name, 'avatar_url', u.avatar_url, 'type', 'bot',
      'bot', json_object(
        'owner', json(CASE WHEN o.id IS NULL THEN '{"type":"workspace","workspace":true}'
          ELSE json_object('type', 'user', 'user', json_object('object', 'user', 'id', o.id, 'name', o.name, 'avatar_url', o.avatar_url,
            'type', 'person', 'person', json_object('email', o.email))) END),
        'workspace_name', 'Acme Robotics'))
    END AS body
  FROM user u LEFT JOIN user o ON o.id = u.owner_id;

-- A page's properties as the API shows them: all of the database's, set or not. Those of the rows of a database, and of all pages.
CREATE VIEW row_property AS
  SELECT p.id AS page_id, q.id AS property_id, q.name, q.type, q.position,
    CASE q.type
      WHEN 'title' THEN p.title
      WHEN 'created_time' THEN json_quote(strftime('%Y-%m-%dT%H:%M:00.000Z', p.created_ms / 1000, 'unixepoch'))
      WHEN 'last_edited_time' THEN json_quote(strftime('%Y-%m-%dT%H:%M:00.000Z', p.edited_ms / 1000, 'unixepoch'))
      WHEN 'created_by' THEN coalesce((SELECT body FROM user_json WHERE id = p.created_by), json_object('object', 'user', 'id', p.created_by))
      WHEN 'last_edited_by' THEN coalesce((SELECT body FROM user_json WHERE id = p.edited_by), json_object('object', 'user', 'id', p.edited_by))
      WHEN 'unique_id' THEN json_object('prefix', q.config ->> '$.prefix', 'number', p.number)
      WHEN 'people' THEN coalesce(
        (SELECT json_group_array(json_known(body)) FROM (
          SELECT coalesce(u.body, json_object('object', 'user', 'id', l.value)) AS body
          FROM json_each(v.list) l LEFT JOIN user_json u ON u.id = l.value ORDER BY l.key)), '[]')
      ELSE coalesce(v.value, (SELECT k.empty FROM property_kind k WHERE k.type = q.type)) END AS value
  FROM page p
  JOIN property q ON q.source_id = p.source_id
  LEFT JOIN value v ON v.page_id = p.id AND v.property_id = q.id;
CREATE VIEW page_property AS
  SELECT page_id, property_id, name, type, position, value FROM row_property
  UNION ALL
  SELECT id, 'title', 'title', 'title', 0, title FROM page WHERE source_id IS NULL;

CREATE VIEW page_json AS
  SELECT p.id, json_object(
    'object', 'page', 'id', p.id,
    'created_time', strftime('%Y-%m-%dT%H:%M:00.000Z', p.created_ms / 1000, 'unixepoch'),
    'last_edited_time', strftime('%Y-%m-%dT%H:%M:00.000Z', p.edited_ms / 1000, 'unixepoch'),
    'created_by', json_object('object', 'user', 'id', p.created_by),
    'last_edited_by', json_object('object', 'user', 'id', p.edited_by),
    'cover', json_known(p.cover), 'icon', json_known(p.icon),
    'parent', json_known(iif(p.parent_type = 'workspace', '{"type":"workspace","workspace":true}',
      json_object('type', p.parent_type, p.parent_type, p.parent_id))),
    'archived', json_known(iif(p.archived, 'true', 'false')), 'in_trash', json_known(iif(p.archived, 'true', 'false')),
    'properties', json_known(CASE WHEN p.source_id IS NULL
      THEN json_object('title', json_object('id', 'title', 'type', 'title', 'title', json_known(p.title)))
      ELSE (SELECT json_group_object(name, json_known(property)) FROM (
        SELECT x.name, CASE x.type
          WHEN 'relation' THEN json_object('id', x.property_id, 'type', x.type, x.type, json_known(x.value), 'has_more', json_known('false'))
          ELSE json_object('id', x.property_id, 'type', x.type, x.type, json_known(x.value)) END AS property
        FROM row_property x WHERE x.page_id = p.id ORDER BY x.position)) END),
    'url', 'https://www.notion.so/' || coalesce(nullif(trim(regexp_replace(p.title_text, '[^A-Za-z0-9]+', '-'), '-'), '') || '-', '') || replace(p.id, '-', ''),
    'public_url', NULL) AS body
  FROM page p;

CREATE VIEW database_json AS
  SELECT s.id, json_object(
    'object', 'database', 'id', s.id, 'cover', json_known(s.cover), 'icon', json_known(s.icon),
    'created_time', strftime('%Y-%m-%dT%H:%M:00.000Z', s.created_ms / 1000, 'unixepoch'),
    'created_by', json_object('object', 'user', 'id', s.created_by),
    'last_edited_by', json_object('object', 'user', 'id', s.edited_by),
    'last_edited_time', strftime('%Y-%m-%dT%H:%M:00.000Z', s.edited_ms / 1000, 'unixepoch'),
    'title', json_known(s.title), 'description', json_known(s.description), 'is_inline', json_known(iif(s.is_inline, 'true', 'false')),
    'properties', json_known((SELECT json_group_object(name, json_known(property)) FROM (
      SELECT q.name, json_object('id', q.id, 'name', q.name, 'type', q.type, q.type, json_known(q.config)) AS property
      FROM property q WHERE q.source_id = s.id ORDER BY q.position))),
    'parent', json_known(iif(s.parent_type = 'workspace', '{"type":"workspace","workspace":true}',
      json_object('type', s.parent_type, s.parent_type, s.parent_id))),
    'url', 'https://www.notion.so/' || replace(s.id, '-', ''), 'public_url', NULL,
    'archived', json_known(iif(s.archived, 'true', 'false')), 'in_trash', json_known(iif(s.archived, 'true', 'false'))) AS body
  FROM source s;

CREATE VIEW block_json AS
  SELECT n.id, json_object(
    'object', 'block', 'id', n.id,
    'parent', json_known(iif(n.parent_type = 'workspace', '{"type":"workspace","workspace":true}',
      json_object('type', n.parent_type, n.parent_type, n.parent_id))),
    'created_time', strftime('%Y-%m-%dT%H:%M:00.000Z', n.created_ms / 1000, 'unixepoch'),
    'last_edited_time', strftime('%Y-%m-%dT%H:%M:00.000Z', n.edited_ms / 1000, 'unixepoch'),
    'created_by', json_object('object', 'user', 'id', n.created_by),
    'last_edited_by', json_object('object', 'user', 'id', n.edited_by),
    'has_children', json_known(iif(n.kind <> 'database' AND EXISTS (SELECT 1 FROM node c WHERE c.parent_id = n.id AND NOT c.archived), 'true', 'false')),
    'archived', json_known(iif(n.archived, 'true', 'false')), 'in_trash', json_known(iif(n.archived, 'true', 'false')),
    'type', n.type, n.type, json_known(n.content)) AS body
  FROM node n;

CREATE VIEW comment_json AS
  SELECT c.id, json_object(
    'object', 'comment', 'id', c.id, 'parent', json_object('type', c.parent_type, c.parent_type, c.parent_id),
    'discussion_id', c.discussion_id,
    'created_time', strftime('%Y-%m-%dT%H:%M:00.000Z', c.created_ms / 1000, 'unixepoch'),
    'last_edited_time', strftime('%Y-%m-%dT%H:%M:00.000Z', c.edited_ms / 1000, 'unixepoch'),
    'created_by', json_object('object', 'user', 'id', c.created_by),
    'rich_text', json_known(c.rich_text)) AS body
  FROM comment c;
