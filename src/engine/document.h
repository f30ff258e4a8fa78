#pragma once
// The initialize/dump document of an app: checking it, loading it into tables, reading it back. One
// mapping, declared in app.yaml, serves initialize, dump and seeds.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engine/app.h"
#include "engine/session.h"

namespace viv::engine {

// One thing wrong with a document, as pydantic reports it: where, what, and the kind of problem.
struct Problem {
  json::array location;  // "channels", 0, "name"
  std::string message;   // "Field required"
  std::string type;      // "missing"
  json::value input;
  json::object context;
};

// The member of that name, or of one of its older names.
const json::value* FindMember(const json::object& object,
                              const std::string& name,
                              const std::vector<std::string>& aliases);

// "channels[0].name"
std::string LocationText(const Problem& problem);

std::vector<Problem> CheckDocument(const Model& model, const json::value& document);

struct LoadReport {
  std::int64_t records = 0;
  std::map<std::string, std::int64_t> by_collection;  // top-level lists only
};

// Loads a document that CheckDocument found right. The caller owns the transaction.
Result<LoadReport> LoadDocument(Session& session, const json::value& document);

// What loading the document would report.
LoadReport CountRecords(const Model& model, const json::value& document);

// If `document` has a row of the base data again (by the first field of its collection), the two
// cannot both be loaded: then the document's own lists replace those of the base data, and this
// returns the merged document to load instead of both. Null when no row is repeated.
json::value ReplaceBaseLists(const Model& model,
                             const json::value& base,
                             const json::value& document);

// Whether every top-level list of the document, as counted by CountRecords, is as long as its dump
// would be. Lists that are not rows of one table are not looked at.
Result<bool> HasSameRowCounts(Session& session, const LoadReport& counted);

enum class DumpForm {
  kVendor,
  kFull
};  // kFull: with the fields that are ours beyond the vendor's model
Result<json::value> DumpDocument(Session& session, DumpForm form);

}  // namespace viv::engine
