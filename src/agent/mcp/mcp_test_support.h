#pragma once
// For tests of the bridge: an agent, and a small MCP server in Python that does what its tools are
// asked.

#include <fstream>
#include <string>
#include <vector>

#include "agent/agent_test_support.h"
#include "base/json.h"
#include "base/text.h"

namespace viv::agent {

inline constexpr char kTestMcpServer[] = R"PY(
import json, os, signal, subprocess, sys, time
def say(message): sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
def answer(id, result): say({"jsonrpc": "2.0", "id": id, "result": result})
def note(method, params): say({"jsonrpc": "2.0", "method": method, "params": params})
count = 0
print("hello on stderr", file=sys.stderr, flush=True)
for line in sys.stdin:
    m = json.loads(line)
    method, id, params = m.get("method"), m.get("id"), m.get("params") or {}
    if method == "initialize":
        count_of_greetings = count
        answer(id, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "logging": {}},
                    "serverInfo": {"name": "test", "version": "9"}, "instructions": "be kind",
                    "asked": params})
    elif method == "notifications/cancelled":
        with open("cancelled", "a") as f: f.write(json.dumps(params) + "\n")
    elif method == "count":
        count += 1
        answer(id, {"count": count, "pid": os.getpid(), "id": id, "user": os.getuid()})
    elif method == "echo": answer(id, params)
    elif method == "raw": sys.stdout.write(params["text"].replace("$ID", str(id)) + "\n"); sys.stdout.flush()
    elif method == "progress":
        token = params["_meta"]["progressToken"]
        for i in range(params["steps"]):
            note("notifications/progress", {"progressToken": token, "progress": i})
        note("notifications/message", {"level": "info", "data": "almost"})
        note("notifications/progress", {"progressToken": "not mine", "progress": 99})
        answer(id, {"token": token})
    elif method == "ask":
        say({"jsonrpc": "2.0", "id": "q1", "method": params["method"], "params": {}})
        answer(id, {"reply": json.loads(sys.stdin.readline())})
    elif method == "say-then-wait": note("notifications/message", {"data": "now"})
    elif method == "never": pass
    elif method == "die": print("out of luck", file=sys.stderr, flush=True); os._exit(params["code"])
    elif method == "kill": os.kill(os.getpid(), signal.SIGKILL)
    elif method == "close": os.close(1); time.sleep(1000)
    elif method == "spawn":
        p = subprocess.Popen(["sh", "-c", params["script"]], stdin=subprocess.DEVNULL)
        answer(id, {"pid": p.pid})
    elif method == "fail": say({"jsonrpc": "2.0", "id": id, "error": {"code": -5, "message": "no"}})
    elif id is not None: answer(id, {})
)PY";

class McpFixture : public AgentFixture {
 protected:
  McpFixture() {
    std::ofstream(folder_ + "/server.py") << kTestMcpServer;
    command_ = {"python3", folder_ + "/server.py"};
  }

  json::object Definition() const {
    json::array words(command_.begin(), command_.end());
    return {{"name", "test"},
            {"command", std::move(words)},
            {"variables", json::object()},
            {"folder", folder_},
            {"user", "root"},
            {"idle_seconds", idle_seconds_},
            {"start_seconds", start_seconds_}};
  }
  // A POST of this message, as the host sends it.
  std::string McpPost(const std::string& message, const std::string& caller = "") const {
    json::object frame{{"server", Definition()}, {"version", version_}, {"caller", caller}};
    std::string body = WriteJson(frame);
    body.insert(body.size() - 1, ",\"message\":" + message);
    return "POST /mcp HTTP/1.1\r\nHost: box\r\nConnection: close\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  std::string AskMcp(const std::string& message, const std::string& caller = "") {
    http::RawClient client = Connect();
    client.Send(McpPost(message, caller));
    return client.ReadToEnd();
  }
  // The lines of a response, whether it came at once or in chunks.
  static std::vector<json::value> LinesOf(const std::string& answer) {
    std::vector<json::value> lines;
    std::size_t at = answer.find("\r\n\r\n");
    if (at == std::string::npos) return lines;
    for (std::string_view line : Split(std::string_view(answer).substr(at), '\n')) {
      if (!line.starts_with('{')) continue;
      auto value = ParseJson(line);
      EXPECT_TRUE(value) << line;
      if (value) lines.push_back(*std::move(value));
    }
    return lines;
  }
  // The last line of the response to a request with this method.
  json::value Call(const std::string& method, const std::string& params = "{}") {
    std::string answer =
        AskMcp(R"({"jsonrpc":"2.0","id":7,"method":")" + method + R"(","params":)" + params + "}");
    std::vector<json::value> lines = LinesOf(answer);
    EXPECT_FALSE(lines.empty()) << answer;
    return lines.empty() ? json::value() : lines.back();
  }
  std::int64_t Count() { return Call("count").at("result").at("count").as_int64(); }
  static std::string ErrorText(const json::value& answer) {
    const json::value* error = Find(answer, "error");
    return error ? std::string(FindString(*error, "message")) : "none: " + WriteJson(answer);
  }
  std::string ReadAll(const std::string& name) const {
    std::ifstream in(folder_ + "/" + name);
    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }

  std::vector<std::string> command_;
  std::string version_ = "2025-11-25";
  int idle_seconds_ = 600;
  int start_seconds_ = 30;
};

}  // namespace viv::agent
