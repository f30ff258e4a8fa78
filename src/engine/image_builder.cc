#include "engine/image_builder.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/errno_error.h"
#include "base/ids.h"
#include "base/unique_fd.h"
#include "engine/document.h"
#include "engine/session.h"

namespace viv::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat =
    "1";  // raise it when images of the same app would come out differently

std::string ImageId(const App& app, const std::string& seed, ClockMode clock) {
  std::string name = seed.empty()        ? "empty"
                     : seed == kBareSeed ? "bare"
                                         : fs::path(seed).stem().string();
  std::string mode = clock == ClockMode::kTick ? "" : "/" + std::to_string(static_cast<int>(clock));
  return app.name + "-" + name + "-" +
         Sha256Hex(app.digest + "/" + seed + "/" + std::string(kFormat) + mode).substr(0, 16);
}

Result<json::value> ReadSeed(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Fail(ErrorCode::kInvalidArgument, path + ": the file cannot be read");
  return ParseJson(text.str());
}

Status LoadSeed(Session& session, const std::string& file) {
  std::string path = session.app().folder + "/" + file;
  ASSIGN_OR_RETURN(json::value document, ReadSeed(path), path);
  std::vector<Problem> problems = CheckDocument(session.app().model, document);
  if (!problems.empty())
    return Fail(ErrorCode::kInvalidArgument,
                path + ": " + LocationText(problems.front()) + ": " + problems.front().message);
  RETURN_IF_ERROR(session.Begin());
  auto report = LoadDocument(session, document);
  if (!report) {
    session.Rollback();
    return PassUp(report.error(), path);
  }
  return session.Commit();
}

// The seed is loaded at the app's own time, so that it is always the same; the clock's mode holds
// from then on.
Status Build(const App& app, const std::string& seed, ClockMode clock, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::OpenFile(app, path));
  bool bare = seed == kBareSeed;
  if (!bare && !app.base_seed.empty()) RETURN_IF_ERROR(LoadSeed(*session, app.base_seed));
  if (!bare && !seed.empty()) RETURN_IF_ERROR(LoadSeed(*session, seed));
  if (clock == ClockMode::kTick) return {};
  return session->connection().Execute("UPDATE _world SET clock_mode = " +
                                       std::to_string(static_cast<int>(clock)));
}

}  // namespace

Result<json::value> ReadBaseDocument(const App& app) {
  if (app.base_seed.empty()) return json::value(json::object());
  return ReadSeed(app.folder + "/" + app.base_seed);
}

Result<ImagePtr> BuildImage(const App& app,
                            const std::string& seed,
                            ClockMode clock,
                            const std::string& directory) {
  std::string id = ImageId(app, seed, clock);
  std::string path = directory + "/" + id + ".db";
  if (!fs::exists(path)) {
    std::error_code ignored;
    fs::create_directories(directory, ignored);
    std::string fresh = path + ".new-" + RandomHex(8);
    Status built = Build(app, seed, clock, fresh);
    if (built) {
      UniqueFd file(::open(fresh.c_str(), O_RDWR | O_CLOEXEC));
      bool synced = file && ::fsync(file.get()) == 0;
      if (!synced || ::rename(fresh.c_str(), path.c_str()) != 0) {
        built = FailErrno(ErrorCode::kUnavailable, "image " + path);
      }
    }
    if (!built) {
      fs::remove(fresh, ignored);
      return PassUp(built.error());
    }
  }
  return Image::Map(path, id);
}

}  // namespace viv::engine
