#include "dialects/recoup/new_box.h"

#include "accounts/budgets.h"
#include "base/log.h"
#include "dialects/recoup/account_row.h"

namespace viv::recoup {
namespace {

constexpr std::int64_t kStoppedBoxSeconds = 24 * 3600;
constexpr std::string_view kPlainTemplate = "base";

}  // namespace

boxes::CreateBox NewBoxFor(const std::string& account_id) {
  boxes::CreateBox box;
  box.account_id = account_id;
  box.template_name = kPlainTemplate;
  box.on_timeout = boxes::OnTimeout::kStop;
  box.timeout_seconds = kBoxSeconds;
  box.keep_stopped_seconds = kStoppedBoxSeconds;
  box.survives_exit = true;
  return box;
}

Task<Result<boxes::BoxPtr>> CreateFromSnapshot(Context& context, boxes::CreateBox box) {
  std::optional<AccountRow> row = FindAccountRow(context, box.account_id);
  const bool usable = row && row->snapshot_id &&
                      (!row->expires_at_us || *row->expires_at_us > context.clock() * 1000);
  if (usable) {
    boxes::CreateBox from_snapshot = box;
    from_snapshot.template_name = TemplateOfSnapshot(*row->snapshot_id);
    auto made = co_await context.boxes.Create(std::move(from_snapshot));
    if (made || accounts::ExceededBudget(made.error())) co_return made;
    log::Warn("recoup.snapshot_unusable",
              {{"snapshot", *row->snapshot_id}, {"error", made.error().message}});
  }
  co_return co_await context.boxes.Create(std::move(box));
}

}  // namespace viv::recoup
