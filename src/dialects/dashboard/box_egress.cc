#include "dialects/dashboard/box_egress.h"

#include <charconv>

#include "base/text.h"
#include "boxes/box_ids.h"
#include "dialects/dashboard/context.h"

namespace viv::dashboard {
namespace {

constexpr std::size_t kEgressRecordsDefault = 100;
constexpr std::size_t kEgressRecordsMax = 1000;

Result<std::size_t> ReadEgressLimit(const http::Request& request) {
  std::optional<std::string> text = request.Query("limit");
  if (!text) return kEgressRecordsDefault;
  std::size_t limit = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
  if (error != std::errc() || end != text->data() + text->size() || limit < 1 ||
      limit > kEgressRecordsMax)
    return Fail(ErrorCode::kInvalidArgument, "limit: a whole number from 1 to 1000 is expected");
  return limit;
}

Result<boxes::BoxPtr> FindOwnBox(const boxes::Boxes& boxes,
                                 std::string_view account_id,
                                 std::string_view ref) {
  const std::optional<std::string> id = boxes::BoxOfUuid(ref);
  if (auto found = boxes.Get(account_id, id ? *id : std::string(ref))) return found;
  if (auto named = boxes.GetByName(account_id, ref)) return named;
  return Fail(ErrorCode::kNotFound,
              "box '" + Printable(ref) + "' does not exist: `viv ls` lists yours");
}

}  // namespace

http::Response EgressRecords(const boxes::Boxes& boxes, const http::Request& request) {
  auto limit = ReadEgressLimit(request);
  if (!limit) return RenderError(limit.error());
  const std::string& account_id = request.identity.account_id;
  auto box = FindOwnBox(boxes, account_id, request.Parameter("id"));
  if (!box) return RenderError(box.error());
  auto records = boxes.EgressLog(account_id, (*box)->id, *limit);
  if (!records) return RenderError(records.error());
  json::array list;
  for (json::object& record : *records) list.push_back(std::move(record));
  return http::Json(200, WriteJson(json::object{{"records", std::move(list)}}));
}

Task<http::Response> ShowEgress(Context& context, http::Request& request) {
  if (context.boxes == nullptr)
    co_return Failure(503, "unavailable", "this server runs no boxes: start it with --boxes on");
  co_return EgressRecords(*context.boxes, request);
}

}  // namespace viv::dashboard
