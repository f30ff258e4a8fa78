#include <cstdint>
#include <limits>

#include "base/text.h"
#include "base/timestamp.h"
#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/query.h"
#include "dialects/e2b/shapes.h"
#include "dialects/e2b/template_name.h"

namespace viv::e2b {
namespace {

struct ListFilter {
  std::map<std::string, std::string> metadata;
  bool running = true;
  bool paused = true;
  std::int64_t started_after_ms = std::numeric_limits<std::int64_t>::min();
  std::string template_id;    // empty: any
  std::string template_name;  // as asked for

  bool Fits(const boxes::Box& box) const {
    return FitsBesidesState(box) && (IsRunning(box) ? running : paused);
  }

  // A rebuilt template has a new id; older sandboxes still know its name.
  bool IsFromTemplate(const boxes::Box& box) const {
    std::string_view name = box.spec.template_name;
    return box.spec.template_id == template_id || name.substr(0, name.find(':')) == template_name;
  }

  bool FitsBesidesState(const boxes::Box& box) const {
    // Clients know milliseconds only.
    if (box.started_at_us / 1000 < started_after_ms) return false;
    if (!template_name.empty() && !IsFromTemplate(box)) return false;
    for (const auto& [key, value] : metadata) {
      auto found = box.spec.metadata.find(key);
      if (found == box.spec.metadata.end() || found->second != value) return false;
    }
    return true;
  }
};

void ReadStates(QueryFields& query, ListFilter& filter) {
  std::optional<std::string> states = query.Text("state");
  if (!states) return;
  filter.running = filter.paused = false;
  for (std::string_view state : Split(*states, ',')) {
    if (state == "running") {
      filter.running = true;
    } else if (state == "paused") {
      filter.paused = true;
    } else {
      query.Refuse("Invalid parameter 'state': running or paused is expected, joined by ','");
    }
  }
}

void ReadMetadataFilter(QueryFields& query, ListFilter& filter) {
  std::optional<std::string> text = query.Text("metadata");
  if (!text) return;
  auto metadata = ParseMetadataFilter(*text);
  if (metadata) {
    filter.metadata = std::move(*metadata);
  } else {
    query.Refuse(metadata.error().message);
  }
}

// An id or a name without a tag; an unknown one matches no sandbox.
void ReadTemplate(QueryFields& query,
                  const Context& context,
                  const std::string& account_id,
                  ListFilter& filter) {
  std::optional<std::string> text = query.Text("template");
  if (!text || text->empty()) return;
  auto name = ParseTemplateName(*text);
  if (!name) return query.Refuse(name.error().message);
  if (text->find(':') != std::string::npos)
    return query.Refuse("Invalid parameter 'template': an id or a name without a tag is expected");
  filter.template_name = name->alias;
  auto found = FindTemplate(context.boxes, account_id, *text);
  filter.template_id = found ? found->id : name->alias;
}

void ReadStartedAfter(QueryFields& query, ListFilter& filter) {
  std::optional<std::string> text = query.Text("startedAfter");
  if (!text) return;
  std::optional<std::int64_t> micros = ParseTime(*text);
  if (!micros) {
    query.Refuse(
        "Invalid parameter 'startedAfter': a time such as 2026-01-31T12:00:00Z is expected");
    return;
  }
  filter.started_after_ms = *micros / 1000;
}

void ReadPosition(QueryFields& query, boxes::BoxQuery& boxes) {
  auto order = PageToken::Order::kDescending;
  if (query.Choice("order", {"asc", "desc"}) == "asc") {
    order = PageToken::Order::kAscending;
    boxes.order = boxes::BoxQuery::Order::kOldestFirst;
  }
  boxes.limit = query.Limit();
  std::optional<std::string> text = query.Text("nextToken");
  if (!text || text->empty()) return;
  auto token = DecodePageToken(*text, order);
  if (!token) return query.Refuse(token.error().message);
  boxes.after = boxes::BoxSortKey{token->at_us, "", token->id};
}

std::string RenderBoxes(const std::vector<boxes::BoxPtr>& boxes) {
  std::string body = "[";
  for (const boxes::BoxPtr& box : boxes) {
    if (body.size() > 1) body += ',';
    body += WriteJson(ShowListed(*box));
  }
  return body + ']';
}

std::size_t CountRunning(const Context& context,
                         const std::string& account_id,
                         const ListFilter& filter) {
  std::size_t running = 0;
  boxes::BoxQuery query;
  query.account_id = account_id;
  query.limit = 1;
  query.accept = [&](const boxes::Box& box) {
    if (IsRunning(box) && filter.FitsBesidesState(box)) ++running;
    return false;
  };
  context.boxes.List(query);
  return running;
}

}  // namespace

Task<http::Response> ListSandboxes(Context& context, http::Request& request) {
  QueryFields query(request);
  ListFilter filter;
  boxes::BoxQuery boxes;
  boxes.account_id = request.identity.account_id;
  ReadStates(query, filter);
  ReadMetadataFilter(query, filter);
  ReadTemplate(query, context, boxes.account_id, filter);
  ReadStartedAfter(query, filter);
  ReadPosition(query, boxes);
  if (!query.ok()) co_return RenderError(query.error());
  boxes.accept = [&filter](const boxes::Box& box) { return filter.Fits(box); };
  boxes::BoxPage page = context.boxes.List(boxes);
  http::Response response = http::Json(200, RenderBoxes(page.boxes));
  if (page.has_more && !page.boxes.empty()) {
    const boxes::Box& last = *page.boxes.back();
    auto order = boxes.order == boxes::BoxQuery::Order::kOldestFirst
                     ? PageToken::Order::kAscending
                     : PageToken::Order::kDescending;
    response.headers.Set("X-Next-Token", EncodePageToken({last.started_at_us, last.id, order}));
  }
  if (filter.running) {
    std::size_t running = CountRunning(context, boxes.account_id, filter);
    response.headers.Set("X-Total-Running", std::to_string(running));
  }
  co_return response;
}

// The older list: all that run, in one answer.
Task<http::Response> ListRunningSandboxes(Context& context, http::Request& request) {
  QueryFields query(request);
  ListFilter filter;
  filter.paused = false;
  ReadMetadataFilter(query, filter);
  if (!query.ok()) co_return RenderError(query.error());
  boxes::BoxQuery boxes;
  boxes.account_id = request.identity.account_id;
  boxes.limit = SIZE_MAX;
  boxes.accept = [&filter](const boxes::Box& box) { return filter.Fits(box); };
  co_return http::Json(200, RenderBoxes(context.boxes.List(boxes).boxes));
}

}  // namespace viv::e2b
