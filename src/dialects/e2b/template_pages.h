#pragma once
// Lists of templates and snapshots, newest first, in pages.

#include <vector>

#include "dialects/e2b/query.h"
#include "http/message.h"
#include "sandbox/boxes.h"

namespace viv::e2b {

struct TemplatePage {
  std::vector<sandbox::TemplateInfo> items;
  std::string next_token;  // empty: that was all
};

// The part of `all` (any order) that limit and nextToken of `query` ask for.
TemplatePage CutPage(QueryFields& query, std::vector<sandbox::TemplateInfo> all);

}  // namespace viv::e2b
