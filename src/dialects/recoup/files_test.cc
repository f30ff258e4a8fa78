// The account's repository: GET /api/sandboxes/file, POST /api/sandboxes/files and the file tree.

#include "dialects/recoup/test_support.h"

namespace viv::recoup {
namespace {

class RecoupFilesTest : public RecoupTest {
 protected:
  void MakeRepository() { ASSERT_TRUE(RunTask(repositories_.Make(kMine))); }
  ParsedResponse Upload(json::array files, json::object extra = {}) {
    extra["files"] = std::move(files);
    return Call("POST", "/api/sandboxes/files", WriteJson(extra));
  }
  static json::object File(std::string_view name, std::string_view url) {
    return {{"name", std::string(name)}, {"url", std::string(url)}};
  }
};

TEST_F(RecoupFilesTest, WhatIsUploadedIsInTheTreeAndCanBeRead) {
  MakeRepository();
  ParsedResponse response =
      Upload({File("a.txt", "data:,hello"), File("deep/b.png", "data:;base64,AAH/")},
             {{"path", "/docs/"}, {"message", "Add files"}});
  ASSERT_EQ(response.status, 200) << response.text;
  const json::array& uploaded = response.body.at("uploaded").as_array();
  ASSERT_EQ(uploaded.size(), 2U);
  EXPECT_EQ(FindString(uploaded[0], "path"), "docs/a.txt");
  EXPECT_EQ(FindString(uploaded[0], "sha"), "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0");
  EXPECT_EQ(FindString(uploaded[1], "path"), "docs/deep/b.png");
  EXPECT_FALSE(response.body.as_object().contains("errors"));

  ParsedResponse list = Call("GET", "/api/sandboxes");
  EXPECT_EQ(FindString(list.body, "github_repo"),
            std::string("http://viv.test/git/") + kMine + ".git");
  const json::array& tree = list.body.at("filetree").as_array();
  ASSERT_EQ(tree.size(), 4U) << list.text;
  EXPECT_EQ(FindString(tree[0], "path"), "docs");
  EXPECT_EQ(FindString(tree[0], "type"), "tree");
  EXPECT_FALSE(tree[0].as_object().contains("size"));
  EXPECT_EQ(FindString(tree[1], "path"), "docs/a.txt");
  EXPECT_EQ(FindString(tree[1], "type"), "blob");
  EXPECT_EQ(tree[1].at("size").as_int64(), 5);

  EXPECT_EQ(Call("GET", "/api/sandboxes/file?path=docs/a.txt").text,
            R"({"status":"success","content":"hello"})");
  EXPECT_EQ(Call("GET", "/api/sandboxes/file?path=%2Fdocs%2Fdeep%2Fb.png").text,
            R"({"status":"success","content":"AAH/","encoding":"base64"})");
}

TEST_F(RecoupFilesTest, BytesThatAreNoTextAreBase64WhateverTheirName) {
  MakeRepository();
  Upload({File("a.txt", "data:;base64,//8="), File("b.SVG", "data:,%3Csvg/%3E")});
  EXPECT_EQ(FindString(Call("GET", "/api/sandboxes/file?path=a.txt").body, "encoding"), "base64");
  EXPECT_EQ(FindString(Call("GET", "/api/sandboxes/file?path=b.SVG").body, "encoding"), "base64");
}

TEST_F(RecoupFilesTest, AFileThatFailsDoesNotStopTheOthers) {
  MakeRepository();
  ParsedResponse response = Upload(
      {File("a.txt", "data:,a"), File("b.txt", "http://127.0.0.1:9/secret"),
       File("../c.txt", "data:,c"), File(".git/config", "data:,d"), File("a.txt", "data:,e")});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.body.at("uploaded").as_array().size(), 1U);
  const json::array& errors = response.body.at("errors").as_array();
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_THAT(std::string(View(errors[0].as_string())), ::testing::HasSubstr("private address"));
  EXPECT_EQ(errors[1], "../c.txt: not a path within a repository");
  EXPECT_EQ(errors[3], "a.txt: given twice");
}

TEST_F(RecoupFilesTest, WhenEveryFileFailsSoDoesTheCall) {
  MakeRepository();
  ParsedResponse response = Upload({File("..", "data:,a")});
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body.at("errors").as_array().size(), 1U);
}

