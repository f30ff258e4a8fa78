#include <sys/stat.h>
#include <sys/xattr.h>

#include "agent/files/file_result.h"
#include "agent/files/files_test_support.h"
#include "agent/files/gzip.h"

namespace viv::agent {
namespace {

class UploadTest : public FilesTest {
 protected:
  static std::string FormPart(const std::string& disposition, const std::string& content) {
    return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n";
  }
  static std::string FilePart(const std::string& filename, const std::string& content) {
    return FormPart("name=\"file\"; filename=\"" + filename + "\"", content);
  }
  http::Request FormRequest(const std::string& query, const std::string& parts) {
    http::Request request = MakeRequest("POST", "/files?" + query);
    request.headers.Add("Content-Type", "multipart/form-data; boundary=b");
    request.body = parts + "--b--\r\n";
    return request;
  }
  http::Response PostForm(const std::string& query, const std::string& parts) {
    return Send(FormRequest(query, parts));
  }
  http::Request RawRequest(const std::string& query, const std::string& body) {
    http::Request request = MakeRequest("POST", "/files?" + query);
    request.headers.Add("Content-Type", "application/octet-stream");
    request.body = body;
    return request;
  }
  http::Response PostRaw(const std::string& query, const std::string& body) {
    return Send(RawRequest(query, body));
  }
  std::string Attribute(const std::string& name, const char* key) {
    char value[64];
    ssize_t got = ::getxattr(Home(name).c_str(), key, value, sizeof value);
    return got < 0 ? "-" : std::string(value, got);
  }
};

TEST_F(UploadTest, WritesTheFilesOfAForm) {
  http::Response response =
      PostForm("", FilePart("a.txt", "one") + FormPart("name=\"note\"", "ignored") +
                       FilePart(Home("new/deep/ü b.txt"), "two\r\n--x"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "[{\"path\":\"" + Home("a.txt") +
                               "\",\"name\":\"a.txt\",\"type\":\"file\"},{\"path\":\"" +
                               Home("new/deep/ü b.txt") +
                               "\",\"name\":\"ü b.txt\",\"type\":\"file\"}]");
  EXPECT_EQ(Content(Home("a.txt")), "one");
  EXPECT_EQ(Content(Home("new/deep/ü b.txt")), "two\r\n--x");
  EXPECT_EQ(Info(Home("a.txt")).st_uid, kTestUid);
  EXPECT_EQ(Info(Home("a.txt")).st_mode & 07777, 0644U);
  EXPECT_EQ(Info(Home("new/deep")).st_uid, kTestUid);
  EXPECT_EQ(Info(Home("new/deep")).st_mode & 07777, 0755U);
  EXPECT_EQ(Names(Home()), (std::vector<std::string>{"a.txt", "new"}));
}

TEST_F(UploadTest, PrefersThePathOfTheRequest) {
  // As a form made of a string has it: the browser invents the filename, or leaves it out.
  EXPECT_EQ(PostForm("path=hello.txt", FormPart("name=\"file\"", "x")).status, 200);
  EXPECT_EQ(PostForm("path=hello.txt", FilePart("blob", "y")).status, 200);
  EXPECT_EQ(Content(Home("hello.txt")), "y");
  EXPECT_EQ(PostForm("path=r.txt&username=root", FilePart("", "z")).body,
            "[{\"path\":\"" + root_ + "/home/root/r.txt\",\"name\":\"r.txt\",\"type\":\"file\"}]");
}

TEST_F(UploadTest, WritesARawBodyAsItArrives) {
  SentBody body({"one ", "two ", "three"});
  http::Request request = RawRequest("path=raw.bin", "");
  request.body_stream = &body;
  EXPECT_EQ(Send(std::move(request)).status, 200);
  EXPECT_EQ(Content(Home("raw.bin")), "one two three");
  EXPECT_EQ(PostRaw("path=empty", "").status, 200);
  EXPECT_EQ(Info(Home("empty")).st_size, 0);
}

TEST_F(UploadTest, WritesAFormAsItArrives) {
  std::string form = FilePart("a", std::string(100'000, 'x') + "\r\n") + "--b--\r\n";
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < form.size(); at += 777) pieces.push_back(form.substr(at, 777));
  SentBody body(std::move(pieces));
  http::Request request = FormRequest("", "");
  request.body_stream = &body;
  EXPECT_EQ(Send(std::move(request)).status, 200);
  EXPECT_EQ(Content(Home("a")), std::string(100'000, 'x') + "\r\n");
}

TEST_F(UploadTest, InflatesGzip) {
  std::string content(5'000'000, 'x');
  GzipWriter writer;
  std::string packed = writer.Add(content);
  packed += writer.Finish();
  http::Request request = RawRequest("path=a", packed);
  request.headers.Add("Content-Encoding", "gzip");
  EXPECT_EQ(Send(std::move(request)).status, 200);
  EXPECT_TRUE(Content(Home("a")) == content);

  request = RawRequest("path=b", packed.substr(0, packed.size() / 2));
  request.headers.Add("Content-Encoding", "gzip");
  EXPECT_EQ(Send(std::move(request)).status, 400);
  request = RawRequest("path=b", "plain");
  request.headers.Add("Content-Encoding", "gzip");
  EXPECT_EQ(Send(std::move(request)).status, 400);
  request = RawRequest("path=b", "plain");
  request.headers.Add("Content-Encoding", "br");
  EXPECT_EQ(Send(std::move(request)).status, 400);
  EXPECT_EQ(Names(Home()), std::vector<std::string>{"a"});
}

TEST_F(UploadTest, KeepsTheModeOfAFileThatExistsAndGivesItToTheCaller) {
  PutOwn("script", "old old old", 0750);
  EXPECT_EQ(PostRaw("path=script", "new").status, 200);
  EXPECT_EQ(Content(Home("script")), "new");
  EXPECT_EQ(Info(Home("script")).st_mode & 07777, 0750U);
  EXPECT_EQ(PostRaw("path=" + Home("script") + "&username=root", "root's").status, 200);
  EXPECT_EQ(Content(Home("script")), "root's");
  EXPECT_EQ(Info(Home("script")).st_uid, 0U);

  PutOwn("open", "old", 0666);
  ASSERT_EQ(::chown(Home("open").c_str(), 0, 0), 0);
  EXPECT_EQ(PostRaw("path=open", "new").status, 200);
  EXPECT_EQ(Content(Home("open")), "new");
  EXPECT_EQ(Info(Home("open")).st_uid, kTestUid);
}

TEST_F(UploadTest, WritesThroughLinks) {
  PutOwn("target", "old");
  ASSERT_EQ(::symlink("target", Home("link").c_str()), 0);
  ASSERT_EQ(::symlink("later/new", Home("dangling").c_str()), 0);
  EXPECT_EQ(PostRaw("path=link", "new").status, 200);
  EXPECT_TRUE(S_ISLNK(Info(Home("link")).st_mode));
  EXPECT_EQ(Content(Home("target")), "new");
  EXPECT_EQ(PostRaw("path=dangling", "x").status, 200);
  EXPECT_EQ(Content(Home("later/new")), "x");
  ASSERT_EQ(::symlink("loop", Home("loop").c_str()), 0);
  EXPECT_EQ(PostRaw("path=loop", "x").status, 400);
}

TEST_F(UploadTest, WritesToTheSameFileWhereAReplacementWouldDoHarm) {
  PutOwn("one", "old");  // a file of two names stays one
  ASSERT_EQ(::link(Home("one").c_str(), Home("two").c_str()), 0);
  EXPECT_EQ(PostRaw("path=one", "new").status, 200);
  EXPECT_EQ(Content(Home("two")), "new");
  ASSERT_EQ(::chown(Home("one").c_str(), 0, 0), 0);
  EXPECT_EQ(PostRaw("path=two", "newer").status, 200);
  EXPECT_EQ(Content(Home("one")), "newer");
  EXPECT_EQ(Info(Home("one")).st_uid, kTestUid);
}

TEST_F(UploadTest, WritesToAFileThatIsAMount) {
  PutOwn("hosts", "old");
  PutOwn("source", "source old");
  TestMount mount(Home("source").c_str(), Home("hosts"), nullptr, MS_BIND, nullptr);
  if (mount.error != 0) {
    GTEST_SKIP() << "this machine does not let tests mount: " << ErrnoText(mount.error);
  }
  EXPECT_EQ(PostRaw("path=hosts", "new").status, 200);
  EXPECT_EQ(Content(Home("hosts")), "new");
  mount.Unmount();
  EXPECT_EQ(Content(Home("source")), "new");
}

TEST_F(UploadTest, LeavesNothingOfABodyThatBreaksOff) {
  PutOwn("kept", "old");
  for (const char* name : {"kept", "fresh"}) {
    SentBody body({"half of it"});
    body.breaks = true;
    http::Request request = RawRequest(std::string("path=") + name, "");
    request.body_stream = &body;
    EXPECT_EQ(Send(std::move(request)).status, 400);

    http::Request form = FormRequest("", "");
    form.body = FilePart(name, "half of it");
    http::Response response = Send(std::move(form));
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(response.body,
              "{\"code\":400,\"message\":\"error reading form: the form ends before "
              "its last boundary\"}");
  }
  EXPECT_EQ(Content(Home("kept")), "old");
  EXPECT_EQ(Names(Home()), (std::vector<std::string>{"kept"}));
}

TEST_F(UploadTest, RefusesTheSamePathTwice) {
  http::Response response = PostForm("", FilePart("a", "1") + FilePart("./b/../a", "2"));
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body,
            "{\"code\":400,\"message\":\"you cannot upload multiple files to the same "
            "path '" +
                Home("a") +
                "' in one upload request, only the first "
                "specified file was uploaded\"}");
  EXPECT_EQ(Content(Home("a")), "1");
}

TEST_F(UploadTest, RefusesFoldersAndSpecialFiles) {
  std::filesystem::create_directory(Home("folder"));
  http::Response response = PostRaw("path=folder", "x");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body,
            "{\"code\":400,\"message\":\"path is a directory: " + Home("folder") + "\"}");
  EXPECT_EQ(PostRaw("path=", "x").status, 400);
  EXPECT_EQ(PostRaw("path=" + Home("new") + "/", "x").status, 400);
  ASSERT_EQ(::mkfifo(Home("pipe").c_str(), 0666), 0);
  EXPECT_EQ(PostRaw("path=pipe", "x").status, 400);
  EXPECT_EQ(PostRaw("path=/dev/null&username=root", "x").status, 400);
  PutOwn("file", "");
  EXPECT_EQ(PostRaw("path=file/below", "x").status, 500);
}

TEST_F(UploadTest, ReadsOnAfterARefusalSoThatTheClientHearsIt) {
  for (const char* query : {"path=.", "path=a&username=nobody"}) {
    SentBody body({"one", "two", "three"});
    http::Request request = RawRequest(query, "");
    request.body_stream = &body;
    EXPECT_NE(Send(std::move(request)).status, 200);
    EXPECT_TRUE(body.read_through());
  }
}

TEST_F(UploadTest, WritesIntoFoldersOfOthersWhatBecomesTheCallers) {
  Put("root.txt", "old");
  ASSERT_EQ(::chmod((root_ + "/root.txt").c_str(), 0600), 0);
  for (const char* path : {"/root.txt", "/new.txt", "/new/deep/new.txt"}) {
    EXPECT_EQ(PostRaw("path=" + root_ + path, "new").status, 200) << path;
    EXPECT_EQ(Content(root_ + path), "new");
    EXPECT_EQ(Info(root_ + path).st_uid, kTestUid);
  }
  EXPECT_EQ(Info(root_ + "/new/deep").st_uid, kTestUid);
  EXPECT_EQ(Info(root_ + "/root.txt").st_mode & 07777, 0600U);
}

TEST_F(UploadTest, SaysWhenTheDiskIsFull) {
  std::string disk = root_ + "/disk";
  std::filesystem::create_directory(disk);
  TestMount mount("none", disk, "tmpfs", 0, "size=64k,mode=0777");
  if (mount.error != 0) {
    GTEST_SKIP() << "this machine does not let tests mount: " << ErrnoText(mount.error);
  }
  http::Response response = PostRaw("path=" + disk + "/a", std::string(200'000, 'x'));
  EXPECT_EQ(response.status, 507);
  EXPECT_EQ(response.body, R"({"code":507,"message":"not enough disk space available"})");
  EXPECT_TRUE(Names(disk).empty());
}

TEST_F(UploadTest, RefusesRequestsThatAreNoUpload) {
  EXPECT_EQ(PostRaw("", "x").body,
            R"({"code":400,"message":"path query parameter is required for raw body upload"})");
  http::Request request = FormRequest("", FilePart("a", "x"));
  request.headers.Set("Content-Type", "text/plain");
  EXPECT_EQ(Send(std::move(request)).body,
            R"({"code":400,"message":"unsupported content type: text/plain, expected )"
            R"(multipart/form-data or application/octet-stream"})");
  request = FormRequest("", FilePart("a", "x"));
  request.headers.Set("Content-Type", "multipart/form-data");
  EXPECT_EQ(Send(std::move(request)).status, 400);
  EXPECT_EQ(PostForm("", FormPart("name=\"file\"", "x")).status, 400);
  EXPECT_EQ(PostForm("", FilePart(std::string("a\0b", 3), "x")).status, 400);
  EXPECT_EQ(PostRaw("path=a&username=nobody", "x").status, 401);
  context_.access_token = "secret";
  EXPECT_EQ(PostRaw("path=a", "x").status, 401);
  EXPECT_TRUE(Names(Home()).empty());
}

TEST_F(UploadTest, KeepsMetadataWithTheFile) {
  http::Request request = FormRequest("", FilePart("a", "x") + FilePart("b", "y"));
  request.headers.Add("X-Metadata-Author", "mish");
  request.headers.Add("x-metadata-author", "second");
  request.headers.Add("X-Metadata-", "nothing");
  http::Response response = Send(std::move(request));
  EXPECT_EQ(response.body, "[{\"path\":\"" + Home("a") +
                               "\",\"name\":\"a\",\"type\":\"file\",\"metadata\":{\"author\":"
                               "\"mish\"}},{\"path\":\"" +
                               Home("b") +
                               "\",\"name\":\"b\",\"type\":\"file\",\"metadata\":{\"author\":"
                               "\"mish\"}}]");
  EXPECT_EQ(Attribute("a", "user.e2b.author"), "mish");

  request = RawRequest("path=a", "z");  // each upload replaces all of it
  request.headers.Add("X-Metadata-Stage", "two");
  Send(std::move(request));
  EXPECT_EQ(Attribute("a", "user.e2b.author"), "-");
  EXPECT_EQ(Attribute("a", "user.e2b.stage"), "two");
  ASSERT_EQ(::link(Home("a").c_str(), Home("c").c_str()), 0);  // also where it is written in place
  EXPECT_EQ(PostRaw("path=a", "z").body.find("metadata"), std::string::npos);
  EXPECT_EQ(Attribute("a", "user.e2b.stage"), "-");
}

TEST_F(UploadTest, RefusesMetadataThatIsTooMuchOrNoText) {
  for (auto [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"k", "ü"},
                                                        {"k", "a\tb"},
                                                        {std::string(247, 'k'), "v"},
                                                        {"k", std::string(4096, 'v')}}) {
    http::Request request = RawRequest("path=a", "x");
    request.headers.Add("X-Metadata-" + key, value);
    EXPECT_EQ(Send(std::move(request)).status, 400);
  }
  EXPECT_TRUE(Names(Home()).empty());
}

class ComposeTest : public FilesTest {
 protected:
  http::Response Compose(const std::string& body) {
    http::Request request = MakeRequest("POST", "/files/compose");
    request.headers.Add("Content-Type", "application/json");
    request.body = body;
    return Send(std::move(request));
  }
};

TEST_F(ComposeTest, JoinsFilesAndRemovesThem) {
  PutOwn("1", "one ");
  PutOwn("2", std::string(6'000'000, 'x'));
  http::Response response = Compose(R"({"source_paths":["1","2"],"destination":"out/all.txt"})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            "{\"path\":\"" + Home("out/all.txt") + "\",\"name\":\"all.txt\",\"type\":\"file\"}");
  EXPECT_TRUE(Content(Home("out/all.txt")) == "one " + std::string(6'000'000, 'x'));
  EXPECT_EQ(Info(Home("out/all.txt")).st_uid, kTestUid);
  EXPECT_EQ(Names(Home()), std::vector<std::string>{"out"});
}

TEST_F(ComposeTest, RefusesBadOrdersAndTouchesNothing) {
  PutOwn("1", "one");
  std::filesystem::create_directory(Home("folder"));
  EXPECT_EQ(Compose("{").status, 400);
  EXPECT_EQ(Compose("[]").status, 400);
  EXPECT_EQ(Compose(R"({"source_paths":[],"destination":"a"})").body,
            R"({"code":400,"message":"source_paths must not be empty"})");
  EXPECT_EQ(Compose(R"({"source_paths":["1"]})").body,
            R"({"code":400,"message":"destination is required"})");
  EXPECT_EQ(Compose(R"({"source_paths":[7],"destination":"a"})").status, 400);
  EXPECT_EQ(Compose(R"({"source_paths":["1"],"destination":"1"})").status, 400);
  EXPECT_EQ(Compose(R"({"source_paths":["1","no"],"destination":"a"})").body,
            R"({"code":404,"message":"source file not found: no"})");
  EXPECT_EQ(Compose(R"({"source_paths":["folder"],"destination":"a"})").status, 400);
  EXPECT_EQ(Compose(R"({"source_paths":["1"],"destination":"a","username":"x"})").status, 401);
  EXPECT_EQ(Compose(R"({"source_paths":["1"],"destination":"folder"})").status, 400);
  EXPECT_EQ(Names(Home()), (std::vector<std::string>{"1", "folder"}));
}

}  // namespace
}  // namespace viv::agent
