#include "mcp/mirrored_headers.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace viv::mcp {
namespace {

constexpr const char* kUri = "demo://resource/static/document/features.md";

// What is wrong with a request of that method and these parameters; "" when nothing is.
std::string Complaint(const std::string& method,
                      json::value params,
                      const std::string& name,
                      const std::string& header_method = "") {
  http::Request request;
  if (!name.empty()) request.headers.Add("Mcp-Name", name);
  if (!header_method.empty()) request.headers.Add("Mcp-Method", header_method);
  rpc::JsonRpcMessage message;
  message.kind = rpc::JsonRpcMessage::Kind::kRequest;
  message.method = method;
  message.params = std::move(params);
  Status agreed = CheckMirroredHeaders(request, message);
  return agreed ? "" : agreed.error().message;
}

std::string Wrapped(std::string_view payload) {
  return "=?base64?" + std::string(payload) + "?=";
}

TEST(MirroredHeadersTest, MayBeMissing) {
  EXPECT_EQ(Complaint("tools/call", {{"name", "add"}}, ""), "");
  EXPECT_EQ(Complaint("tools/list", nullptr, ""), "");
}

TEST(MirroredHeadersTest, TheMethodIsTheBodys) {
  EXPECT_EQ(Complaint("tools/list", nullptr, "", "tools/list"), "");
  EXPECT_NE(Complaint("tools/list", nullptr, "", "tools/call"), "");
  EXPECT_NE(Complaint("tools/list", nullptr, "", "Tools/List"), "");
}

TEST(MirroredHeadersTest, EachMethodHasItsParameter) {
  EXPECT_EQ(Complaint("tools/call", {{"name", "add"}}, "add", "tools/call"), "");
  EXPECT_EQ(Complaint("prompts/get", {{"name", "greet"}}, "greet"), "");
  EXPECT_EQ(Complaint("resources/read", {{"uri", kUri}}, kUri, "resources/read"), "");
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    EXPECT_EQ(Complaint(method, {{"taskId", "t-1"}}, "t-1"), "") << method;
    EXPECT_NE(Complaint(method, {{"taskId", "t-1"}}, "t-2"), "") << method;
  }
  EXPECT_NE(Complaint("tools/call", {{"name", "add"}}, "remove"), "");
  EXPECT_NE(Complaint("prompts/get", {{"name", "greet"}}, "Greet"), "");
  EXPECT_NE(Complaint("resources/read", {{"uri", kUri}}, "demo://other"), "");
  EXPECT_NE(Complaint("resources/read", {{"uri", kUri}, {"name", "x"}}, "x"), "");
  EXPECT_NE(Complaint("tools/call", {{"uri", kUri}}, kUri), "");
  EXPECT_NE(Complaint("tools/call", nullptr, "add"), "");
}

TEST(MirroredHeadersTest, AMethodWithoutANameHasNothingToAgreeWith) {
  EXPECT_EQ(Complaint("tools/list", {{"name", "a"}}, "b"), "");
  EXPECT_EQ(Complaint("", nullptr, "b"), "");
}

TEST(MirroredHeadersTest, AnEncodedNameIsDecoded) {
  const std::string umlaut = "w\xc3\xb6rter";
  EXPECT_EQ(Complaint("tools/call", {{"name", umlaut}}, Wrapped(EncodeBase64(umlaut))), "");
  EXPECT_EQ(Complaint("resources/read", {{"uri", "file:///" + umlaut}},
                      Wrapped(EncodeBase64("file:///" + umlaut))),
            "");
  EXPECT_EQ(Complaint("tools/call", {{"name", "add"}}, Wrapped("YWRk")), "");
  EXPECT_EQ(
      Complaint("tools/call", {{"name", Wrapped("YWRk")}}, Wrapped(EncodeBase64(Wrapped("YWRk")))),
      "");
  EXPECT_NE(Complaint("tools/call", {{"name", Wrapped("YWRk")}}, Wrapped("YWRk")), "");
  EXPECT_NE(Complaint("tools/call", {{"name", "add"}}, Wrapped(EncodeBase64(umlaut))), "");
}

TEST(MirroredHeadersTest, BrokenBase64IsToldApart) {
  for (const char* broken : {"!!!!", "YWR", "SGVsbG8", "YW Rk", "YWRk=", "_-8="}) {
    std::string complaint = Complaint("tools/call", {{"name", "add"}}, Wrapped(broken));
    EXPECT_NE(complaint.find("not valid Base64"), std::string::npos) << broken << complaint;
  }
  // Without the whole wrapper it is a name like any other.
  EXPECT_EQ(Complaint("tools/call", {{"name", "=?base64?"}}, "=?base64?"), "");
  EXPECT_EQ(Complaint("tools/call", {{"name", "=?base64?="}}, "=?base64?="), "");
  EXPECT_EQ(Complaint("tools/call", {{"name", "=?BASE64?!?="}}, "=?BASE64?!?="), "");
}

}  // namespace
}  // namespace viv::mcp
