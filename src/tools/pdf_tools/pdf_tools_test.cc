#include "tools/pdf_tools/pdf_tools.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "tools/pdf_tools/python.h"

namespace viv::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A PDF with one line of text on each page.
std::string MakePdfBytes(const std::vector<std::string>& lines) {
  std::vector<std::string> objects = {"<< /Type /Catalog /Pages 2 0 R >>", ""};
  std::string kids;
  for (const std::string& line : lines) {
    const std::string page = std::to_string(objects.size() + 1);
    const std::string content = std::to_string(objects.size() + 2);
    const std::string stream = "BT /F1 12 Tf 72 700 Td (" + line + ") Tj ET";
    kids += page + " 0 R ";
    objects.push_back("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents " + content +
                      " 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont "
                      "/Helvetica >> >> >> >>");
    objects.push_back("<< /Length " + std::to_string(stream.size()) + " >>\nstream\n" + stream +
                      "\nendstream");
  }
  objects[1] =
      "<< /Type /Pages /Kids [" + kids + "] /Count " + std::to_string(lines.size()) + " >>";
  std::string pdf = "%PDF-1.4\n", table;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    char entry[32];
    std::snprintf(entry, sizeof entry, "%010zu 00000 n \n", pdf.size());
    table += entry;
    pdf += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const std::string count = std::to_string(objects.size() + 1);
  return pdf + "xref\n0 " + count + "\n0000000000 65535 f \n" + table + "trailer\n<< /Size " +
         count + " /Root 1 0 R >>\nstartxref\n" + std::to_string(pdf.size()) + "\n%%EOF\n";
}

class PdfToolsTest : public ::testing::Test {
 protected:
  PdfToolsTest() {
    char name[] = "/tmp/viv-pdf-XXXXXX";
    root_ = ::mkdtemp(name);
    std::filesystem::create_directories(root_ + "/data");
    server_ = MakePdfTools(tools::ToolServerOptions{.workspace = root_ + "/data", .profile = ""});
    Write("a.pdf", MakePdfBytes({"Hello one", "Hello two", "Hello three"}));
  }
  ~PdfToolsTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, std::string_view bytes) {
    std::ofstream(root_ + "/data/" + name, std::ios::binary) << bytes;
  }
  std::string Said(std::string_view tool, json::object arguments) {
    const ToolResult result =
        server_->Call(tool, std::move(arguments), CallContext{cancelled_, {}}).value();
    return (result.is_error ? "isError " : "") +
           std::string(FindString(result.content.at(0), "text"));
  }

  std::string root_;
  std::atomic<bool> cancelled_ = false;
  std::unique_ptr<ToolServer> server_;
};

TEST_F(PdfToolsTest, PythonReadsTextByTheModuleThatThereIs) {
  constexpr const char* kHasModule =
      "python3 -I -c 'import sys; from importlib.util import find_spec as f; "
      "sys.exit(not (f(\"PyPDF2\") or f(\"pypdf\")))'";
  if (std::system(kHasModule) != 0) GTEST_SKIP() << "neither PyPDF2 nor pypdf is installed";
  const auto pages = pdf::ReadTextByPyPdf2(root_ + "/data/a.pdf", 2, 3, cancelled_);
  ASSERT_TRUE(pages) << pages.error().message;
  EXPECT_THAT(*pages, ElementsAre("Hello two", "Hello three"));
}

TEST_F(PdfToolsTest, EveryToolHasAHandler) {
  EXPECT_TRUE(server_->Unbound().empty());
}

TEST_F(PdfToolsTest, ReadsPagesWithinTheirRange) {
  EXPECT_EQ(
      Said("read_pdf_pages", {{"pdf_file_path", "a.pdf"}, {"start_page", 2}, {"end_page", 3}}),
      "PDF total pages: 3\nExtracted page range: 2-3\n\n=== Page 2 ===\nHello two\n\n"
      "=== Page 3 ===\nHello three");
  EXPECT_THAT(
      Said("read_pdf_pages", {{"pdf_file_path", "a.pdf"}, {"start_page", 99}, {"end_page", -4}}),
      HasSubstr("Extracted page range: 1-3"));
  EXPECT_EQ(Said("get_pdf_info", {{"pdf_file_path", "a.pdf"}}),
            "PDF file information:\nTotal pages: 3\n");
}

