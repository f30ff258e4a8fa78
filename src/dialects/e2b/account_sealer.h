#pragma once
// Seals what an account's boxes are told to send, for that account alone. Forks and snapshots keep
// what was sealed, so it is bound to the account rather than to one box.

#include <string>
#include <string_view>

#include "accounts/sealer.h"
#include "gateway/rules/plan.h"

namespace viv::e2b {

struct AccountSealer {
  const accounts::Sealer& sealer;
  std::string account_id;

  // `use` tells apart what must not be put in place of another: "e2b.rule".
  gateway::SecretText Seal(std::string_view use, std::string_view value) const {
    std::string purpose = std::string(use) + ':' + account_id;
    std::string sealed = sealer.Seal(purpose, value);
    return {gateway::SecretText::Kind::kSealed, std::move(sealed), std::move(purpose)};
  }
};

}  // namespace viv::e2b
