-- The labels of the account. SENT and DRAFT are the mailbox's own: nobody sets or takes them away.
CREATE TABLE label (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  kind TEXT NOT NULL DEFAULT 'user' CHECK (kind IN ('system', 'user')),
  settable INTEGER NOT NULL DEFAULT 1
);

-- Every mail: received, sent, or (with a draft_id) not yet sent. The headers are as written.
CREATE TABLE message (
  id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL DEFAULT '',  -- the id of the thread's first message
  draft_id TEXT UNIQUE,
  subject TEXT NOT NULL,
  sender TEXT,  -- From; NULL is the account's owner
  to_list TEXT NOT NULL,
  cc TEXT,
  bcc TEXT,
  reply_to TEXT,
  body TEXT NOT NULL,  -- the text/plain part
  html TEXT,           -- the text/html part
  date_ms INTEGER NOT NULL,
  size INTEGER NOT NULL DEFAULT 0,
  rfc_id TEXT,  -- Message-ID
  in_reply_to TEXT,
  list_id TEXT,
  base_subject TEXT NOT NULL DEFAULT '',  -- without Re: and Fwd:, in small letters
  is_reply INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX message_by_thread ON message (thread_id, date_ms);
CREATE INDEX message_by_date ON message (date_ms);
CREATE INDEX message_by_subject ON message (base_subject);
CREATE INDEX message_by_rfc_id ON message (rfc_id);

CREATE TABLE message_label (
  message_id TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
  label_id TEXT NOT NULL REFERENCES label (id),
  UNIQUE (message_id, label_id)
);
CREATE INDEX message_label_by_label ON message_label (label_id);

-- The people in a message's headers.
CREATE TABLE participant (
  message_id TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('from', 'to', 'cc', 'bcc')),
  name TEXT NOT NULL,
  address TEXT NOT NULL COLLATE NOCASE
);
CREATE INDEX participant_by_message ON participant (message_id);
CREATE INDEX participant_by_address ON participant (address);

-- What search looks at: the words of each part, folded, with a blank before and after each.
CREATE TABLE message_words (
  message_id TEXT PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
  sender TEXT NOT NULL,
  recipients TEXT NOT NULL,
  cc TEXT NOT NULL,
  bcc TEXT NOT NULL,
  subject TEXT NOT NULL,
  everything TEXT NOT NULL
);

CREATE TABLE attachment (
  id TEXT PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  filename TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  content TEXT NOT NULL,  -- the text of a document, or the bytes in Base64
  encoding TEXT NOT NULL DEFAULT 'text' CHECK (encoding IN ('text', 'base64')),
  pages INTEGER NOT NULL DEFAULT 1,
  filename_words TEXT NOT NULL
);
CREATE INDEX attachment_by_message ON attachment (message_id, position);

-- Saved contacts (personal) and the company's directory: its people (profile) and shared contacts (domain).
CREATE TABLE contact (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL CHECK (source IN ('personal', 'profile', 'domain')),
  given_name TEXT NOT NULL,
  family_name TEXT NOT NULL,
  emails TEXT NOT NULL,  -- [{"value", "type"}]
  phones TEXT NOT NULL,
  organization TEXT,
  title TEXT,
  words TEXT NOT NULL DEFAULT ''
);
CREATE INDEX contact_by_source ON contact (source, id);

-- Everybody the account has had mail with; kept when the mail goes.
CREATE TABLE other_contact (
  id INTEGER PRIMARY KEY,
  address TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name TEXT NOT NULL,
  words TEXT NOT NULL
);

-- A person as gmail_search_contacts shows one.
CREATE VIEW person AS
SELECT c.id, c.source, c.words,
  json_object(
    'resourceName', 'people/' || iif(c.source = 'personal', 'c' || (4100000000000000000 + c.id * 7919), '1170000000' || (10000000000 + c.id * 7919)),
    'displayName', coalesce(nullif(trim(c.given_name || ' ' || c.family_name), ''), 'Unknown'),
    'firstName', c.given_name,
    'lastName', c.family_name,
    'contactType', iif(c.source = 'personal', 'personal', 'directory'),
    'emailAddresses', json((SELECT json_group_array(json_object('email', e.value ->> 'value',
        'type', coalesce(e.value ->> 'type', iif(c.source = 'personal', 'other', 'work')))) FROM json_each(c.emails) e)),
    'phoneNumbers', json((SELECT json_group_array(json_object('number', p.value ->> 'value',
        'type', coalesce(p.value ->> 'type', iif(c.source = 'personal', 'other', 'work')))) FROM json_each(c.phones) p)),
    'organizations', json(iif(c.organization IS NULL AND c.title IS NULL, '[]',
      json_array(json_object('name', c.organization, 'title', c.title))))) AS card
FROM contact c
UNION ALL
SELECT o.id, 'other', o.words,
  json_object(
    'resourceName', 'otherContacts/c' || (6200000000000000000 + o.id * 7919),
    'displayName', coalesce(nullif(o.name, ''), 'Unknown'),
    'firstName', iif(instr(o.name, ' '), substr(o.name, 1, instr(o.name, ' ') - 1), o.name),
    'lastName', iif(instr(o.name, ' '), substr(o.name, instr(o.name, ' ') + 1), ''),
    'contactType', 'other',
    'emailAddresses', json_array(json_object('email', o.address, 'type', 'other')),
    'phoneNumbers', json_array(),
    'organizations', json_array())
FROM other_contact o
WHERE NOT EXISTS (SELECT 1 FROM contact c, json_each(c.emails) e
  WHERE c.source = 'personal' AND e.value ->> 'value' = o.address COLLATE NOCASE);
