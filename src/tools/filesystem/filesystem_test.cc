#include "tools/filesystem/filesystem.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/ids.h"

namespace viv::tools {
namespace {

class FilesystemTest : public ::testing::Test {
 protected:
  void SetUp() override {
    outside_ = std::filesystem::temp_directory_path() / ("viv-fs-" + RandomHex(12));
    root_ = outside_ / "data";
    std::filesystem::create_directories(root_);
    server_ = MakeFilesystem(tools::ToolServerOptions{.workspace = root_.string(), .profile = ""});
  }
  void TearDown() override { std::filesystem::remove_all(outside_); }

  void Put(const std::string& name, std::string_view bytes) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << bytes;
  }
  std::string Get(const std::string& name) {
    std::ifstream file(root_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string At(const std::string& name) { return (root_ / name).string(); }

  ToolResult Call(std::string_view tool, json::object arguments) {
    const CallContext context{cancelled_, {}};
    auto result = server_->Call(tool, std::move(arguments), context);
    EXPECT_TRUE(result.has_value());
    return result ? *result : ToolResult{};
  }
  // What a call says; a failure with "! " before it.
  std::string Says(std::string_view tool, json::object arguments) {
    const ToolResult answer = Call(tool, std::move(arguments));
    const std::string text(answer.content.at(0).at("text").get_string());
    EXPECT_EQ(answer.structured.has_value(), !answer.is_error);
    if (answer.structured) {
      EXPECT_EQ(answer.structured->at("content"), json::value(text));
    }
    return answer.is_error ? "! " + text : text;
  }

  std::filesystem::path outside_, root_;
  std::unique_ptr<ToolServer> server_;
  std::atomic<bool> cancelled_{false};
};

TEST_F(FilesystemTest, EveryToolHasAHandlerAndAnAlias) {
  EXPECT_TRUE(server_->Unbound().empty());
  Put("a", "text");
  EXPECT_EQ(Says("filesystem_read_text_file", {{"path", "a"}}), "text");
}

TEST_F(FilesystemTest, RefusesPathsThatLeaveTheWorkspace) {
  std::ofstream(outside_ / "secret") << "s";
  std::filesystem::create_symlink(outside_ / "secret", root_ / "link");
  std::filesystem::create_symlink(outside_, root_ / "folder");
  const std::string secret = (outside_ / "secret").string();
  const std::string denied = "! Access denied - ", where = " not in " + root_.string();
  for (std::string_view tool : {"read_text_file", "get_file_info", "list_directory",
                                "directory_tree", "create_directory"}) {
    EXPECT_EQ(Says(tool, {{"path", "../secret"}}),
              denied + "path outside allowed directories: " + secret + where);
    EXPECT_EQ(Says(tool, {{"path", "link"}}),
              denied + "symlink target outside allowed directories: " + secret + where);
  }
  EXPECT_EQ(Says("write_file", {{"path", "folder/new"}, {"content", "x"}}),
            "! Parent directory does not exist: " + At("folder"));
  EXPECT_EQ(Says("move_file", {{"source", "link"}, {"destination", "x"}}),
            denied + "symlink target outside allowed directories: " + secret + where);
  EXPECT_TRUE(Says("write_file", {{"path", "/etc/x"}, {"content", "x"}}).starts_with(denied));
  EXPECT_TRUE(Says("read_text_file", {{"path", std::string("a\0b", 3)}}).starts_with(denied));
  EXPECT_TRUE(
      Says("search_files", {{"path", root_.string() + "x"}, {"pattern", "*"}}).starts_with(denied));
}

TEST_F(FilesystemTest, SaysWhatIsMissingAsNodeDoes) {
  Put("file", "x");
  EXPECT_EQ(Says("read_text_file", {{"path", "no"}}),
            "! ENOENT: no such file or directory, open '" + At("no") + "'");
  EXPECT_EQ(Says("list_directory", {{"path", "no"}}),
            "! ENOENT: no such file or directory, scandir '" + At("no") + "'");
  EXPECT_EQ(Says("get_file_info", {{"path", "no"}}),
            "! ENOENT: no such file or directory, stat '" + At("no") + "'");
  EXPECT_EQ(Says("list_directory", {{"path", "file"}}),
            "! ENOTDIR: not a directory, scandir '" + At("file") + "'");
  EXPECT_EQ(Says("read_text_file", {{"path", "file/x"}}),
            "! ENOTDIR: not a directory, realpath '" + At("file/x") + "'");
  EXPECT_EQ(Says("read_text_file", {{"path", "no/x"}}),
            "! Parent directory does not exist: " + At("no"));
  EXPECT_EQ(Says("read_text_file", {{"path", "."}}),
            "! EISDIR: illegal operation on a directory, read");
  EXPECT_EQ(Says("create_directory", {{"path", "file"}}),
            "! EEXIST: file already exists, mkdir '" + At("file") + "'");
  EXPECT_EQ(Says("move_file", {{"source", "no"}, {"destination", "to"}}),
            "! ENOENT: no such file or directory, rename '" + At("no") + "' -> '" + At("to") + "'");
}

TEST_F(FilesystemTest, LinksInCirclesAndToNowhereFail) {
  std::filesystem::create_symlink("b", root_ / "a");
  std::filesystem::create_symlink("a", root_ / "b");
  std::filesystem::create_symlink("nowhere", root_ / "c");
  EXPECT_EQ(Says("read_text_file", {{"path", "a"}}),
            "! ELOOP: too many symbolic links encountered, realpath '" + At("a") + "'");
  EXPECT_EQ(Says("read_text_file", {{"path", "c"}}),
            "! ENOENT: no such file or directory, open '" + At("c") + "'");
  // Writing replaces such a link by a file.
  EXPECT_EQ(Says("write_file", {{"path", "c"}, {"content", "x"}}), "Successfully wrote to c");
  EXPECT_FALSE(std::filesystem::is_symlink(root_ / "c"));
}

TEST_F(FilesystemTest, DoesNotWaitForPipes) {
  ASSERT_EQ(::mkfifo(At("pipe").c_str(), 0600), 0);
  for (std::string_view tool : {"read_text_file", "read_media_file"})
    EXPECT_EQ(
        Says(tool, {{"path", "pipe"}}),
        "! " + At("pipe") + " is not a regular file: pipes, sockets and devices cannot be read");
  EXPECT_TRUE(Says("edit_file", {{"path", "pipe"}, {"edits", json::array()}}).starts_with("! "));
  EXPECT_TRUE(Says("get_file_info", {{"path", "pipe"}}).find("isFile: false") != std::string::npos);
  EXPECT_EQ(Says("list_directory", {{"path", "."}}), "[FILE] pipe");
}

TEST_F(FilesystemTest, ReadsHeadsAndTails) {
  Put("f", "a\r\nb\nc\n");
  const auto head = [&](double n) { return Says("read_text_file", {{"path", "f"}, {"head", n}}); };
  const auto tail = [&](double n) { return Says("read_file", {{"path", "f"}, {"tail", n}}); };
  EXPECT_EQ(head(1), "a\r");
  EXPECT_EQ(head(1.5), "a\r\nb");
  EXPECT_EQ(head(3), "a\r\nb\nc");
  EXPECT_EQ(head(99), "a\r\nb\nc");
  EXPECT_EQ(head(-1), "");
  EXPECT_EQ(head(0), "a\r\nb\nc\n");
  EXPECT_EQ(tail(1), "");
  EXPECT_EQ(tail(2), "c\n");
  EXPECT_EQ(tail(99), "a\nb\nc\n");
  EXPECT_EQ(tail(-1), "");
  EXPECT_EQ(Says("read_file", {{"path", "f"}, {"head", 1}, {"tail", 1}}),
            "! Cannot specify both head and tail parameters simultaneously");
}

TEST_F(FilesystemTest, ReadsPartsOfFilesTooLargeForTheWhole) {
  Put("huge", "first\n");
  ASSERT_EQ(::truncate(At("huge").c_str(), off_t{1} << 30), 0);
  std::ofstream(root_ / "huge", std::ios::app) << "\nlast";
  EXPECT_EQ(Says("read_text_file", {{"path", "huge"}}),
            "! " + At("huge") +
                " has more than 12 MiB to read at once: use head or tail to read a part of it");
  EXPECT_EQ(Says("read_text_file", {{"path", "huge"}, {"head", 1}}), "first");
  EXPECT_EQ(Says("read_text_file", {{"path", "huge"}, {"tail", 1}}), "last");
  EXPECT_TRUE(Says("read_text_file", {{"path", "huge"}, {"tail", 2}}).starts_with("! "));
  EXPECT_TRUE(Says("read_media_file", {{"path", "huge"}}).starts_with("! "));
  EXPECT_NE(Says("read_multiple_files", {{"paths", {"huge"}}}).find("huge: Error - "),
            std::string::npos);
  EXPECT_TRUE(Says("edit_file", {{"path", "huge"}, {"edits", json::array()}}).starts_with("! "));
}

TEST_F(FilesystemTest, RefusesAnswersThatCouldNotBePassedOn) {
  const std::string refusal = "! The answer would be too large to pass on: ask for less at once";
  Put("nuls", std::string(4 << 20, '\0'));
  Put("broken", std::string(6 << 20, '\xff'));
  EXPECT_EQ(Says("read_text_file", {{"path", "nuls"}}), refusal);
  EXPECT_EQ(Says("read_text_file", {{"path", "broken"}}), refusal);
  EXPECT_EQ(Says("read_multiple_files", {{"paths", {"broken"}}}), refusal);
  const json::array edits{{{"oldText", ""}, {"newText", std::string(3 << 20, '\0')}}};
  EXPECT_TRUE(Says("edit_file", {{"path", "nuls"}, {"edits", edits}}).starts_with("! The diff "));
  EXPECT_EQ(Get("nuls").size(), std::size_t{4 << 20});
}

TEST_F(FilesystemTest, DecodesBrokenTextAsNodeDoes) {
  Put("bin", "\xff\xfe\x41\xe2\x82\x42\xc0\x80");
  EXPECT_EQ(Says("read_text_file", {{"path", "bin"}}), "��A�B��");
  // Editing leaves the bytes it does not touch alone.
  EXPECT_FALSE(
      Says("edit_file", {{"path", "bin"}, {"edits", {{{"oldText", "A"}, {"newText", "Z"}}}}})
          .starts_with("!"));
  EXPECT_EQ(Get("bin"), "\xff\xfe\x5a\xe2\x82\x42\xc0\x80");
}

TEST_F(FilesystemTest, OneUnreadableFileDoesNotStopTheOthers) {
  Put("a", "A\n");
  EXPECT_EQ(Says("read_multiple_files", {{"paths", {"a", "no", "a"}}}),
            "a:\nA\n\n\n---\nno: Error - ENOENT: no such file or directory, open '" + At("no") +
                "'\n---\na:\nA\n\n");
}

TEST_F(FilesystemTest, GivesMediaWithTheirTypes) {
  Put("x.PNG", "\x01\x02");
  Put("a b#.dat", "z");
  const ToolResult image = Call("read_media_file", {{"path", "x.PNG"}});
  EXPECT_EQ(WriteJson(image.content), R"([{"type":"image","data":"AQI=","mimeType":"image/png"}])");
  EXPECT_EQ(image.structured->at("content"), json::value(image.content));
  const ToolResult other = Call("read_media_file", {{"path", "a b#.dat"}});
  EXPECT_EQ(WriteJson(other.content),
            R"([{"type":"resource","resource":{"uri":"file://)" + root_.string() +
                R"(/a%20b%23.dat","mimeType":"application/octet-stream","blob":"eg=="}}])");
}

