#pragma once
// Mail addresses as headers have them: "Ann <a@b.c>, "Doe, Joe" <j@b.c>, x@y.z (comment)".

#include <string>
#include <string_view>
#include <vector>

namespace viv::engine::functions {

struct Mailbox {
  std::string name;  // empty when there is none
  std::string address;
};

// The entries that have an address, at most kMailboxesMax; the rest is passed over.
std::vector<Mailbox> ParseMailboxes(std::string_view text);

constexpr std::size_t kMailboxesMax = 10'000;

}  // namespace viv::engine::functions