TEST_F(PdfToolsTest, MergesAndExtracts) {
  EXPECT_EQ(Said("merge_pdfs", {{"pdf_paths", {"a.pdf", "a.pdf"}}, {"output_path", "m.pdf"}}),
            "Successfully merged 2 PDFs into 'm.pdf'\nTotal pages: 6");
  EXPECT_EQ(
      Said("extract_pdf_pages",
           {{"source_path", "m.pdf"}, {"page_numbers", {6, 1, 99}}, {"output_path", "e.pdf"}}),
      "Successfully extracted 2 pages from 'm.pdf' to 'e.pdf'\nExtracted pages: [6, 1]\n"
      "Source PDF total pages: 6");
  EXPECT_THAT(Said("read_pdf_pages", {{"pdf_file_path", "e.pdf"}, {"end_page", 2}}),
              HasSubstr("=== Page 1 ===\nHello three\n\n=== Page 2 ===\nHello one"));
  EXPECT_THAT(Said("extract_pdf_pages",
                   {{"source_path", "a.pdf"}, {"page_numbers", {0, 4}}, {"output_path", "e.pdf"}}),
              StartsWith("Error: No valid pages"));
  EXPECT_THAT(Said("merge_pdfs", {{"pdf_paths", {"a.pdf"}}, {"output_path", "no/m.pdf"}}),
              HasSubstr("[Errno 2]"));
  EXPECT_THAT(Said("merge_pdfs", {{"pdf_paths", {"x.pdf"}}, {"output_path", "m.pdf"}}),
              StartsWith("Error reading PDF 'x.pdf': [Errno 2]"));
}

TEST_F(PdfToolsTest, KnowsTheNamesOfItsNamesake) {
  EXPECT_THAT(Said("pdf_tools_read_pdf", {{"file_path", "a.pdf"}}), HasSubstr("Hello three"));
  EXPECT_THAT(Said("pdf_tools_get_pdf_info", {{"file_path", "a.pdf"}}),
              HasSubstr("Total pages: 3"));
  EXPECT_THAT(Said("pdf_tools_extract_pages",
                   {{"input_file", "a.pdf"}, {"output_file", "o.pdf"}, {"page_numbers", {2}}}),
              StartsWith("Successfully extracted 1 pages"));
  EXPECT_THAT(Said("pdf_tools_get_pdf_info", {}), StartsWith("isError"));
}

TEST_F(PdfToolsTest, SearchesByPages) {
  Write("b.pdf", MakePdfBytes(std::vector<std::string>(25, "needle here")));
  const std::string first =
      Said("search_pdf_content", {{"pdf_file_path", "b.pdf"}, {"pattern", "NEEDLE"}});
  ASSERT_THAT(first, StartsWith("Search ID: "));
  EXPECT_THAT(
      first, HasSubstr("Total matches: 25\nPage: 1/3\nResults per page: 10\n\nMatch 1:\n  Page: 1\n"
                       "  Text: \"needle\"\n  Context: ...[needle] here...\n\n"));
  const std::string id = first.substr(11, 8);
  EXPECT_THAT(Said("search_pdf_next_page", {{"search_id", id}}),
              HasSubstr("Page: 2/3\n\nMatch 11:"));
  EXPECT_THAT(Said("search_pdf_go_page", {{"search_id", id}, {"page_number", 3}}),
              HasSubstr("Match 25:"));
  EXPECT_EQ(Said("search_pdf_next_page", {{"search_id", id}}), "Already on last page (3/3)");
  EXPECT_THAT(Said("search_pdf_prev_page", {{"search_id", id}}), HasSubstr("Page: 2/3"));
  EXPECT_THAT(Said("search_pdf_go_page", {{"search_id", id}, {"page_number", 4}}),
              HasSubstr("out of range (1-3)"));
  EXPECT_THAT(Said("search_pdf_info", {{"search_id", id}}), HasSubstr("Current page: 2/3"));
  EXPECT_EQ(Said("search_pdf_info", {{"search_id", "nope"}}),
            "Error: Search session 'nope' not found or expired");
  EXPECT_EQ(Said("search_pdf_content", {{"pdf_file_path", "b.pdf"}, {"pattern", "zzz"}}),
            "No matches found for pattern: zzz");
  EXPECT_THAT(Said("search_pdf_content", {{"pdf_file_path", "b.pdf"}, {"pattern", "("}}),
              StartsWith("Error searching PDF"));
}

