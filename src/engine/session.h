#pragma once
// A session is a connection made ready for one app: its functions registered, its statements
// prepared on first use and kept. It is attached to one world at a time. Its statements obey the
// work of the thread that runs them (limits/work.h). Not thread-safe; `Sessions` hands each to one
// caller.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "engine/app.h"
#include "engine/frame.h"
#include "engine/pages.h"

namespace viv::engine {

// What a world remembers of its own: its clock and the serial number behind its ids. Both live in
// the world's database, so that a clone repeats exactly what its origin did.
struct WorldState {
  std::int64_t clock_ms = 0;
  std::int64_t serial = 0;
  ClockMode mode = ClockMode::kTick;

  std::int64_t now_ms() const;  // what the clock shows
};

class Session {
 public:
  static Result<std::unique_ptr<Session>> Open(const App& app);  // on pages, nothing attached
  static Result<std::unique_ptr<Session>> OpenFile(const App& app,
                                                   const std::string& path);  // a new database file

  const App& app() const { return app_; }
  db::Connection& connection() { return connection_; }
  void Attach(Pages* pages);

  // The app's statement, prepared and reset. Owned by the session.
  Result<sqlite3_stmt*> Prepared(const Sql& sql);

  Status Begin();
  Status Commit();  // writes the world's state first if it changed
  void Rollback();

  // Read from the database on first use within a transaction.
  Result<WorldState*> State();
  void TouchState() { state_changed_ = true; }
  Status Tick();  // moves the clock as a changing call does

  // The text given to fail() by the statement that just failed; empty when it failed for another
  // reason.
  std::string TakeFailure() { return std::exchange(failure_, {}); }
  void SetFailure(std::string text) { failure_ = std::move(text); }

  ~Session();

 private:
  Session(const App& app, db::Connection connection);
  Status RegisterWorldFunctions();
  Status RunPrepared(db::Statement& prepared, std::string_view sql);  // prepared once

  const App& app_;
  db::Connection connection_;
  std::vector<db::Statement> statements_;  // by slot
  db::Statement begin_;
  db::Statement commit_;
  db::Statement load_state_;
  db::Statement save_state_;
  WorldState state_;
  bool state_loaded_ = false;
  bool state_changed_ = false;
  std::string failure_;
};

// Sessions of one app that nobody uses at the moment, by image: SQLite keeps the parsed schema per
// connection and tells schemas apart by a mere counter, so that a session must never move between
// databases whose tables may differ. For the same reason a world that has changed its schema gets a
// session of its own.
class Sessions {
 public:
  explicit Sessions(std::shared_ptr<const App> app) : app_(std::move(app)) {}

  // A session attached to `pages`. `pages` must stay until the lease is gone.
  class Lease {
   public:
    Lease(Sessions& owner, std::unique_ptr<Session> session, Pages& pages)
        : owner_(&owner), session_(std::move(session)), pages_(&pages) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Session& operator*() const { return *session_; }
    Session* operator->() const { return session_.get(); }

   private:
    Sessions* owner_;
    std::unique_ptr<Session> session_;
    Pages* pages_;
  };
  Result<Lease> Take(Pages& pages);

  const App& app() const { return *app_; }

 private:
  static constexpr std::size_t kIdleMax = 16;  // per image

  std::shared_ptr<const App> app_;  // shared with worlds and the catalogue
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<Session>>>
      idle_;  // by image id; guarded by mutex_
};

// The tables that every world has beside its app's.
extern const char kWorldTables[];

// Binds the statement's named parameters from the app's identity, then from `frame`; what neither
// knows is NULL. kInvalidArgument when a value is larger than a statement's may be.
Status BindVariables(sqlite3_stmt* statement, const Frame& frame, const App& app);
json::value ColumnValue(sqlite3_stmt* statement, int column);

}  // namespace viv::engine
