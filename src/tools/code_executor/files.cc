#include "tools/code_executor/handlers.h"

namespace viv::tools::code_executor {
namespace {

CallResult FileFailure(const Error& error, const std::string& path) {
  return Block({{"status", "error"}, {"error", error.message}, {"file_path", path}});
}

}  // namespace

CallResult InitializeCodeFile(Context& context, const Arguments& arguments, const CallContext&) {
  const std::string content = arguments.Text("content");
  if (content.empty()) return Missing("Content is required");
  const std::string name = Storage::FreshName(arguments.Text("filename"));
  const std::string path = context.storage.PathOf(name);
  if (auto written = context.storage.Create(path, content); !written)
    return Block({{"status", "error"}, {"error", written.error().message}});
  return Block({{"status", "success"},
                {"message", "File initialized successfully"},
                {"file_path", path},
                {"filename", name}});
}

CallResult AppendToCodeFile(Context& context, const Arguments& arguments, const CallContext&) {
  const std::string path = arguments.Text("file_path");
  if (path.empty()) return Missing("File path is required");
  const std::string content = arguments.Text("content");
  if (content.empty()) return Missing("Content is required");
  if (auto written = context.storage.Append(path, content); !written)
    return FileFailure(written.error(), path);
  return Block(
      {{"status", "success"}, {"message", "Content appended successfully"}, {"file_path", path}});
}

CallResult ReadCodeFile(Context& context, const Arguments& arguments, const CallContext&) {
  const std::string path = arguments.Text("file_path");
  if (path.empty()) return Missing("File path is required");
  auto content = context.storage.Read(path);
  if (!content) return FileFailure(content.error(), path);
  return Block(
      {{"status", "success"}, {"content", AsUtf8(*std::move(content))}, {"file_path", path}});
}

}  // namespace viv::tools::code_executor
