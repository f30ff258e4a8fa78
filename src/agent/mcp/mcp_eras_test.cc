// Servers and callers of either era of the protocol. The server here is strict, as the newest SDKs
// are: the first request decides its era, and what belongs to the other is refused.

#include <gmock/gmock.h>

#include "agent/mcp/mcp_test_support.h"

namespace viv::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kStrictServer[] = R"PY(
import json, sys
eras, era = sys.argv[1].split(","), None
KEY = "io.modelcontextprotocol/"
def say(m): print(json.dumps(m), flush=True)
for line in sys.stdin:
    m = json.loads(line); id = m.get("id"); params = m.get("params") or {}
    meta = params.get("_meta") or {}
    envelope = KEY + "protocolVersion" in meta
    def fail(code, text, **data): say({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text, "data": data}})
    if id is None: continue
    if era is None: era = "modern" if envelope and m["method"] != "initialize" else "handshake"
    if era not in eras:
        fail(-32022, "not in this era", supported=["2026-07-28"])
        era = None
    elif era == "handshake" and envelope: fail(-32600, "this connection serves the handshake era")
    elif era == "modern" and not envelope: fail(-32602, "the envelope is missing")
    elif m["method"] == "initialize":
        say({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}, "resources": {"subscribe": True}}, "serverInfo": {"name": "strict", "version": "1"}}})
    elif m["method"] == "server/discover":
        say({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "instructions": "be modern",
             "_meta": {KEY + "serverInfo": {"name": "strict", "version": "2"}}}})
    elif m["method"] == "ask": say({"jsonrpc": "2.0", "id": id, "result": {"resultType": "input_required", "inputRequests": {}}})
    elif m["method"] == "log":
        for level in ("debug", "error"):
            say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": level, "data": level}})
        say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        say({"jsonrpc": "2.0", "id": id, "result": {}})
    else: say({"jsonrpc": "2.0", "id": id, "result": {"era": era, "client": meta.get(KEY + "clientInfo", {}).get("name"), "params": params}})
)PY";

constexpr char kCallersEnvelope[] =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"caller","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{},"x":1)";

class McpErasTest : public McpFixture {
 protected:
  McpErasTest() { std::ofstream(folder_ + "/strict.py") << kStrictServer; }

  void Serve(const std::string& eras) { command_ = {"python3", folder_ + "/strict.py", eras}; }
  json::value CallOld(const std::string& method) {
    version_ = "2025-11-25";
    return Call(method, R"({"n":1})");
  }
  json::value CallModern(const std::string& method) {
    version_ = "2026-07-28";
    return Call(method, "{" + std::string(kCallersEnvelope) + R"(},"n":1})");
  }
};

TEST_F(McpErasTest, EveryCallerReachesAServerOfTheHandshake) {
  for (const char* eras : {"handshake", "handshake,modern"}) {
    Serve(eras);
    json::value old = CallOld("tools/list").at("result");
    EXPECT_EQ(WriteJson(old.at("params")), R"({"n":1})");
    json::value modern = CallModern("tools/list").at("result");
    EXPECT_EQ(FindString(modern, "era"), "handshake");
    EXPECT_EQ(FindString(modern, "resultType"), "complete");
    EXPECT_EQ(WriteJson(modern.at("params")), R"({"_meta":{"x":1},"n":1})");
    json::value discovered = CallModern("server/discover").at("result");
    EXPECT_EQ(FindString(discovered, "resultType"), "complete");
    EXPECT_EQ(WriteJson(discovered.at("capabilities")), R"({"tools":{},"resources":{}})");
  }
}

TEST_F(McpErasTest, EveryCallerReachesAServerWithoutTheHandshake) {
  Serve("modern");
  version_ = "2025-11-25";
  json::value initialize_result =
      Call("initialize", R"({"protocolVersion":"2025-06-18"})").at("result");
  EXPECT_EQ(FindString(initialize_result, "protocolVersion"), "2025-06-18");
  EXPECT_EQ(FindString(initialize_result, "instructions"), "be modern");
  EXPECT_EQ(FindString(initialize_result.at("serverInfo"), "version"), "2");
  json::value old = CallOld("tools/list").at("result");
  EXPECT_EQ(FindString(old, "era"), "modern");
  EXPECT_EQ(FindString(old, "client"), "vivarium");
  json::value modern = CallModern("tools/list").at("result");
  EXPECT_EQ(FindString(modern, "client"), "caller");
  EXPECT_EQ(FindString(modern, "resultType"), "complete");
  EXPECT_TRUE(CallModern("server/discover").at("result").at("capabilities").is_object());
}

TEST_F(McpErasTest, OnlyAModernCallerCanBeAskedForInput) {
  Serve("modern");
  EXPECT_EQ(FindString(CallModern("ask").at("result"), "resultType"), "input_required");
  EXPECT_THAT(ErrorText(CallOld("ask")), HasSubstr("asks its caller for more input"));
}

TEST_F(McpErasTest, AModernCallerHearsTheMessagesItAskedFor) {
  Serve("handshake");
  version_ = "2026-07-28";
  auto log = [this](const std::string& more) {
    return AskMcp(R"({"jsonrpc":"2.0","id":1,"method":"log","params":{)" +
                  std::string(kCallersEnvelope) + more + "}}}");
  };
  EXPECT_THAT(log(""), Not(HasSubstr("notifications/")));
  std::string errors = log(R"(,"io.modelcontextprotocol/logLevel":"warning")");
  EXPECT_THAT(errors, HasSubstr(R"("data": "error")"));
  EXPECT_THAT(errors, Not(HasSubstr(R"("data": "debug")")));
  EXPECT_THAT(errors, Not(HasSubstr("list_changed")));
  version_ = "2025-11-25";
  std::string all = AskMcp(R"({"jsonrpc":"2.0","id":1,"method":"log"})");
  EXPECT_THAT(all, HasSubstr(R"("data": "debug")"));
  EXPECT_THAT(all, HasSubstr("list_changed"));
}

TEST_F(McpErasTest, OneThatSpeaksNeitherIsRefused) {
  Serve("none");
  EXPECT_THAT(ErrorText(CallOld("tools/list")), HasSubstr("refused initialize"));
  EXPECT_THAT(ErrorText(CallModern("tools/list")), HasSubstr("refused initialize"));
}

}  // namespace
}  // namespace viv::agent
