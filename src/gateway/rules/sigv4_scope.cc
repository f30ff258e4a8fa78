// Finds the region and service of a request to AWS, and its payload hash.

#include <algorithm>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "gateway/rules/crypto.h"
#include "gateway/rules/sigv4.h"

namespace viv::gateway {
namespace {

constexpr std::string_view kContentHash = "x-amz-content-sha256";
constexpr std::string_view kUnsigned = "UNSIGNED-PAYLOAD";

// Hosts whose first label is not the service's name in signatures.
constexpr std::pair<std::string_view, std::string_view> kSigningNames[] = {
    {"bedrock-runtime", "bedrock"},
    {"bedrock-agent", "bedrock"},
    {"bedrock-agent-runtime", "bedrock"},
    {"email", "ses"},
    {"runtime.sagemaker", "sagemaker"},
    {"api.sagemaker", "sagemaker"},
    {"api.ecr", "ecr"},
    {"streams.dynamodb", "dynamodb"},
    {"transcribestreaming", "transcribe"},
    {"queue", "sqs"},
    {"api.pricing", "pricing"},
    {"s3-control", "s3"},
    {"s3-accesspoint", "s3"},
    {"s3-fips", "s3"}};

bool IsScopePart(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// "us-east-1", "us-gov-west-1": a two-letter area, a direction and a digit.
bool IsRegion(std::string_view label) {
  constexpr std::string_view kDirections[] = {"central",   "east",      "north",
                                              "northeast", "northwest", "south",
                                              "southeast", "southwest", "west"};
  std::vector<std::string_view> parts = Split(label, '-');
  if (parts.size() < 3 || parts.size() > 4 || parts[0].size() != 2) return false;
  std::string_view number = parts.back(), direction = parts[parts.size() - 2];
  return number.size() == 1 && number[0] >= '1' && number[0] <= '9' &&
         std::find(std::begin(kDirections), std::end(kDirections), direction) !=
             std::end(kDirections) &&
         parts[0][0] >= 'a' && parts[0][0] <= 'z' && parts[0][1] >= 'a' && parts[0][1] <= 'z';
}

std::string JoinLabels(const std::vector<std::string_view>& labels) {
  std::string joined;
  for (std::string_view label : labels) {
    if (!joined.empty()) joined += '.';
    joined += label;
  }
  return joined;
}

// `labels` are without the region. The last one is the service, except for services whose hosts
// begin with a resource or an operation.
std::string ServiceOf(const std::vector<std::string_view>& labels) {
  std::string_view last = labels.back();
  if (labels.size() >= 2) {
    std::string two = JoinLabels({labels[labels.size() - 2], last});
    for (const auto& [host, name] : kSigningNames)
      if (host == two) return std::string(name);
  }
  for (const auto& [host, name] : kSigningNames)
    if (host == last) return std::string(name);
  return std::string(last);
}

bool IsSha256Hex(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

}  // namespace

bool IsPresigned(std::string_view target) {
  std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return false;
  for (std::string_view pair : Split(target.substr(mark + 1), '&'))
    if (EqualsIgnoreCase(pair.substr(0, pair.find('=')), "X-Amz-Signature")) return true;
  return false;
}

std::optional<AwsScope> ScopeOfAuthorization(std::string_view authorization) {
  constexpr std::string_view kScheme = "AWS4-HMAC-SHA256 ";
  constexpr std::string_view kCredential = "Credential=";
  if (!authorization.starts_with(kScheme)) return std::nullopt;
  std::size_t at = authorization.find(kCredential);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view credential = authorization.substr(at + kCredential.size());
  credential = credential.substr(0, credential.find_first_of(", "));
  // KEY/DATE/REGION/SERVICE/aws4_request; a placeholder key may contain slashes.
  std::vector<std::string_view> parts = Split(credential, '/');
  if (parts.size() < 5 || parts.back() != "aws4_request") return std::nullopt;
  std::string_view region = parts[parts.size() - 3];
  std::string_view service = parts[parts.size() - 2];
  if (!IsScopePart(region) || !IsScopePart(service)) return std::nullopt;
  return AwsScope{std::string(region), std::string(service)};
}

std::optional<AwsScope> ScopeOfHost(std::string_view host) {
  bool known = false;
  for (std::string_view suffix : {".amazonaws.com", ".amazonaws.com.cn"}) {
    if (!host.ends_with(suffix)) continue;
    host.remove_suffix(suffix.size());
    known = true;
    break;
  }
  if (!known || host.empty()) return std::nullopt;
  std::vector<std::string_view> labels = Split(host, '.');
  std::string region = "us-east-1";
  // The last label that is a region: a bucket may be named like one.
  for (std::size_t i = labels.size(); i-- > 0;) {
    if (!IsRegion(labels[i]) || labels.size() == 1) continue;
    region = labels[i];
    labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  if (labels.size() > 1 && labels.back() == "dualstack") labels.pop_back();
  // In old hosts of S3 the region is a part of its label.
  if (labels.back().starts_with("s3-") && IsRegion(labels.back().substr(3)))
    return AwsScope{std::string(labels.back().substr(3)), "s3"};
  AwsScope scope{region, ServiceOf(labels)};
  if (!IsScopePart(scope.service)) return std::nullopt;
  return scope;
}

std::optional<AwsScope> ScopeOf(const RequestHead& head, std::string_view host) {
  if (auto told = ScopeOfAuthorization(head.headers.Get("authorization"))) return told;
  return ScopeOfHost(host);
}

bool NeedsBodyHash(const RequestHead& head, const AwsScope& scope) {
  return head.has_body && !scope.is_s3() && !IsSha256Hex(head.headers.Get(kContentHash));
}

Result<std::string> PayloadHash(const RequestHead& head,
                                const AwsScope& scope,
                                std::string_view body) {
  std::string_view told = head.headers.Get(kContentHash);
  if (told.starts_with("STREAMING-AWS4-"))
    return Fail(ErrorCode::kInvalidArgument,
                "the upload is signed chunk by chunk, which cannot be signed anew: turn chunked "
                "encoding or payload signing off in the SDK");
  // The origin verifies the hash, so a guest gains nothing by a wrong one.
  if (IsSha256Hex(told) || told == kUnsigned || told == "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
    return std::string(told);
  if (scope.is_s3() && head.has_body) return std::string(kUnsigned);
  return Hex(Sha256(body));
}

}  // namespace viv::gateway
