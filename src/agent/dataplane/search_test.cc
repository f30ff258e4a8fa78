#include "agent/dataplane/search.h"

#include <optional>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "agent/dataplane/data_plane_test_support.h"

namespace viv::agent {
namespace {

class DataPlaneSearchTest : public PlaneTest {
 protected:
  void Plant(const std::string& name, std::string_view content = "") {
    std::filesystem::create_directories(std::filesystem::path(Home(name)).parent_path());
    Put("home/user/" + name, content);
  }

  // The paths found, relative to the home; a '+' after those that are told to be cut off.
  std::vector<std::string> Paths(const std::string& operation, json::object body) {
    if (!body.contains("path")) body["path"] = Home();
    http::Response response = Search(operation, std::move(body));
    EXPECT_EQ(response.status, 200) << response.body;
    answer_ = Body(response);
    std::vector<std::string> paths;
    for (const json::value& match : Find(answer_, "matches")->as_array()) {
      std::string path(FindString(match, "path"));
      EXPECT_TRUE(path.starts_with(root_)) << path;
      paths.push_back(path.substr(Home().size() + 1));
    }
    if (Find(answer_, "truncated")->as_bool()) paths.push_back("+");
    return paths;
  }
  std::vector<std::string> Glob(std::string_view pattern) {
    return Paths("glob", {{"pattern", pattern}});
  }
  using List = std::vector<std::string>;

