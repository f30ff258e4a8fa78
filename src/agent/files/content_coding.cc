#include "agent/files/content_coding.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/text.h"

namespace viv::agent {
namespace {

constexpr std::size_t kCodingsMax = 32;

struct OfferedCoding {
  std::string name;
  int weight = 1000;  // thousandths
};

// "0.5" as 500. What is no weight counts as one.
int ParseWeight(std::string_view text) {
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return 1000;
  int weight = text[0] == '1' ? 1000 : 0;
  if (text.size() < 2 || text[1] != '.') return weight;
  int unit = 100;
  for (char c : text.substr(2, 3)) {
    if (c < '0' || c > '9') break;
    weight += (c - '0') * unit;
    unit /= 10;
  }
  return std::min(weight, 1000);
}

std::vector<OfferedCoding> ParseOffers(std::string_view header) {
  std::vector<OfferedCoding> offers;
  for (std::string_view part : Split(header, ',')) {
    if (offers.size() == kCodingsMax) break;
    std::vector<std::string_view> fields = Split(part, ';');
    OfferedCoding offer{ToLower(Trim(fields[0]))};
    for (std::size_t at = 1; at < fields.size(); ++at) {
      std::string field = ToLower(Trim(fields[at]));
      if (field.starts_with("q=")) offer.weight = ParseWeight(std::string_view(field).substr(2));
    }
    if (!offer.name.empty()) offers.push_back(std::move(offer));
  }
  std::stable_sort(offers.begin(), offers.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  return offers;
}

bool RefusesIdentityIn(const std::vector<OfferedCoding>& offers) {
  return std::any_of(offers.begin(), offers.end(), [](const OfferedCoding& offer) {
    return offer.name == "identity" && offer.weight == 0;
  });
}

}  // namespace

std::optional<ContentCoding> ChooseContentCoding(std::string_view accept_encoding) {
  std::vector<OfferedCoding> offers = ParseOffers(accept_encoding);
  bool refuses_identity = RefusesIdentityIn(offers);
  for (const OfferedCoding& offer : offers) {
    if (offer.weight == 0) continue;
    if (offer.name == "identity") return ContentCoding::kIdentity;
    if (offer.name == "gzip") return ContentCoding::kGzip;
    if (offer.name == "*")
      return refuses_identity ? ContentCoding::kGzip : ContentCoding::kIdentity;
  }
  if (refuses_identity) return std::nullopt;
  return ContentCoding::kIdentity;
}

bool RefusesIdentity(std::string_view accept_encoding) {
  return RefusesIdentityIn(ParseOffers(accept_encoding));
}

std::optional<ContentCoding> ParseContentEncoding(std::string_view content_encoding) {
  std::string name = ToLower(Trim(content_encoding));
  if (name.empty() || name == "identity") return ContentCoding::kIdentity;
  if (name == "gzip") return ContentCoding::kGzip;
  return std::nullopt;
}

}  // namespace viv::agent
