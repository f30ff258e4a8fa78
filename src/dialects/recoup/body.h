#pragma once
// Reading a request's body as this API does: what is no JSON counts as an empty object, but for the
// operations that say otherwise, and a wrong field is answered with its name.

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "http/fields.h"
#include "http/message.h"

namespace viv::recoup {

class BodyFields {
 public:
  explicit BodyFields(const http::Request& request);
  BodyFields(const json::value& object, std::string path) : fields_(object, std::move(path)) {}

  bool ok() const { return fields_.ok(); }
  http::Response failure() const;  // when it is not

  std::optional<std::string> Text(std::string_view name);  // not empty
  std::optional<std::string> MaybeEmptyText(std::string_view name) { return fields_.Text(name); }
  std::optional<std::string> Url(std::string_view name);
  std::optional<std::vector<std::string>> List(std::string_view name);
  const json::array* Array(std::string_view name) { return fields_.Array(name); }
  void Refuse(std::string_view name, std::string message);

 private:
  http::Fields fields_;
};

bool IsUrl(std::string_view text);  // "scheme://host…", no blanks

}  // namespace viv::recoup
