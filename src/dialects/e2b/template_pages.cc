#include "dialects/e2b/template_pages.h"

#include <algorithm>
#include <tuple>

namespace viv::e2b {
namespace {

bool IsNewer(const sandbox::TemplateInfo& a, const sandbox::TemplateInfo& b) {
  return std::tie(a.created_at_us, a.id) > std::tie(b.created_at_us, b.id);
}

}  // namespace

TemplatePage CutPage(QueryFields& query, std::vector<sandbox::TemplateInfo> all) {
  TemplatePage page;
  std::size_t limit = query.Limit();
  std::optional<std::string> text = query.Text("nextToken");
  std::sort(all.begin(), all.end(), IsNewer);
  auto first = all.begin();
  if (text && !text->empty()) {
    auto token = DecodePageToken(*text, PageToken::Order::kDescending);
    if (!token) {
      query.Refuse(token.error().message);
      return page;
    }
    sandbox::TemplateInfo last;
    last.created_at_us = token->at_us;
    last.id = token->id;
    first = std::upper_bound(all.begin(), all.end(), last, IsNewer);
  }
  auto rest = static_cast<std::size_t>(all.end() - first);
  auto end = first + static_cast<std::ptrdiff_t>(std::min(limit, rest));
  page.items.assign(std::make_move_iterator(first), std::make_move_iterator(end));
  if (rest > limit) {
    const sandbox::TemplateInfo& last = page.items.back();
    page.next_token = EncodePageToken({last.created_at_us, last.id});
  }
  return page;
}

}  // namespace viv::e2b
