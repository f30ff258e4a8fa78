#pragma once
// A small issue tracker for the tests of JQL.

#include "engine/query/query_test_support.h"

namespace viv::engine::query {

inline constexpr const char* kIssueSchema = R"sql(
  CREATE TABLE project (key TEXT);
  INSERT INTO project VALUES ('WEB'), ('API');
  CREATE TABLE issue (id INTEGER PRIMARY KEY, project TEXT, summary TEXT, description TEXT, status TEXT,
    assignee TEXT, labels TEXT, votes INTEGER, created INTEGER, due TEXT, priority TEXT, sprint TEXT,
    flagged INTEGER);
  INSERT INTO issue VALUES
    (1, 'WEB', 'Login page is broken', 'The button', 'Open', 'ann', '["ui","urgent"]', 5,
     1741867200000 - 3600000, '2025-03-13', 'High', 'S1', 1),
    (2, 'WEB', 'Logout is slow', NULL, 'In Progress', 'bob', '["ui"]', 0,
     1741867200000 - 3 * 86400000, '2025-03-15', 'Low', 'S2', 0),
    (3, 'API', 'Rate 100% of calls', 'login fails', 'Done', NULL, '[]', 12,
     1741867200000 - 30 * 86400000, NULL, 'Medium', NULL, NULL),
    (4, 'API', 'Write "docs" now', '', 'Open', '', '["docs"]', 3,
     1735689600000, '2025-02-01', 'High', 'S1', 0);
)sql";

inline constexpr std::string_view kIssueTarget = R"json({
  "from": "issue i", "key": "i.id",
  "fields": {
    "project": {"sql": "i.project", "known": "SELECT 1 FROM project WHERE key = :value COLLATE NOCASE"},
    "summary": {"sql": "i.summary", "operators": ["~", "!~", "is", "is not"]},
    "text": {"contains": ["i.summary", "i.description"]},
    "status": {"sql": "i.status", "operators": ["=", "!=", "in", "not in", "is", "is not"]},
    "assignee": "i.assignee",
    "labels": {"match": "EXISTS (SELECT 1 FROM json_each(i.labels) WHERE value = :value)",
               "empty": "json_array_length(i.labels) = 0"},
    "votes": {"sql": "i.votes", "type": "number"},
    "created": {"sql": "i.created", "type": "date", "aliases": ["createdDate"]},
    "due": {"sql": "i.due", "type": "date", "date_format": "day", "aliases": ["duedate"]},
    "priority": {"sql": "i.priority",
                 "order": "CASE i.priority WHEN 'High' THEN 3 WHEN 'Medium' THEN 2 ELSE 1 END"},
    "sprint": {"sql": "i.sprint", "values": {"openSprints()": "i.sprint = 'S1'"}},
    "Epic Link": {"sql": "i.project", "aliases": ["cf[10001]"]},
    "flagged": {"sql": "i.flagged", "type": "boolean"}
  }
})json";

class JqlTest : public testing::Test {
 protected:
  std::string Find(std::string_view query) { return world_.Find(json::value(query)); }

  TestWorld world_{kIssueSchema, kIssueTarget, "jql"};
};

}  // namespace viv::engine::query
