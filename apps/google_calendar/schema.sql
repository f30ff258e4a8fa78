-- A calendar's id is its owner's address (people, rooms) or an address of its own. Colleagues' calendars exist, whether or not
-- they stand in the user's list.
CREATE TABLE calendar (
  id TEXT PRIMARY KEY COLLATE NOCASE,
  summary TEXT NOT NULL,
  description TEXT,
  time_zone TEXT NOT NULL,
  access_role TEXT NOT NULL DEFAULT 'owner' CHECK (access_role IN ('owner', 'writer', 'reader', 'freeBusyReader')),
  listed INTEGER NOT NULL DEFAULT 1,
  hidden INTEGER NOT NULL DEFAULT 0,
  deleted INTEGER NOT NULL DEFAULT 0,
  resource INTEGER NOT NULL DEFAULT 0,
  position INTEGER NOT NULL
);
CREATE INDEX calendar_by_position ON calendar (position);

-- One row per event, per series, and per instance of a series that differs from it (series_key, original_ms) or was cancelled.
-- The texts are kept as they were given; what is computed with are start_ms, end_ms, zone and end_zone.
CREATE TABLE event (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  calendar_id TEXT NOT NULL COLLATE NOCASE REFERENCES calendar (id),
  title TEXT NOT NULL,
  start_time TEXT,
  end_time TEXT,
  start_date TEXT,
  end_date TEXT,
  timezone TEXT,
  end_timezone TEXT,
  description TEXT,
  location TEXT,
  visibility TEXT,
  recurrence TEXT,
  status TEXT NOT NULL DEFAULT 'confirmed' CHECK (status IN ('confirmed', 'tentative', 'cancelled')),
  transparency TEXT NOT NULL DEFAULT 'opaque' CHECK (transparency IN ('opaque', 'transparent')),
  event_type TEXT NOT NULL DEFAULT 'default',
  organizer TEXT NOT NULL COLLATE NOCASE,
  creator TEXT NOT NULL COLLATE NOCASE,
  meet_code TEXT,
  series_key INTEGER REFERENCES event (key),
  original_ms INTEGER,
  start_ms INTEGER NOT NULL DEFAULT 0,
  end_ms INTEGER NOT NULL DEFAULT 0,
  zone TEXT NOT NULL DEFAULT 'UTC',
  end_zone TEXT NOT NULL DEFAULT 'UTC',
  sequence INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  all_day INTEGER AS (start_time IS NULL AND start_date IS NOT NULL),
  repeats INTEGER AS (coalesce(recurrence, '[]') <> '[]'),
  UNIQUE (calendar_id, id)
);
CREATE INDEX event_by_id ON event (id);
CREATE INDEX event_by_start ON event (calendar_id, start_ms);
CREATE UNIQUE INDEX event_by_series ON event (series_key, original_ms) WHERE series_key IS NOT NULL;

CREATE TABLE attendee (
  event_key INTEGER NOT NULL REFERENCES event (key),
  email TEXT NOT NULL COLLATE NOCASE,
  position INTEGER NOT NULL,
  name TEXT,
  optional INTEGER,
  comment TEXT,
  response TEXT CHECK (response IN ('needsAction', 'declined', 'tentative', 'accepted')),
  removed INTEGER NOT NULL DEFAULT 0,  -- the guest deleted their own copy
  PRIMARY KEY (event_key, email)
) WITHOUT ROWID;
CREATE INDEX attendee_by_email ON attendee (email);
-- Whoever is named twice is one guest.
CREATE TRIGGER attendee_once BEFORE INSERT ON attendee
WHEN EXISTS (SELECT 1 FROM attendee a WHERE a.event_key = NEW.event_key AND a.email = NEW.email)
BEGIN SELECT RAISE(IGNORE); END;

-- What stands on which calendar: an event stands on its own calendar and on that of every guest.
CREATE VIEW on_calendar AS
SELECT e.calendar_id, e.key AS event_key, a.response, coalesce(a.removed, 0) AS removed
FROM event e LEFT JOIN attendee a ON a.event_key = e.key AND a.email = e.calendar_id
UNION ALL
SELECT c.id, a.event_key, a.response, a.removed
FROM attendee a JOIN calendar c ON c.id = a.email JOIN event e ON e.key = a.event_key
WHERE e.calendar_id <> c.id;

-- Series with the lines to expand: the first instance counts even where the rule would not name it.
CREATE VIEW series AS
SELECT e.key, e.id, e.start_ms, e.end_ms, e.zone, e.all_day, e.status, e.title,
  json_array_append(e.recurrence, 'RDATE:' || time_format(e.start_ms, '%E4Y%m%dT%H%M%SZ')) AS lines
FROM event e WHERE e.repeats;

-- People as Google's contacts have them. `search` has the words a search may begin with, each after a space.
CREATE TABLE contact (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL CHECK (source IN ('personal', 'other', 'profile', 'domain_contact')),
  name TEXT NOT NULL,
  emails TEXT NOT NULL DEFAULT '[]',
  phones TEXT NOT NULL DEFAULT '[]',
  company TEXT,
  title TEXT,
  search TEXT NOT NULL
);
CREATE INDEX contact_by_source ON contact (source, name);
