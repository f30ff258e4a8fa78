// Any bytes may be a URL to fetch from, a redirect, a data: URL, or what git says it has.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "dialects/recoup/body.h"
#include "dialects/recoup/download.h"
#include "dialects/recoup/execution.h"
#include "dialects/recoup/git_pack.h"
#include "dialects/recoup/shapes.h"
#include "fuzz_target.h"
#include "http/url.h"

FUZZ_TARGET(recoup_text)(const std::uint8_t* data, std::size_t size) {
  namespace recoup = viv::recoup;
  std::string text(reinterpret_cast<const char*>(data), size);
  recoup::IsUrl(text);
  if (auto url = viv::http::ParseUrl(text)) {
    CHECK(!url->host.empty() && url->target.starts_with('/'));
    CHECK(url->authority.find('@') == std::string::npos);
  }
  viv::http::Url from{true, "example.com", "443", "example.com", "/a/b?c"};
  if (auto url = viv::http::ResolveRedirect(from, text)) CHECK(!url->host.empty());
  if (auto bytes = recoup::BytesOfDataUrl(text)) CHECK(bytes->size() <= text.size());
  if (auto head = recoup::ParseAdvertisement(text))
    CHECK(head->commit.empty() || head->commit.size() == 40);
  if (auto id = recoup::BoxIdOf(text)) CHECK(id->size() == 21);
  CHECK(recoup::ShellQuoted(text).size() >= text.size() + 2);
  return 0;
}
