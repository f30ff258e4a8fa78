#include "agent/dataplane/data_plane_test_support.h"

namespace viv::agent {
namespace {

class DataPlaneUploadTest : public PlaneTest {
 protected:
  // The body in pieces, as the server streams it.
  http::Response UploadPieces(const std::string& path, SentBody& body) {
    http::Request request = MakeRequest("POST", "/dataplane/upload?path=" + path);
    request.headers.Add("Content-Type", "multipart/form-data; boundary=b");
    request.body_stream = &body;
    return Send(std::move(request));
  }
};

TEST_F(DataPlaneUploadTest, WritesAFileAndItsFolders) {
  http::Response response = Upload(Home("new/deep/a%20b.txt"), "content");
  EXPECT_EQ(response.status, 200);
  json::value body = Body(response);
  EXPECT_EQ(FindString(body, "path"), Home("new/deep/a b.txt"));
  EXPECT_EQ(Find(body, "written")->to_number<int>(), 7);
  EXPECT_EQ(Content(Home("new/deep/a b.txt")), "content");
  EXPECT_EQ(Info(Home("new/deep")).st_uid, kTestUid);
  EXPECT_EQ(Info(Home("new/deep/a b.txt")).st_uid, kTestUid);
}

TEST_F(DataPlaneUploadTest, ReplacesAFileAndKeepsItsMode) {
  PutOwn("script", "old and longer", 0755);
  EXPECT_EQ(Upload("script", "new").status, 200);
  EXPECT_EQ(Content(Home("script")), "new");
  EXPECT_EQ(Info(Home("script")).st_mode & 0777, 0755U);
  EXPECT_EQ(Upload("script", "").status, 200);
  EXPECT_EQ(Content(Home("script")), "");
}

TEST_F(DataPlaneUploadTest, WritesToTheSameFileOfAnotherWhereTheUserMayNotReplaceIt) {
  for (auto [folder, mode] : {std::pair("/closed", 0755), std::pair("/sticky", 01777)}) {
    std::filesystem::create_directory(root_ + folder);
    ASSERT_EQ(::chmod((root_ + folder).c_str(), mode), 0);
    const std::string log = std::string(folder) + "/log";
    Put(log.substr(1), "old old old");
    ASSERT_EQ(::chmod((root_ + log).c_str(), 0666), 0);
    EXPECT_EQ(Upload(root_ + log, "new").status, 200) << folder;
    EXPECT_EQ(Content(root_ + log), "new");
    EXPECT_EQ(Info(root_ + log).st_uid, 0U);
    EXPECT_EQ(Names(root_ + folder), std::vector<std::string>{"log"});
  }
}

TEST_F(DataPlaneUploadTest, KeepsTheOwnerOfAFileThatItReplaces) {
  PutOwn("open", "old", 0666);
  ASSERT_EQ(::chown(Home("open").c_str(), 0, 0), 0);
  EXPECT_EQ(Upload("open", "new").status, 200);
  EXPECT_EQ(Content(Home("open")), "new");
  EXPECT_EQ(Info(Home("open")).st_uid, 0U);
}

TEST_F(DataPlaneUploadTest, WritesRelativePathsBelowTheFolderForWork) {
  context_.default_workdir = Home("work");
  EXPECT_EQ(Upload("x/y", "1").status, 200);
  EXPECT_EQ(Content(Home("work/x/y")), "1");
}

TEST_F(DataPlaneUploadTest, ActsAsAUserOfAnyForm) {
  context_.default_user = "1000:2000";
  http::Response response = Upload(Home("f"), "1");
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(Info(Home("f")).st_uid, kTestUid);
  EXPECT_EQ(Info(Home("f")).st_gid, 2000U);
}

TEST_F(DataPlaneUploadTest, TakesTheFileOutOfAFormWithOtherParts) {
  http::Response response = UploadForm("?path=f", FormOf("ignored", "note") + FormOf("kept") +
                                                      FormOf("also ignored", "z") + "--b--\r\n");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(Content(Home("f")), "kept");
}

TEST_F(DataPlaneUploadTest, StreamsALargeFile) {
  std::vector<std::string> pieces{FormOf("", "file")};
  pieces[0].resize(pieces[0].size() - 2);  // the line break before the next boundary
  std::string content;
  for (int i = 0; i < 20; ++i) {
    pieces.push_back(std::string(100'000, static_cast<char>('a' + i % 26)));
    content += pieces.back();
  }
  pieces.push_back("\r\n--b--\r\n");
  SentBody body(std::move(pieces));
  EXPECT_EQ(UploadPieces("large", body).status, 200);
  EXPECT_TRUE(Content(Home("large")) == content);
}

TEST_F(DataPlaneUploadTest, LeavesTheOldFileWhenTheBodyBreaksOff) {
  PutOwn("f", "old");
  std::string form = FormOf("new") + "--b--\r\n";
  for (std::size_t length : {std::size_t{0}, std::size_t{20}, form.size() - 8, form.size() - 4}) {
    SentBody body({form.substr(0, length)});
    EXPECT_EQ(ErrorOf(UploadPieces("f", body)), "400 WriteError") << length;
    EXPECT_EQ(Content(Home("f")), "old");
  }
  SentBody gone({form.substr(0, form.size() - 8)});
  gone.breaks = true;
  EXPECT_EQ(ErrorOf(UploadPieces("f", gone)), "400 WriteError");
  EXPECT_EQ(Content(Home("f")), "old");
  EXPECT_EQ(Names(Home()), std::vector<std::string>{"f"}) << "no temporary file is left";
}

TEST_F(DataPlaneUploadTest, RefusesFormsWithoutOneFile) {
  EXPECT_EQ(ErrorOf(UploadForm("?path=f", FormOf("x", "other") + "--b--\r\n")),
            "400 InvalidRequest");
  EXPECT_EQ(ErrorOf(UploadForm("?path=f", FormOf("x") + FormOf("y") + "--b--\r\n")),
            "400 InvalidRequest");
  EXPECT_EQ(ErrorOf(UploadForm("", FormOf("x") + "--b--\r\n")), "400 InvalidRequest");
  EXPECT_EQ(ErrorOf(UploadForm("?path=", FormOf("x") + "--b--\r\n")), "400 InvalidRequest");
  http::Request request = MakeRequest("POST", "/dataplane/upload?path=f");
  request.headers.Add("Content-Type", "application/octet-stream");
  request.body = "x";
  EXPECT_EQ(ErrorOf(Send(std::move(request))), "400 InvalidRequest");
  EXPECT_TRUE(Names(Home()).empty());
}

TEST_F(DataPlaneUploadTest, TellsWhyAFileCannotBeWritten) {
  std::filesystem::create_directories(Home("folder"));
  PutOwn("file", "x");
  EXPECT_EQ(ErrorOf(Upload("folder", "x")), "400 WriteError");
  EXPECT_EQ(ErrorOf(Upload("folder/", "x")), "400 WriteError");
  EXPECT_EQ(ErrorOf(Upload("file/below", "x")), "400 WriteError");
  EXPECT_EQ(ErrorOf(Upload("a%00b", "x")), "400 WriteError");
  EXPECT_EQ(ErrorOf(Upload(std::string(300, 'n'), "x")), "400 WriteError");
  EXPECT_EQ(ErrorOf(Upload(root_ + "/etc/passwd", "x")), "403 WriteError");
  EXPECT_EQ(ErrorOf(Upload(root_ + "/home/root/new", "x")), "403 WriteError");
}

TEST_F(DataPlaneUploadTest, SaysWhenTheDiskIsFull) {
  std::filesystem::create_directories(Home("small"));
  TestMount disk("tmpfs", Home("small"), "tmpfs", 0, "size=64k,mode=0777");
  ASSERT_EQ(disk.error, 0);
  EXPECT_EQ(ErrorOf(Upload("small/f", std::string(1'000'000, 'x'))), "507 WriteError");
  EXPECT_TRUE(Names(Home("small")).empty());
}

TEST_F(DataPlaneUploadTest, IsStreamedAndNothingElseIs) {
  EXPECT_TRUE(IsStreamedByDataPlane(MakeRequest("POST", "/dataplane/upload?path=/x")));
  EXPECT_FALSE(IsStreamedByDataPlane(MakeRequest("GET", "/dataplane/upload?path=/x")));
  EXPECT_FALSE(IsStreamedByDataPlane(MakeRequest("POST", "/dataplane/glob")));
}

}  // namespace
}  // namespace viv::agent
