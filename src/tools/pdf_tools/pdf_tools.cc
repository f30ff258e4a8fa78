#include "tools/pdf_tools/pdf_tools.h"

#include "tools/pdf_tools/pdf_server.h"

namespace viv {
extern const std::string_view kPdfToolsTools;
}

namespace viv::tools {
namespace {

// Another server of this name has three tools, which some agents know. What it calls its arguments,
// and what ours calls them.
using Renames = std::vector<std::pair<std::string_view, std::string_view>>;

ToolServer::Translate Renaming(Renames renames, json::object more = {}) {
  return [renames = std::move(renames), more = std::move(more)](json::object given) {
    json::object arguments = more;
    for (const auto& [theirs, ours] : renames)
      if (const json::value* value = given.if_contains(theirs)) arguments[ours] = *value;
    return arguments;
  };
}

void AddOtherNames(ToolServer& server) {
  constexpr int kLastPage = 1000;  // its reader gives the whole file
  server.Alias("pdf_tools_read_pdf", "read_pdf_pages",
               Renaming({{"file_path", "pdf_file_path"}}, {{"end_page", kLastPage}}));
  server.Alias("pdf_tools_get_pdf_info", "get_pdf_info",
               Renaming({{"file_path", "pdf_file_path"}}));
  server.Alias("pdf_tools_extract_pages", "extract_pdf_pages",
               Renaming({{"input_file", "source_path"},
                         {"output_file", "output_path"},
                         {"page_numbers", "page_numbers"}}));
}

}  // namespace

std::unique_ptr<ToolServer> MakePdfTools(const ToolServerOptions& options) {
  ServerInfo info{.name = "pdf-tools",
                  .version = "0.1.4",
                  .instructions = "",
                  .errors = ArgumentErrors::kPydantic};
  auto server = std::make_unique<ToolServer>(std::move(info), kPdfToolsTools);
  auto pdf = std::make_shared<pdf::PdfServer>(options.workspace);
  pdf::AddReadTools(*server, pdf);
  pdf::AddPageTools(*server, pdf);
  pdf::AddSearchTools(*server, pdf);
  AddOtherNames(*server);
  return server;
}

}  // namespace viv::tools
