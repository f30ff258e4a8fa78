#pragma once
// For tests: a small app in a folder of its own, gone with this object.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/ids.h"
#include "engine/catalogue.h"

namespace viv::engine {

class TestApp {
 public:
  TestApp() : root_(std::filesystem::temp_directory_path() / ("viv-test-" + RandomHex(12))) {
    Write("app.yaml", R"(
name: notes
title: Notes
clock: 2025-01-01T00:00:00Z
identity: {id: ann, email: ann@example.com}
base: seed/base.json
profiles:
  default: {tools: [tools/notes.yaml], seed: seed/default.json}
  Other: {tools: [tools/other.yaml]}
data:
  people:
    extra: true
    table: person
    fields: {name: string!}
  folders:
    table: folder
    fields: {name: {type: string, required: true, aliases: [title]}, hidden: {type: boolean, default: false}}
    children:
      notes:
        table: note
        link: {folder_id: id}
        fields: {text: string!, tags: "string[]", stars: {type: integer, minimum: 0, maximum: 5}}
        set: {created_ms: now_ms()}
)");
    Write("schema.sql", R"(
CREATE TABLE person (name TEXT PRIMARY KEY);
CREATE TABLE folder (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, hidden INTEGER NOT NULL DEFAULT 0);
CREATE TABLE note (id INTEGER PRIMARY KEY, folder_id INTEGER NOT NULL REFERENCES folder (id), text TEXT NOT NULL,
  tags TEXT, stars INTEGER, created_ms INTEGER NOT NULL);
)");
    Write("tools/notes.yaml", R"(
- name: add_note
  description: Add a note to a folder.
  input:
    folder: {type: string, required: true}
    text: {type: string, required: true}
    stars: {type: integer, default: 1}
  steps:
    - require: SELECT id AS folder_id FROM folder WHERE name = :folder
      error: "no folder {folder}"
    - run: INSERT INTO note (folder_id, text, stars, created_ms) VALUES (:folder_id, :text, :stars, now_ms()) RETURNING id
    - refuse: SELECT 1 WHERE :text = 'bad'
      error: bad text
  result: SELECT json_object('id', :id, 'uuid', new_uuid(), 'by', :me_id, 'at', now_ms())
- name: count_notes
  description: Count the notes.
  result: SELECT count(*) FROM note
- name: statistics
  description: Numbers about the notes.
  output: {type: object, properties: {notes: {type: integer}}}
  result: SELECT json_object('notes', (SELECT count(*) FROM note))
- name: forever
  description: Never ends.
  result: WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c
)");
    Write("tools/other.yaml", "- {name: count, like: count_notes, description: Count them.}\n");
    Write("seed/base.json", R"({"people": [{"name": "ann"}]})");
    Write(
        "seed/default.json",
        R"({"folders": [{"name": "inbox", "notes": [{"text": "first", "tags": ["a"]}]}, {"name": "empty"}]})");
  }
  ~TestApp() { std::filesystem::remove_all(root_); }

  void Write(const std::string& file, const std::string& text) {
    std::filesystem::path path = root_ / "apps/notes" / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  std::string folder() const { return root_ / "apps/notes"; }
  std::string apps() const { return root_ / "apps"; }
  std::string data() const { return root_ / "data"; }

  // Loads it; fails the test when it does not load.
  LoadedAppPtr Load() {
    Catalogue catalogue({{apps()}, data()});
    for (const auto& load_error : catalogue.Refresh()) ADD_FAILURE() << load_error.message;
    return catalogue.Find("notes");
  }

 private:
  std::filesystem::path root_;
};

}  // namespace viv::engine
