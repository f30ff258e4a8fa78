#pragma once
// For tests of the data plane's files: the box's folder of FilesTest, with the data plane's routes.

#include <string>
#include <string_view>
#include <vector>

#include "agent/dataplane/dataplane.h"
#include "agent/files/files_test_support.h"

namespace viv::agent {

class PlaneTest : public FilesTest {
 protected:
  PlaneTest() { AddFileTransfers(context_, router_); }

  http::Response Download(const std::string& query,
                          const std::vector<std::string>& headers = {},
                          std::string method = "GET") {
    http::Request request = MakeRequest(std::move(method), "/dataplane/download?" + query);
    for (std::size_t at = 0; at + 1 < headers.size(); at += 2) {
      request.headers.Add(headers[at], headers[at + 1]);
    }
    return Send(std::move(request));
  }

  static std::string FormOf(std::string_view content, std::string_view name = "file") {
    return "--b\r\nContent-Disposition: form-data; name=\"" + std::string(name) +
           "\"; filename=\"file\"\r\nContent-Type: application/octet-stream\r\n\r\n" +
           std::string(content) + "\r\n";
  }
  http::Response UploadForm(const std::string& query, std::string body) {
    http::Request request = MakeRequest("POST", "/dataplane/upload" + query);
    request.headers.Add("Content-Type", "multipart/form-data; boundary=b");
    request.body = std::move(body);
    return Send(std::move(request));
  }
  http::Response Upload(const std::string& path, std::string_view content) {
    return UploadForm("?path=" + path, FormOf(content) + "--b--\r\n");
  }

  http::Response Search(const std::string& operation, json::object body) {
    http::Request request = MakeRequest("POST", "/dataplane/" + operation);
    request.headers.Add("Content-Type", "application/json");
    request.body = WriteJson(body);
    return Send(std::move(request));
  }

  static json::value Body(const http::Response& response) {
    Result<json::value> body = ParseJson(response.body);
    EXPECT_TRUE(body) << response.body;
    return body ? *body : json::value();
  }
  // "404 FileNotFound"
  static std::string ErrorOf(const http::Response& response) {
    json::value body = Body(response);
    const json::value* detail = Find(body, "detail");
    if (detail == nullptr) return std::to_string(response.status);
    EXPECT_FALSE(FindString(*detail, "message").empty());
    return std::to_string(response.status) + " " + std::string(FindString(*detail, "error"));
  }
};

}  // namespace viv::agent