TEST_F(FilesystemTest, WritesAndMovesOverWhatIsThere) {
  EXPECT_EQ(Says("write_file", {{"path", "a"}, {"content", "1"}}), "Successfully wrote to a");
  ASSERT_EQ(::chmod(At("a").c_str(), 0640), 0);
  EXPECT_EQ(Says("write_file", {{"path", "a"}, {"content", "2"}}), "Successfully wrote to a");
  struct stat status {};
  ASSERT_EQ(::stat(At("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  Put("b", "old");
  EXPECT_EQ(Says("move_file", {{"source", "a"}, {"destination", "b"}}),
            "Successfully moved a to b");
  EXPECT_EQ(Get("b"), "2");
  EXPECT_EQ(Says("create_directory", {{"path", "d"}}), "Successfully created directory d");
  EXPECT_EQ(Says("create_directory", {{"path", "d"}}), "Successfully created directory d");
  EXPECT_EQ(Says("create_directory", {{"path", "x/y"}}),
            "! Parent directory does not exist: " + At("x"));
  EXPECT_EQ(Says("write_file", {{"path", "d"}, {"content", ""}}),
            "! EISDIR: illegal operation on a directory, open '" + At("d") + "'");
  EXPECT_TRUE(Says("move_file", {{"source", "."}, {"destination", "d/x"}}).starts_with("! EINVAL"));
  EXPECT_EQ(Says("list_directory", {{"path", "."}}), "[FILE] b\n[DIR] d");  // and no leftovers
}

TEST_F(FilesystemTest, EditsShowADiffAndAreAllMadeOrNone) {
  Put("f", "one\r\ntwo\r\n");
  const auto edits = [](std::string_view old_text, std::string_view new_text) {
    return json::array{{{"oldText", old_text}, {"newText", new_text}}};
  };
  const std::string diff = "```diff\nIndex: " + At("f") + "\n" + std::string(67, '=') + "\n--- " +
                           At("f") + "\toriginal\n+++ " + At("f") +
                           "\tmodified\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n```\n\n";
  EXPECT_EQ(Says("edit_file", {{"path", "f"}, {"edits", edits("one", "1")}, {"dryRun", true}}),
            diff);
  EXPECT_EQ(Get("f"), "one\r\ntwo\r\n");
  EXPECT_EQ(Says("edit_file", {{"path", "f"}, {"edits", edits("one", "1")}}), diff);
  EXPECT_EQ(Get("f"), "1\ntwo\n");
  json::array both = edits("1", "one");
  both.push_back(edits("three", "3").front());
  EXPECT_EQ(Says("edit_file", {{"path", "f"}, {"edits", both}}),
            "! Could not find exact match for edit:\nthree");
  EXPECT_EQ(Get("f"), "1\ntwo\n");
  Put("ticks", "a\n```\n");
  EXPECT_TRUE(
      Says("edit_file", {{"path", "ticks"}, {"edits", edits("a", "b")}}).starts_with("````diff\n"));
}

TEST_F(FilesystemTest, ListsFoldersWithSizes) {
  Put("Zed", std::string(1536, 'x'));
  Put("a\nb", "1");
  Put("d/x", "1");
  std::filesystem::create_symlink("Zed", root_ / "link");
  std::filesystem::create_symlink("/etc", root_ / "out");
  EXPECT_EQ(Says("list_directory", {{"path", "."}}),
            "[FILE] Zed\n[FILE] a\nb\n[DIR] d\n[FILE] link\n[FILE] out");
  const auto line = [](const std::string& name, const std::string& size) {
    return name + std::string(37 - name.size(), ' ') + " " + size + "\n";
  };
  EXPECT_EQ(Says("list_directory_with_sizes", {{"path", "."}}),
            line("[FILE] a\nb", "       1 B") + "[DIR] d" + std::string(30, ' ') + "\n" +
                line("[FILE] link", "   1.50 KB") + line("[FILE] out", "       0 B") +
                line("[FILE] Zed", "   1.50 KB") +
                "\nTotal: 4 files, 1 directories\nCombined size: 3.00 KB");
  const std::string by_size =
      Says("list_directory_with_sizes", {{"path", "."}, {"sortBy", "size"}});
  EXPECT_LT(by_size.find("Zed"), by_size.find("link"));
  EXPECT_LT(by_size.find("link"), by_size.find("a\nb"));
}

TEST_F(FilesystemTest, ShowsTreesWithoutWhatIsExcluded) {
  Put("a/b.txt", "");
  Put("node_modules/x", "");
  std::filesystem::create_symlink(".", root_ / "self");
  EXPECT_EQ(Says("directory_tree", {{"path", "."}, {"excludePatterns", {"node_modules"}}}),
            R"([
  {
    "name": "a",
    "type": "directory",
    "children": [
      {
        "name": "b.txt",
        "type": "file"
      }
    ]
  },
  {
    "name": "self",
    "type": "file"
  }
])");
  EXPECT_EQ(Says("directory_tree", {{"path", "."}, {"excludePatterns", {"*", "**/*"}}}), "[]");
}

TEST_F(FilesystemTest, DeepTreesAreRefusedRatherThanFollowed) {
  std::filesystem::path deep = root_;
  for (int i = 0; i < 300; ++i) deep /= "d";
  std::filesystem::create_directories(deep);
  EXPECT_TRUE(Says("directory_tree", {{"path", "."}}).starts_with("! The tree of "));
  EXPECT_NE(Says("search_files", {{"path", "."}, {"pattern", "d/d"}}), "No matches found");
}

TEST_F(FilesystemTest, SearchesByGlobWithoutFollowingLinksOut) {
  Put("a.txt", "");
  Put("s/b.txt", "");
  Put("s/t/c.md", "");
  std::filesystem::create_symlink("/etc", root_ / "out.txt");
  std::filesystem::create_symlink("nowhere", root_ / "w.txt");
  EXPECT_EQ(Says("search_files", {{"path", "."}, {"pattern", "**/*.txt"}}),
            At("a.txt") + "\n" + At("s/b.txt") + "\n" + At("w.txt"));
  EXPECT_EQ(Says("search_files",
                 {{"path", "."}, {"pattern", "**/*"}, {"excludePatterns", {"*.txt", "s/t"}}}),
            At("s") + "\n" + At("s/b.txt"));
  EXPECT_EQ(Says("search_files", {{"path", "."}, {"pattern", "c.md"}}), "No matches found");
}

TEST_F(FilesystemTest, StopsWhenTheCallerGivesUp) {
  Put("a", "");
  cancelled_ = true;
  EXPECT_EQ(Says("search_files", {{"path", "."}, {"pattern", "*"}}), "! The call was cancelled");
  EXPECT_EQ(Says("directory_tree", {{"path", "."}}), "! The call was cancelled");
}

TEST_F(FilesystemTest, TellsAboutFiles) {
  Put("f", "12345");
  ASSERT_EQ(::chmod(At("f").c_str(), 0604), 0);
  timespec times[2] = {{1700000000, 0}, {1700000001, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, At("f").c_str(), times, 0), 0);
  const std::string text = Says("get_file_info", {{"path", "f"}});
  EXPECT_TRUE(text.starts_with("size: 5\ncreated: ")) << text;
  EXPECT_TRUE(
      text.ends_with("\nmodified: Tue Nov 14 2023 22:13:21 GMT+0000 (Coordinated Universal Time)"
                     "\naccessed: Tue Nov 14 2023 22:13:20 GMT+0000 (Coordinated Universal Time)"
                     "\nisDirectory: false\nisFile: true\npermissions: 604"))
      << text;
  EXPECT_EQ(Says("list_allowed_directories", {}), "Allowed directories:\n" + root_.string());
}

}  // namespace
}  // namespace viv::tools
