// Any text may stand in a metadata filter, a page token, a time or a template's name; what can be
// read can be written again and means the same.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/base64.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "dialects/e2b/query.h"
#include "dialects/e2b/template_name.h"
#include "fuzz_target.h"

FUZZ_TARGET(e2b_query)(const std::uint8_t* data, std::size_t size) {
  using viv::e2b::PageToken;
  std::string text(reinterpret_cast<const char*>(data), size);

  auto filter = viv::e2b::ParseMetadataFilter(text);
  if (filter) {
    for (const auto& [key, value] : *filter) CHECK(key.size() + value.size() < text.size());
  }
  // The text as a token, and as what a token holds.
  for (const std::string& token : {text, viv::EncodeBase64Url(text)}) {
    for (auto wanted : {PageToken::Order::kDescending, PageToken::Order::kAscending}) {
      auto decoded = viv::e2b::DecodePageToken(token, wanted);
      if (!decoded) continue;
      auto again = viv::e2b::DecodePageToken(viv::e2b::EncodePageToken(*decoded), wanted);
      CHECK(again && *again == *decoded);
    }
  }
  if (auto time = viv::ParseTime(text)) CHECK(viv::ParseTime(viv::TimeText(*time)) == time);
  if (auto name = viv::e2b::ParseTemplateName(text)) {
    auto again = viv::e2b::ParseTemplateName(name->Plain());
    CHECK(again && again->Plain() == name->Plain());
  }

  viv::http::Request request;
  request.query = text;
  viv::e2b::QueryFields query(request);
  query.Limit();
  query.Text("metadata");
  return 0;
}
