#pragma once
// Headers of the form "type; name=value; …" (RFC 2045, 2183): the type of a body and the place of a
// form's part. Also the reverse, for the response to a download.

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace viv::agent {

struct MediaType {
  std::string type;                               // lower case: "multipart/form-data"
  std::map<std::string, std::string> parameters;  // names in lower case, values unquoted
};

// Nothing when it is malformed or has more than 32 parameters. "name*" of RFC 5987 in UTF-8 stands
// as "name".
std::optional<MediaType> ParseMediaType(std::string_view text);

// A Content-Disposition header; `kind` is "inline" or "attachment".
std::string DispositionOf(std::string_view kind, std::string_view filename);
std::string_view ContentTypeOf(std::string_view path);  // by its ending

}  // namespace viv::agent
