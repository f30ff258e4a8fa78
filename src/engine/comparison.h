#pragma once
// A comparison is a connection that sees two states of a world: `main` as it is now, `base` as it
// was. Like sessions, comparisons are kept per image, so that a diff or a check parses no schema
// and prepares no statement that an earlier one has prepared.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "engine/btree.h"
#include "engine/compared_tables.h"
#include "engine/pages.h"

namespace viv::engine {

class Comparison {
 public:
  // Whether its SQL is ours, which compares, or that of expectations, which a client sent. The
  // latter have a connection of their own, because their guard stays installed and would cause
  // every cached statement to be prepared again.
  enum class Purpose { kDiff, kExpectations };
  static Result<std::unique_ptr<Comparison>> Open(Purpose purpose);  // nothing is attached yet
  ~Comparison();

  void Attach(const Pages* before, const Pages* after);  // nullptr: nothing
  db::Connection& connection() { return connection_; }

  // A statement that is prepared once and cached under `name`; make() returns its SQL.
  template <typename Make>
  Result<db::Statement*> Prepared(const std::string& name, Make make) {
    db::Statement& statement = prepared_[name];
    if (statement.get() == nullptr) {
      ASSIGN_OR_RETURN(statement, connection_.Prepare(make()));
    } else {
      statement.Reset();
    }
    return &statement;
  }

 private:
  explicit Comparison(db::Connection connection) : connection_(std::move(connection)) {}

  db::Connection connection_;
  std::unordered_map<std::string, db::Statement> prepared_;
};

// What an image's tables are, read once.
struct ImageTables {
  ComparedTables tables;
  PageMap map;  // of their b-trees
};

// Of one app. Thread-safe.
class Comparisons {
 public:
  // A comparison with two states attached; it is returned when this goes out of scope. Both states
  // outlive it.
  class Lease {
   public:
    Lease(Comparisons& owner, std::unique_ptr<Comparison> comparison, std::string idle_key)
        : owner_(&owner), comparison_(std::move(comparison)), idle_key_(std::move(idle_key)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Comparison& operator*() const { return *comparison_; }
    Comparison* operator->() const { return comparison_.get(); }

   private:
    Comparisons* owner_;
    std::unique_ptr<Comparison> comparison_;
    std::string idle_key_;  // empty: it is not kept
  };
  Result<Lease> Take(Comparison::Purpose purpose, const Pages& before, const Pages& after);

  // For an image that worlds use.
  Result<std::shared_ptr<const ImageTables>> TablesOf(const ImagePtr& image);

 private:
  static constexpr std::size_t kIdleMax = 4;  // per image and purpose

  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<Comparison>>> idle_;  // guarded, as the next
  std::map<std::string, std::shared_ptr<const ImageTables>> tables_;      // by image id
};

}  // namespace viv::engine
