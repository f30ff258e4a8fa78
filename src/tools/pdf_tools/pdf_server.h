#pragma once
// What the PDF tools share. All of their failures are plain text, without isError.

#include <memory>

#include "tools/kit/tool_server.h"
#include "tools/pdf_tools/documents.h"
#include "tools/pdf_tools/search_sessions.h"

namespace viv::tools::pdf {

struct PdfServer {
  explicit PdfServer(std::string workspace) : documents(std::move(workspace)) {}

  Documents documents;
  SearchSessions searches;
};

// shared_ptr: every handler holds it, and it ends with the last of them.
void AddReadTools(ToolServer& server, const std::shared_ptr<PdfServer>& pdf);
void AddPageTools(ToolServer& server, const std::shared_ptr<PdfServer>& pdf);
void AddSearchTools(ToolServer& server, const std::shared_ptr<PdfServer>& pdf);

}  // namespace viv::tools::pdf
