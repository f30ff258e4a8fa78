#include "engine/functions/csv.h"

#include "engine/functions/families.h"
#include "engine/functions/json_text.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kFieldsMax = 500'000;

Result<std::string> FieldText(const json::value& field) {
  if (field.is_null()) return std::string();
  if (const json::string* text = field.if_string()) return std::string(View(*text));
  return JsonText(field);
}

void AppendField(std::string& out, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);  // a byte order mark
  }

  Result<json::array> Read() {
    json::array rows;
    while (at_ < text_.size()) {
      if (TakeLineEnd()) continue;
      ASSIGN_OR_RETURN(json::array row, Row());
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  Result<json::array> Row() {
    json::array row;
    while (true) {
      ASSIGN_OR_RETURN(std::string field, Field());
      row.emplace_back(field);
      if (++fields_ > kFieldsMax)
        return Invalid("more than " + std::to_string(kFieldsMax) + " fields");
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      if (at_ < text_.size() && !TakeLineEnd()) {
        return Invalid("line " + std::to_string(line_) + ": text after a closing quote");
      }
      return row;
    }
  }

  Result<std::string> Field() {
    if (at_ < text_.size() && text_[at_] == '"') return Quoted();
    std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string field(text_.substr(at_, end - at_));
    at_ = end;
    return field;
  }

  Result<std::string> Quoted() {
    std::size_t begun = line_;
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '\n') ++line_;
      if (c == '"') {
        ++at_;
        if (at_ >= text_.size() || text_[at_] != '"') return field;
      }
      field += c;
    }
    return Invalid("line " + std::to_string(begun) + ": a quote is not closed");
  }

  bool TakeLineEnd() {
    char c = text_[at_];
    if (c != '\r' && c != '\n') return false;
    ++at_;
    if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t fields_ = 0;
};

Result<Value> CsvRowFunction(const Arguments& arguments) {
  ASSIGN_OR_RETURN(json::value fields, ParseJson(arguments.Text(0)));
  const json::array* array = fields.if_array();
  if (array == nullptr) return Invalid("argument 1 must be a JSON array");
  ASSIGN_OR_RETURN(std::string row, CsvRow(*array));
  return row;
}

Result<Value> CsvParse(const Arguments& arguments) {
  ASSIGN_OR_RETURN(json::array rows, ParseCsv(arguments.Text(0)));
  ASSIGN_OR_RETURN(std::string json, JsonText(rows));
  return Json{std::move(json)};
}

}  // namespace

Result<std::string> CsvRow(const json::array& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    ASSIGN_OR_RETURN(std::string field, FieldText(fields[i]));
    AppendField(out, field);
  }
  return out;
}

Result<json::array> ParseCsv(std::string_view text) {
  return CsvReader(text).Read();
}

std::span<const Function> CsvFunctions() {
  static constexpr Function kFunctions[] = {{"csv_row", 1, 1, CsvRowFunction},
                                            {"csv_parse", 1, 1, CsvParse}};
  return kFunctions;
}

}  // namespace viv::engine::functions
