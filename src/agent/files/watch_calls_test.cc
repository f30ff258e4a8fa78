#include <dirent.h>
#include <sys/stat.h>

#include "agent/files/files_test_support.h"

namespace viv::agent {
namespace {

class WatchTest : public FilesTest {
 protected:
  // A stream that is read in the background.
  struct Stream {
    http::Request request;  // outlives the call, as a server's does
    http::Response response;
    CollectedBody body;
    bool ended = false;

    std::vector<std::string> Messages() const {
      std::vector<std::string> messages;
      std::string_view rest = body.bytes;
      while (rest.size() >= 5) {
        std::size_t length = 0;
        for (int at = 1; at < 5; ++at) length = length * 256 + static_cast<unsigned char>(rest[at]);
        if (rest.size() < 5 + length) break;
        messages.push_back((rest[0] == 2 ? "end " : "") + std::string(rest.substr(5, length)));
        rest.remove_prefix(5 + length);
      }
      return messages;
    }
    // "CREATE a" for each event.
    std::vector<std::string> Events() const {
      std::vector<std::string> events;
      for (const std::string& message : Messages()) {
        Result<json::value> value = ParseJson(message);
        const json::value* event = value ? Find(*value, "filesystem") : nullptr;
        if (event != nullptr) events.push_back(EventText(*event));
      }
      return events;
    }
    bool Saw(const std::string& event) const {
      std::vector<std::string> events = Events();
      return std::find(events.begin(), events.end(), event) != events.end();
    }
  };

  static std::string EventText(const json::value& event) {
    std::string type(FindString(event, "type"));
    return type.substr(std::string_view("EVENT_TYPE_").size()) + " " +
           std::string(FindString(event, "name"));
  }

  std::unique_ptr<Stream> Watch(const json::object& message,
                                std::vector<std::string> headers = {}) {
    auto stream = std::make_unique<Stream>();
    stream->request = MakeRequest("POST", "/filesystem.Filesystem/WatchDir");
    stream->request.headers.Add("Content-Type", "application/connect+json");
    for (std::size_t at = 0; at + 1 < headers.size(); at += 2) {
      stream->request.headers.Add(headers[at], headers[at + 1]);
    }
    std::string text = WriteJson(message);
    stream->request.body = std::string("\0\0\0\0", 4) + static_cast<char>(text.size()) + text;
    Spawn(Serve(*stream));
    RunUntil([&] { return !stream->Messages().empty(); });
    return stream;
  }
  Task<void> Serve(Stream& stream) {
    http::Router::Match match = router_.Find("POST", stream.request.path);
    stream.response = co_await (*match.handler)(stream.request);
    co_await stream.response.stream(stream.body);
    stream.ended = true;
  }
  // The client goes away; noticed with the next event.
  void Drop(Stream& stream, const std::string& touched) {
    stream.body.closed = true;
    PutOwn(touched, "x");
    RunUntil([&] { return stream.ended; });
  }

  void Upload(const std::string& name, const std::string& content) {
    http::Request request = MakeRequest("POST", "/files?path=" + name);
    request.headers.Add("Content-Type", "application/octet-stream");
    request.body = content;
    EXPECT_EQ(Send(std::move(request)).status, 200);
  }

