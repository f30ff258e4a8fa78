#include "engine/functions/json_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/functions/function.h"
#include "engine/functions/number_text.h"

namespace viv::engine::functions {
namespace {

class Writer {
 public:
  Writer(JsonLayout layout, JsonOrder order) : layout_(layout), order_(order) {}

  // The depth is that of a parsed value, which the parser has limited.
  void Write(const json::value& value, std::size_t depth) {
    if (out_.size() > kResultBytesMax) return;
    if (const json::object* object = value.if_object()) {
      Object(*object, depth);
    } else if (const json::array* array = value.if_array()) {
      Array(*array, depth);
    } else if (const double* number = value.if_double()) {
      Double(*number);
    } else {
      out_ += json::serialize(value);
    }
  }

  Result<std::string> Take() {
    if (out_.size() > kResultBytesMax)
      return Fail(ErrorCode::kLimitExceeded, "the result is too large");
    return std::move(out_);
  }

 private:
  void Object(const json::object& object, std::size_t depth) {
    std::vector<const json::key_value_pair*> members;
    for (const auto& member : object) members.push_back(&member);
    if (order_ != JsonOrder::kAsIs) {
      std::sort(members.begin(), members.end(),
                [](const auto* a, const auto* b) { return a->key() < b->key(); });
    }
    out_ += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      Next(i, depth + 1);
      out_ += json::serialize(json::string(members[i]->key()));
      out_ += layout_ == JsonLayout::kPretty ? ": " : ":";
      Write(members[i]->value(), depth + 1);
    }
    if (!members.empty()) Indent(depth);
    out_ += '}';
  }

  void Array(const json::array& array, std::size_t depth) {
    out_ += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
      Next(i, depth + 1);
      Write(array[i], depth + 1);
    }
    if (!array.empty()) Indent(depth);
    out_ += ']';
  }

  void Double(double number) {
    if (!std::isfinite(number)) {
      out_ += "null";  // JSON has no such number
    } else if (order_ == JsonOrder::kCanonical && IsWhole(number)) {
      out_ += std::to_string(static_cast<std::int64_t>(number));
    } else {
      out_ += ShortestNumber(number);
    }
  }

  static bool IsWhole(double number) {
    return std::trunc(number) == number && std::abs(number) < 9e15;
  }

  void Next(std::size_t index, std::size_t depth) {
    if (index > 0) out_ += ',';
    Indent(depth);
  }

  void Indent(std::size_t depth) {
    if (layout_ == JsonLayout::kPretty) out_.append(1, '\n').append(2 * depth, ' ');
  }

  JsonLayout layout_;
  JsonOrder order_;
  std::string out_;
};

}  // namespace

Result<std::string> JsonText(const json::value& value, JsonLayout layout, JsonOrder order) {
  Writer writer(layout, order);
  writer.Write(value, 0);
  return writer.Take();
}

Result<std::string> CanonicalJson(const json::value& value) {
  return JsonText(value, JsonLayout::kLine, JsonOrder::kCanonical);
}

}  // namespace viv::engine::functions