  json::value answer_;
};

TEST_F(DataPlaneSearchTest, GlobTellsWhatIsInAFolder) {
  Plant("a.txt", "0123456789");
  Plant("folder/inner");
  Plant(".hidden");
  EXPECT_EQ(Glob("*"), (List{".hidden", "a.txt", "folder"}));
  const json::value& file = Find(answer_, "matches")->as_array()[1];
  EXPECT_EQ(Find(file, "size_bytes")->to_number<int>(), 10);
  EXPECT_FALSE(Find(file, "is_dir")->as_bool());
  EXPECT_TRUE(FindString(file, "modified_at").starts_with("20"));
  EXPECT_TRUE(FindString(file, "modified_at").ends_with("Z"));
  EXPECT_TRUE(Find(Find(answer_, "matches")->as_array()[2], "is_dir")->as_bool());
}

TEST_F(DataPlaneSearchTest, GlobIsInTheOrderOfPaths) {
  for (const char* name : {"a/b", "a.txt", "a/a/z", "a0", "b"}) Plant(name);
  EXPECT_EQ(Glob("**"), (List{"a", "a.txt", "a/a", "a/a/z", "a/b", "a0", "b"}));
  EXPECT_EQ(Glob("{b,a*}"), (List{"a", "a.txt", "a0", "b"}));
}

TEST_F(DataPlaneSearchTest, GlobGoesDown) {
  for (const char* name : {"src/x.py", "src/deep/y.py", "src/deep/y.c", "z.py"}) Plant(name);
  EXPECT_EQ(Glob("**/*.py"), (List{"src/deep/y.py", "src/x.py", "z.py"}));
  EXPECT_EQ(Glob("src/*.py"), (List{"src/x.py"}));
  EXPECT_EQ(Glob("nothing/*"), List{});
  EXPECT_EQ(Paths("glob", {{"pattern", "*.py"}, {"path", Home("src/")}}), (List{"src/x.py"}));
}

TEST_F(DataPlaneSearchTest, GlobKeepsToItsLimit) {
  for (int i = 0; i < 10; ++i) Plant("f" + std::to_string(i));
  EXPECT_EQ(Paths("glob", {{"pattern", "*"}, {"limit", 2}}), (List{"f0", "f1", "+"}));
  EXPECT_EQ(Paths("glob", {{"pattern", "*"}, {"limit", 10}}).size(), 10U);
  EXPECT_EQ(Paths("glob", {{"pattern", "*"}, {"limit", 1'000'000'000}}).size(), 10U);
}

TEST_F(DataPlaneSearchTest, GlobIsNotLedInCircles) {
  Plant("real/file");
  std::filesystem::create_directory_symlink(Home(), Home("real/loop"));
  std::filesystem::create_directory_symlink(Home("real"), Home("link"));
  std::filesystem::create_symlink("nowhere", Home("broken"));
  EXPECT_EQ(Glob("**"), (List{"broken", "link", "real", "real/file", "real/loop"}));
  EXPECT_EQ(Glob("link/*"), (List{"link/file", "link/loop"}));
  EXPECT_EQ(Paths("glob", {{"pattern", "*"}, {"path", Home("link")}}),
            (List{"link/file", "link/loop"}));
}

TEST_F(DataPlaneSearchTest, GlobPassesOverWhatMayNotBeRead) {
  Plant("open/x");
  Plant("closed/x");
  ASSERT_EQ(::chmod(Home("closed").c_str(), 0700), 0);
  EXPECT_EQ(Glob("**/x"), (List{"open/x"}));
  EXPECT_EQ(Glob("*"), (List{"closed", "open"}));
}

TEST_F(DataPlaneSearchTest, GlobDoesNotShowUploadsUnderWay) {
  Plant(".viv-draft-0123");
  Plant("x");
  EXPECT_EQ(Glob("*"), List{"x"});
}

TEST_F(DataPlaneSearchTest, RefusesWhatItCannotSearch) {
  PutOwn("file", "x");
  std::filesystem::create_directories(Home("closed"));
  ASSERT_EQ(::chmod(Home("closed").c_str(), 0700), 0);
  for (const char* operation : {"glob", "grep"}) {
    auto refused = [&](json::object body) { return ErrorOf(Search(operation, std::move(body))); };
    EXPECT_EQ(refused({{"pattern", "x"}, {"path", Home("nope")}}), "404 FileNotFound");
    EXPECT_EQ(refused({{"pattern", "x"}, {"path", Home("closed")}}), "403 ReadError");
    EXPECT_EQ(refused({{"pattern", "x"}}), "400 InvalidRequest");
    EXPECT_EQ(refused({{"pattern", "x"}, {"path", ""}}), "400 InvalidRequest");
    EXPECT_EQ(refused({{"path", Home()}}), "400 InvalidRequest");
    EXPECT_EQ(refused({{"pattern", ""}, {"path", Home()}}), "400 InvalidRequest");
    EXPECT_EQ(refused({{"pattern", 5}, {"path", Home()}}), "400 InvalidRequest");
    EXPECT_EQ(refused({{"pattern", "x"}, {"path", Home()}, {"limit", 0}}), "400 InvalidRequest");
    EXPECT_EQ(refused({{"pattern", "x"}, {"path", Home()}, {"limit", "all"}}),
              "400 InvalidRequest");
  }
  EXPECT_EQ(ErrorOf(Search("glob", {{"pattern", "*"}, {"path", Home("file")}})), "400 ReadError");
  EXPECT_EQ(ErrorOf(Search("glob", {{"pattern", "[a"}, {"path", Home()}})), "400 InvalidRequest");
  EXPECT_EQ(ErrorOf(Search("glob", {{"pattern", "../*"}, {"path", Home()}})), "400 InvalidRequest");
  EXPECT_EQ(ErrorOf(Search("grep", {{"pattern", "a\nb"}, {"path", Home()}})), "400 InvalidRequest");
  EXPECT_EQ(ErrorOf(Search("grep", {{"pattern", "a"}, {"path", Home()}, {"glob", "{"}})),
            "400 InvalidRequest");
}

TEST_F(DataPlaneSearchTest, GrepTellsLines) {
  Plant("a.txt", "first\nthe needle here\n");
  Plant("deep/b.txt", "needle");
  Plant("binary", std::string_view("needle\0", 7));
  EXPECT_EQ(Paths("grep", {{"pattern", "needle"}}), (List{"a.txt", "deep/b.txt"}));
  const json::value& match = Find(answer_, "matches")->as_array()[0];
  EXPECT_EQ(Find(match, "line")->to_number<int>(), 2);
  EXPECT_EQ(FindString(match, "text"), "the needle here");
  EXPECT_EQ(Paths("grep", {{"pattern", "NEEDLE"}}), List{});
  EXPECT_EQ(Paths("grep", {{"pattern", "nee.le"}}), List{});
  EXPECT_EQ(Paths("grep", {{"pattern", "needle"}, {"path", Home("a.txt")}}), List{"a.txt"});
}

TEST_F(DataPlaneSearchTest, GrepFiltersByNameOrPath) {
  for (const char* name : {"a.py", "a.js", "deep/b.py", "deep/more/c.py"}) Plant(name, "x\n");
  EXPECT_EQ(Paths("grep", {{"pattern", "x"}, {"glob", "*.py"}}),
            (List{"a.py", "deep/b.py", "deep/more/c.py"}));
  EXPECT_EQ(Paths("grep", {{"pattern", "x"}, {"glob", "deep/*.py"}}), List{"deep/b.py"});
  EXPECT_EQ(Paths("grep", {{"pattern", "x"}, {"glob", "deep/**"}}),
            (List{"deep/b.py", "deep/more/c.py"}));
}

TEST_F(DataPlaneSearchTest, GrepKeepsToItsLimit) {
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += "x\n";
  Plant("f", lines);
  EXPECT_EQ(Paths("grep", {{"pattern", "x"}}).size(), 1001U) << "a thousand, and the word of it";
  EXPECT_EQ(Paths("grep", {{"pattern", "x"}, {"limit", 3}}), (List{"f", "f", "f", "+"}));
  EXPECT_EQ(Paths("grep", {{"pattern", "x"}, {"limit", 2000}}).size(), 2000U);
}

TEST_F(DataPlaneSearchTest, GrepReadsOnlyFilesThatMayBeRead) {
  Plant("open", "x\n");
  Plant("closed", "x\n");
  ASSERT_EQ(::chmod(Home("closed").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(Home("pipe").c_str(), 0666), 0);
  std::filesystem::create_symlink(Home("open"), Home("link"));
  EXPECT_EQ(Paths("grep", {{"pattern", "x"}}), List{"open"});
}

TEST_F(DataPlaneSearchTest, KeepsToItsLimitsInLargeTrees) {
  for (int i = 0; i < 30; ++i) Plant("f" + std::to_string(i));
  Plant("a/b/c/d");
  auto count = [&](TreeSearch::Limits limits) {
    TreeSearch search(Home(), *GlobPattern::Parse("**"), limits);
    EXPECT_TRUE(search.Open());
    std::size_t found = 0;
    for (auto step = search.Next(); step != TreeSearch::Step::kDone; step = search.Next()) {
      if (step == TreeSearch::Step::kFound) ++found;
    }
    return std::pair(found, search.truncated());
  };
  EXPECT_EQ(count({}), std::pair(std::size_t{34}, false));
  EXPECT_TRUE(count({.names_read = 5}).second);
  EXPECT_EQ(count({.names_read = 5}).first, 5U);
  EXPECT_TRUE(count({.names_kept = 5}).second);
  EXPECT_EQ(count({.depth = 2}), std::pair(std::size_t{32}, true));
}

TEST_F(DataPlaneSearchTest, LetsOthersRunWhileItSearches) {
  int turns = 0;
  std::optional<bool> finished;
  auto other = [&]() -> Task<void> {
    while (!finished) {
      ++turns;
      co_await asio::post(io_, asio::use_awaitable);
    }
  };
  auto search = [&]() -> Task<void> {
    std::function<bool()> step = [&] {
      return turns > 5;
    };  // which only the other one brings about
    User user{
        .name = "user", .uid = kTestUid, .gid = kTestUid, .home = "", .shell = "", .groups = {}};
    finished = co_await RunInSlices(std::move(user), std::move(step));
  };
  Spawn(search());
  Spawn(other());
  RunUntil([&] { return finished.has_value(); });
  EXPECT_EQ(finished, true);
}

}  // namespace
}  // namespace viv::agent