  // The first watch also opens what the loop itself needs.
  void WatchOnce() {
    auto stream = Watch({{"path", "."}});
    Drop(*stream, "once");
  }
  static std::size_t OpenDescriptors() {
    std::size_t count = 0;
    DIR* folder = ::opendir("/proc/self/fd");
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count;
  }
};

TEST_F(WatchTest, TellsWhatHappensInAFolder) {
  Call("MakeDir", {{"path", "w"}});
  auto stream = Watch({{"path", "w"}});
  EXPECT_EQ(stream->Messages()[0], R"({"start":{}})");
  PutOwn("w/a", "x");
  RunUntil([&] { return stream->Saw("WRITE a") && stream->Saw("CHMOD a"); });
  EXPECT_EQ(stream->Events()[0], "CREATE a");
  ASSERT_EQ(::rename(Home("w/a").c_str(), Home("w/b").c_str()), 0);
  RunUntil([&] { return stream->Saw("RENAME a") && stream->Saw("CREATE b"); });
  ASSERT_EQ(::unlink(Home("w/b").c_str()), 0);
  RunUntil([&] { return stream->Saw("REMOVE b"); });
  Drop(*stream, "w/end");
}

TEST_F(WatchTest, TellsAnUploadAsAWrite) {
  Call("MakeDir", {{"path", "w"}});
  auto stream = Watch({{"path", "w"}});
  Upload("w/a", "one");
  RunUntil([&] { return stream->Saw("WRITE a"); });
  EXPECT_EQ(stream->Events(), (std::vector<std::string>{"CREATE a", "WRITE a"}));
  stream->body.bytes.clear();
  Upload("w/a", "two");
  RunUntil([&] { return stream->Saw("WRITE a"); });
  EXPECT_EQ(stream->Events(), std::vector<std::string>{"WRITE a"});
  Drop(*stream, "w/end");
}

TEST_F(WatchTest, FollowsATree) {
  Call("MakeDir", {{"path", "w/sub"}});
  auto flat = Watch({{"path", "w"}});
  auto stream = Watch({{"path", "w"}, {"recursive", true}});
  Upload("w/sub/a", "x");
  RunUntil([&] { return stream->Saw("WRITE sub/a"); });
  Call("MakeDir", {{"path", "w/new/deep/deeper"}});
  RunUntil([&] { return stream->Saw("CREATE new/deep/deeper"); });
  EXPECT_TRUE(stream->Saw("CREATE new"));
  EXPECT_TRUE(stream->Saw("CREATE new/deep"));
  Upload("w/new/deep/deeper/a", "x");
  RunUntil([&] { return stream->Saw("WRITE new/deep/deeper/a"); });

  Call("Move", {{"source", "w/new"}, {"destination", "w/moved"}});
  RunUntil([&] { return stream->Saw("CREATE moved"); });
  Upload("w/moved/deep/b", "x");
  RunUntil([&] { return stream->Saw("WRITE moved/deep/b"); });

  Call("Move", {{"source", "w/moved"}, {"destination", "outside"}});
  RunUntil([&] { return stream->Saw("RENAME moved"); });
  Upload("outside/deep/c", "x");
  Upload("w/last", "x");
  RunUntil([&] { return stream->Saw("WRITE last") && flat->Saw("WRITE last"); });
  EXPECT_FALSE(stream->Saw("WRITE moved/deep/c"));
  EXPECT_FALSE(flat->Saw("WRITE sub/a"));
  flat->body.closed = true;
  Drop(*stream, "w/end");
  RunUntil([&] { return flat->ended; });
}

TEST_F(WatchTest, TellsAboutTheEntryWhenAsked) {
  Call("MakeDir", {{"path", "w"}});
  auto stream = Watch({{"path", "w"}, {"includeEntry", true}});
  Upload("w/a", "hello");
  RunUntil([&] { return stream->Saw("WRITE a"); });
  Result<json::value> message = ParseJson(stream->Messages().back());
  ASSERT_TRUE(message);
  const json::value* entry = Find(*Find(*message, "filesystem"), "entry");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(FindString(*entry, "path"), Home("w/a"));
  EXPECT_EQ(FindString(*entry, "size"), "5");
  ASSERT_EQ(::unlink(Home("w/a").c_str()), 0);
  RunUntil([&] { return stream->Saw("REMOVE a"); });
  EXPECT_EQ(stream->Messages().back().find("entry"), std::string::npos);
  Drop(*stream, "w/end");
}

TEST_F(WatchTest, FreesEverythingOfADroppedStream) {
  Call("MakeDir", {{"path", "w/a/b"}});
  WatchOnce();
  std::size_t before = OpenDescriptors();
  auto stream = Watch({{"path", "w"}, {"recursive", true}});
  EXPECT_GT(OpenDescriptors(), before);
  Drop(*stream, "w/end");
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST_F(WatchTest, KeepsAQuietStreamAlive) {
  auto stream = Watch({{"path", "."}}, {"Keepalive-Ping-Interval", "1"});
  RunUntil([&] { return stream->Messages().size() > 1; });
  EXPECT_EQ(stream->Messages()[1], R"({"keepalive":{}})");
  Drop(*stream, "end");
}

TEST_F(WatchTest, EndsAtItsDeadline) {
  auto stream = Watch({{"path", "."}}, {"Connect-Timeout-Ms", "20"});
  RunUntil([&] { return stream->ended; });
  EXPECT_EQ(stream->Messages().back(),
            R"(end {"error":{"code":"deadline_exceeded","message":"context deadline exceeded"}})");
}

TEST_F(WatchTest, RefusesWhatCannotBeWatched) {
  PutOwn("file", "");
  EXPECT_EQ(Watch({{"path", "no"}})->Messages().back(),
            "end {\"error\":{\"code\":\"not_found\",\"message\":\"path " + Home("no") +
                " not found: stat " + Home("no") + ": no such file or directory\"}}");
  EXPECT_EQ(Watch({{"path", "file"}})->Messages().back(),
            "end {\"error\":{\"code\":\"invalid_argument\",\"message\":\"path " + Home("file") +
                " not a directory\"}}");
}

class PolledWatchTest : public WatchTest {
 protected:
  // Polls until `event` was seen.
  void PollFor(const std::string& id, const std::string& event) {
    RunUntil([&] {
      json::object answer = Poll(id);
      for (const std::string& seen : seen_) {
        if (seen == event) return true;
      }
      return false;
    });
  }
  json::object Poll(const std::string& id) {
    json::object answer = Call("GetWatcherEvents", {{"watcherId", id}});
    const json::value* events = answer.if_contains("events");
    if (events != nullptr) {
      for (const json::value& event : events->get_array()) seen_.push_back(EventText(event));
    }
    return answer;
  }
  std::vector<std::string> seen_;
};

TEST_F(PolledWatchTest, KeepsEventsUntilTheyArePolled) {
  WatchOnce();
  std::size_t before = OpenDescriptors();
  std::string id = Text(Call("CreateWatcher", {{"path", "."}, {"recursive", true}}), "watcherId");
  EXPECT_TRUE(id.starts_with("w"));
  EXPECT_EQ(WriteJson(Poll(id)), R"({"events":[]})");
  Call("MakeDir", {{"path", "sub"}});
  PollFor(id, "CREATE sub");
  Upload("sub/a", "x");
  PollFor(id, "WRITE sub/a");
  Call("RemoveWatcher", {{"watcherId", id}});
  EXPECT_EQ(call_status_, 200);
  io_.restart();
  io_.poll();
  EXPECT_EQ(OpenDescriptors(), before);
  EXPECT_EQ(Text(Call("GetWatcherEvents", {{"watcherId", id}}), "message"),
            "watcher with id " + id + " not found");
  EXPECT_EQ(call_status_, 404);
  Call("RemoveWatcher", {{"watcherId", id}});
  EXPECT_EQ(call_status_, 404);
}

TEST_F(PolledWatchTest, EndsWhenMoreHappensThanItCanHold) {
  std::string id = Text(Call("CreateWatcher", {{"path", "."}}), "watcherId");
  // More than the kernel's queue holds, before anything of it is read. Only equal neighbours are
  // told as one.
  PutOwn("a", "");
  PutOwn("b", "");
  int held = std::stoi(Content("/proc/sys/fs/inotify/max_queued_events"));
  for (int i = 0; i < held + 10; ++i) {
    ASSERT_EQ(::chmod(Home(i % 2 == 0 ? "a" : "b").c_str(), 0600), 0);
  }
  std::string failure;
  RunUntil([&] {
    failure = Text(Poll(id), "message");
    return !failure.empty();
  });
  EXPECT_NE(failure.find("events were lost"), std::string::npos) << failure;
  EXPECT_GE(seen_.size(), held / 2U);  // what was seen before is told
  Call("RemoveWatcher", {{"watcherId", id}});
  EXPECT_EQ(call_status_, 200);
}

TEST_F(PolledWatchTest, AreLimitedInNumber) {
  std::vector<std::string> ids;
  for (int i = 0; i < 64; ++i) {
    ids.push_back(Text(Call("CreateWatcher", {{"path", "."}}), "watcherId"));
    ASSERT_EQ(call_status_, 200);
  }
  Call("CreateWatcher", {{"path", "."}});
  EXPECT_EQ(call_status_, 429);
  Call("RemoveWatcher", {{"watcherId", ids[7]}});
  Call("CreateWatcher", {{"path", "."}});
  EXPECT_EQ(call_status_, 200);
}

}  // namespace
}  // namespace viv::agent
