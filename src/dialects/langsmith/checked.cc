#include "dialects/langsmith/checked.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace viv::langsmith {
namespace {

const json::value& EmptyObject() {
  static const json::value empty = json::object();
  return empty;
}

FieldPath PathWithin(FieldPath path, std::string_view name) {
  path.emplace_back(name);
  return path;
}

bool IsBlankText(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Of valid UTF-8, as all JSON that was read is.
std::size_t CharactersIn(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

void FieldErrors::Add(FieldPath where, std::string message) {
  if (none()) first_ = FieldError{std::move(where), std::move(message)};
}

Members::Members(const json::value& object, FieldPath path, FieldErrors& field_errors)
    : object_(&object), path_(std::move(path)), field_errors_(&field_errors) {
  if (object.is_object()) return;
  object_ = &EmptyObject();
  field_errors.Add(path_, "an object is expected");
}

const json::value* Members::Member(std::string_view name) const {
  const json::value* found = Find(*object_, name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool Members::Has(std::string_view name) const {
  return Member(name) != nullptr;
}

FieldPath Members::At(std::string_view name) const {
  return PathWithin(path_, name);
}

void Members::Refuse(std::string_view name, std::string message) {
  field_errors_->Add(At(name), std::move(message));
}

std::optional<std::string> Members::Text(std::string_view name, std::size_t bytes_max) {
  const json::value* member = Member(name);
  if (member == nullptr) return std::nullopt;
  if (!member->is_string()) {
    Refuse(name, "a string is expected");
    return std::nullopt;
  }
  std::string_view text = View(member->get_string());
  if (text.size() > bytes_max) {
    Refuse(name, "at most " + std::to_string(bytes_max) + " bytes are expected");
    return std::nullopt;
  }
  return std::string(text);
}

std::string Members::RequiredText(std::string_view name, std::size_t bytes_max) {
  std::optional<std::string> text = Text(name, bytes_max);
  if (!text || IsBlankText(*text)) Refuse(name, "a string that is not empty is required");
  return text.value_or("");
}

std::optional<std::string> Members::TextOfCharacters(std::string_view name,
                                                     std::size_t characters_max) {
  constexpr std::size_t kBytesPerCharacterMax = 4;
  const json::value* member = Member(name);
  if (member != nullptr && member->is_string() &&
      CharactersIn(View(member->get_string())) > characters_max) {
    Refuse(name, "at most " + std::to_string(characters_max) + " characters are expected");
    return std::nullopt;
  }
  return Text(name, characters_max * kBytesPerCharacterMax);
}

std::optional<bool> Members::Flag(std::string_view name) {
  const json::value* member = Member(name);
  if (member == nullptr) return std::nullopt;
  if (!member->is_bool()) {
    Refuse(name, "true or false is expected");
    return std::nullopt;
  }
  return member->get_bool();
}

std::optional<std::int64_t> Members::Integer(std::string_view name,
                                             std::int64_t least,
                                             std::int64_t most) {
  const json::value* member = Member(name);
  if (member == nullptr) return std::nullopt;
  boost::system::error_code error;
  std::int64_t value = 0;
  if (member->is_int64() || member->is_uint64()) {
    value = member->to_number<std::int64_t>(error);
  } else {
    Refuse(name, "a whole number is expected");
    return std::nullopt;
  }
  if (error || value < least || value > most) {
    Refuse(name, "a number from " + std::to_string(least) + " to " + std::to_string(most) +
                     " is expected");
    return std::nullopt;
  }
  return value;
}

std::vector<std::string> Members::Texts(std::string_view name, std::size_t count_max) {
  std::vector<std::string> texts;
  const json::value* member = Member(name);
  if (member == nullptr) return texts;
  const json::array* array = member->if_array();
  if (array == nullptr) {
    Refuse(name, "an array of strings is expected");
    return texts;
  }
  if (array->size() > count_max) {
    Refuse(name, "at most " + std::to_string(count_max) + " entries are expected");
    return texts;
  }
  for (const json::value& item : *array) {
    if (item.is_string()) {
      texts.emplace_back(View(item.get_string()));
      continue;
    }
    field_errors_->Add(PathWithin(At(name), std::to_string(texts.size())), "a string is expected");
    return {};
  }
  return texts;
}

std::map<std::string, std::string> Members::Map(std::string_view name, std::size_t count_max) {
  std::map<std::string, std::string> texts;
  const json::value* member = Member(name);
  if (member == nullptr) return texts;
  const json::object* object = member->if_object();
  if (object == nullptr) {
    Refuse(name, "an object of strings is expected");
    return texts;
  }
  if (object->size() > count_max) {
    Refuse(name, "at most " + std::to_string(count_max) + " entries are expected");
    return texts;
  }
  for (const auto& [key, value] : *object) {
    if (!value.is_string()) {
      field_errors_->Add(PathWithin(At(name), Printable({key.data(), key.size()})),
                         "a string is expected");
      return {};
    }
    texts.emplace(std::string(key.data(), key.size()), View(value.get_string()));
  }
  return texts;
}

std::vector<Members> Members::Objects(std::string_view name, std::size_t count_max) {
  std::vector<Members> objects;
  const json::value* member = Member(name);
  if (member == nullptr) return objects;
  const json::array* array = member->if_array();
  if (array == nullptr) {
    Refuse(name, "an array of objects is expected");
    return objects;
  }
  if (array->size() > count_max) {
    Refuse(name, "at most " + std::to_string(count_max) + " entries are expected");
    return objects;
  }
  for (const json::value& item : *array)
    objects.emplace_back(item, PathWithin(At(name), std::to_string(objects.size())),
                         *field_errors_);
  return objects;
}

Members Members::Object(std::string_view name) {
  const json::value* member = Member(name);
  return Members(member == nullptr ? EmptyObject() : *member, At(name), *field_errors_);
}

}  // namespace viv::langsmith
