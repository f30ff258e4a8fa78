#pragma once
// Lists in pages, newest first: templates, snapshots, secrets.

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dialects/e2b/query.h"

namespace viv::e2b {

template <typename Item>
struct Page {
  std::vector<Item> items;
  std::string next_token;  // empty: that was all
};

// The part of `all` (any order) that limit and nextToken of `query` ask for. Items have
// created_at_us and an id.
template <typename Item>
Page<Item> CutPage(QueryFields& query, std::vector<Item> all) {
  auto is_newer = [](const Item& a, const Item& b) {
    return std::tie(a.created_at_us, a.id) > std::tie(b.created_at_us, b.id);
  };
  Page<Item> page;
  std::size_t limit = query.Limit();
  std::optional<std::string> text = query.Text("nextToken");
  std::sort(all.begin(), all.end(), is_newer);
  auto first = all.begin();
  if (text && !text->empty()) {
    auto token = DecodePageToken(*text, PageToken::Order::kDescending);
    if (!token) {
      query.Refuse(token.error().message);
      return page;
    }
    Item last;
    last.created_at_us = token->at_us;
    last.id = token->id;
    first = std::upper_bound(all.begin(), all.end(), last, is_newer);
  }
  auto rest = static_cast<std::size_t>(all.end() - first);
  auto end = first + static_cast<std::ptrdiff_t>(std::min(limit, rest));
  page.items.assign(std::make_move_iterator(first), std::make_move_iterator(end));
  if (rest > limit)
    page.next_token = EncodePageToken({page.items.back().created_at_us, page.items.back().id});
  return page;
}

}  // namespace viv::e2b