TEST_F(RecoupFilesTest, BrokenBodiesAreRefusedHere) {
  MakeRepository();
  for (const char* body : {"", "{", "nothing"}) {
    ParsedResponse response = Call("POST", "/api/sandboxes/files", body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_EQ(response.error(), "Invalid JSON body");
  }
  struct Case {
    const char* body;
    json::array fields;
  };
  for (const Case& it :
       {Case{"{}", {"files"}}, Case{R"({"files":[]})", {"files"}},
        Case{R"({"files":1})", {"files"}}, Case{R"({"files":[1]})", {"files", "0"}},
        Case{R"({"files":[{"url":"data:,x"}]})", {"files", "0", "name"}},
        Case{R"({"files":[{"name":"x"}]})", {"files", "0", "url"}},
        Case{R"({"files":[{"name":"x","url":"nowhere"}]})", {"files", "0", "url"}},
        Case{R"({"files":[{"name":"","url":"data:,x"}]})", {"files", "0", "name"}},
        Case{R"({"files":[{"name":"x","url":"data:,x"}],"path":1})", {"path"}}}) {
    ParsedResponse response = Call("POST", "/api/sandboxes/files", it.body);
    EXPECT_EQ(response.status, 400) << it.body;
    EXPECT_EQ(response.body.at("missing_fields"), it.fields) << response.text;
  }
}

TEST_F(RecoupFilesTest, WithoutARepositoryThereIsNothing) {
  EXPECT_EQ(Call("GET", "/api/sandboxes/file?path=a").status, 404);
  EXPECT_EQ(Upload({File("a", "data:,x")}).status, 404);
  Call("PATCH", "/api/sandboxes", R"({"github_repo":"https://github.com/a/b"})");
  ParsedResponse elsewhere = Call("GET", "/api/sandboxes/file?path=a");
  EXPECT_EQ(elsewhere.status, 404);
  EXPECT_THAT(elsewhere.error(), ::testing::HasSubstr("https://github.com/a/b"));
}

TEST_F(RecoupFilesTest, AbsentFilesAndBadPathsAreTold) {
  MakeRepository();
  EXPECT_EQ(Call("GET", "/api/sandboxes/file?path=none").status, 404);
  for (const char* path : {"", "../x", "a/../b", ".git/config", "a//b", "%00", "%ff"}) {
    ParsedResponse response = Call("GET", std::string("/api/sandboxes/file?path=") + path);
    EXPECT_EQ(response.status, 400) << path;
    EXPECT_EQ(response.body.at("missing_fields"), json::array({"path"}));
  }
  EXPECT_EQ(Call("GET", "/api/sandboxes/file").status, 400);
}

TEST_F(RecoupFilesTest, AnAccountMayUseItsColleaguesRepositoryByUrlAndNoStrangers) {
  ASSERT_TRUE(RunTask(repositories_.Make(kColleague)));
  ASSERT_TRUE(RunTask(repositories_.Make(kStranger)));
  auto url = [](const char* id) { return std::string("http://viv.test/git/") + id + ".git"; };
  Call("PATCH", "/api/sandboxes", WriteJson(json::object{{"github_repo", url(kColleague)}}));
  EXPECT_TRUE(Call("GET", "/api/sandboxes").body.at("filetree").is_array());
  Call("PATCH", "/api/sandboxes", WriteJson(json::object{{"github_repo", url(kStranger)}}));
  EXPECT_TRUE(Call("GET", "/api/sandboxes").body.at("filetree").is_null());
}

}  // namespace
}  // namespace viv::recoup
