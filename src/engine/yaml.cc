#include "engine/yaml.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace viv::engine {
namespace {

json::value PlainScalar(const std::string& text) {
  if (text.empty() || text == "null" || text == "~") return nullptr;
  if (text == "true") return true;
  if (text == "false") return false;
  std::int64_t integer = 0;
  const char* end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, integer);
  if (read.ec == std::errc() && read.ptr == end) return integer;
  double real = 0;
  auto read_real = std::from_chars(text.data(), end, real);
  if (read_real.ec == std::errc() && read_real.ptr == end) return real;
  return json::string(text);
}

json::value ToJson(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map: {
      json::object object;
      for (const auto& member : node)
        object[member.first.as<std::string>()] = ToJson(member.second);
      return object;
    }
    case YAML::NodeType::Sequence: {
      json::array array;
      for (const auto& item : node) array.push_back(ToJson(item));
      return array;
    }
    case YAML::NodeType::Scalar:
      return node.Tag() == "!" ? json::value(json::string(node.Scalar()))
                               : PlainScalar(node.Scalar());
    default:
      return nullptr;
  }
}

// Aliases are counted as often as they are used: a file of a kilobyte can stand for more than fits
// into memory, or contain itself.
constexpr std::uintmax_t kYamlBytesMax = 16U << 20;
constexpr std::size_t kYamlNodesMax = 1'000'000;
constexpr int kYamlDepthMax = 100;

void CountNodes(const YAML::Node& node, const std::string& file, int depth, std::size_t& left) {
  if (left == 0 || depth > kYamlDepthMax) {
    throw LoadFailure{file + ":" + std::to_string(node.Mark().line + 1) +
                      (left == 0 ? ": with its aliases this stands for more than a million values"
                                 : ": this is nested too deeply, or contains itself")};
  }
  --left;
  if (node.IsMap()) {
    for (const auto& member : node) {
      CountNodes(member.first, file, depth + 1, left);
      CountNodes(member.second, file, depth + 1, left);
    }
  } else if (node.IsSequence()) {
    for (const auto& item : node) CountNodes(item, file, depth + 1, left);
  }
}

}  // namespace

Yaml Yaml::ReadFile(const std::string& folder, const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(folder + "/" + file, error);
  if (!error && size > kYamlBytesMax) throw LoadFailure{file + ": the file is larger than 16 MiB"};
  try {
    YAML::Node top = YAML::LoadFile(folder + "/" + file);
    std::size_t left = kYamlNodesMax;
    CountNodes(top, file, 0, left);
    return Yaml(file, std::move(top));
  } catch (const YAML::BadFile&) {
    throw LoadFailure{file + ": the file cannot be read"};
  } catch (const YAML::Exception& e) {
    throw LoadFailure{file + ":" + std::to_string(e.mark.line + 1) + ": " + e.msg};
  }
}

std::string Yaml::location() const {
  return file_ + ":" + std::to_string(node_.IsDefined() ? node_.Mark().line + 1 : 1);
}

void Yaml::ThrowError(const std::string& message) const {
  throw LoadFailure{location() + ": " + message};
}

Yaml Yaml::operator[](std::string_view key) const {
  if (exists() && !is_map()) ThrowError("a map is expected here");
  return Yaml(file_, exists() ? node_[std::string(key)] : YAML::Node());
}

std::string Yaml::Text() const {
  if (!exists() || !is_text()) ThrowError("text is expected here");
  return node_.Scalar();
}

std::string Yaml::Text(std::string_view fallback) const {
  return exists() ? Text() : std::string(fallback);
}

bool Yaml::Truth(bool fallback) const {
  if (!exists()) return fallback;
  std::string text = Text();
  if (text != "true" && text != "false")
    ThrowError("true or false is expected here, not '" + text + "'");
  return text == "true";
}

json::value Yaml::Json() const {
  return exists() ? ToJson(node_) : json::value();
}

void Yaml::AllowOnly(std::initializer_list<std::string_view> known) const {
  ForEachMember([&](const std::string& key, const Yaml& value) {
    if (std::find(known.begin(), known.end(), key) != known.end()) return;
    std::vector<std::string> names(known.begin(), known.end());
    value.ThrowError("unknown key '" + key + "'; known here: " + JoinWithOr(names));
  });
}

}  // namespace viv::engine
