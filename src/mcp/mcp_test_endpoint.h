#pragma once
// For tests: a server that answers what the test wrote down.

#include <deque>
#include <string>
#include <vector>

#include "mcp/endpoint.h"

namespace viv::mcp {

class TestEndpoint : public Endpoint {
 public:
  std::deque<Reply> answers;       // one to each request
  std::vector<std::string> asked;  // the texts of the requests
  bool there = true;

  std::string key() const override { return "test"; }
  std::string query() const override { return "instance_id=test"; }
  std::string account_id() const override { return "test"; }
  bool exists() const override { return there; }
  Task<Reply> Handle(ReceivedMessage request, Caller) override {
    asked.push_back(request.text);
    Reply answer = std::move(answers.front());
    answers.pop_front();
    co_return answer;
  }
  Task<void> Notify(ReceivedMessage, Caller) override { co_return; }
};

}  // namespace viv::mcp