TEST_F(PdfToolsTest, NothingOutsideTheWorkspace) {
  ::symlink("/etc/passwd", (root_ + "/data/link.pdf").c_str());
  for (const char* path : {"/etc/passwd", "../x.pdf", "link.pdf"}) {
    const std::string refusal = "Error: Path '" + std::string(path) +
                                "' is outside the allowed workspace '" + root_ + "/data'";
    EXPECT_EQ(Said("read_pdf_pages", {{"pdf_file_path", path}}), refusal);
    EXPECT_EQ(Said("merge_pdfs", {{"pdf_paths", {"a.pdf"}}, {"output_path", path}}), refusal);
    EXPECT_EQ(Said("search_pdf_content", {{"pdf_file_path", path}, {"pattern", "x"}}), refusal);
    EXPECT_EQ(Said("extract_pdf_pages",
                   {{"source_path", path}, {"page_numbers", {1}}, {"output_path", "o.pdf"}}),
              refusal);
  }
}

TEST_F(PdfToolsTest, BrokenFilesAreTextErrors) {
  const std::string whole = MakePdfBytes({"x"});
  Write("empty.pdf", "");
  Write("text.pdf", "no pdf at all");
  Write("head.pdf", whole.substr(0, 40));
  Write("zeros.pdf", std::string(10'000, '\0'));
  std::filesystem::create_directory(root_ + "/data/folder.pdf");
  for (const char* name : {"empty.pdf", "text.pdf", "head.pdf", "zeros.pdf", "folder.pdf"}) {
    EXPECT_THAT(Said("read_pdf_pages", {{"pdf_file_path", name}}),
                StartsWith("Error processing PDF: "))
        << name;
    EXPECT_THAT(Said("get_pdf_info", {{"pdf_file_path", name}}),
                StartsWith("Error getting PDF information: "))
        << name;
    EXPECT_THAT(Said("merge_pdfs", {{"pdf_paths", {name}}, {"output_path", "o.pdf"}}),
                StartsWith("Error reading PDF "))
        << name;
    EXPECT_THAT(Said("search_pdf_content", {{"pdf_file_path", name}, {"pattern", "x"}}),
                StartsWith("Error: Could not extract"))
        << name;
  }
  EXPECT_EQ(Said("read_pdf_pages", {{"pdf_file_path", "none.pdf"}}),
            "Error: File not found 'none.pdf'");
}

TEST_F(PdfToolsTest, TheIndexOfDownloadsIsNotBelieved) {
  std::filesystem::create_directory(root_ + "/data/.pdf_tools_tempfiles");
  Write(".pdf_tools_tempfiles/url_tempfile_mapping.json",
        R"({"http://127.0.0.1:1/a.pdf": "/etc/passwd"})");
  EXPECT_THAT(Said("read_pdf_pages", {{"pdf_file_path", "http://127.0.0.1:1/a.pdf"}}),
              StartsWith("Error resolving path: Failed to download PDF from URL: "));
}

}  // namespace
}  // namespace viv::tools
