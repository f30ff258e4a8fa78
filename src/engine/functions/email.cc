#include "engine/functions/email.h"

#include "base/text.h"
#include "engine/functions/families.h"
#include "engine/functions/json_text.h"

namespace viv::engine::functions {
namespace {

bool IsAddress(std::string_view text) {
  std::size_t at = text.rfind('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
         text.find_first_of(" \t\r\n<>,;") == std::string_view::npos;
}

// Reads one entry after the other, up to the comma or semicolon that ends it.
class MailboxReader {
 public:
  explicit MailboxReader(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ >= text_.size(); }

  Mailbox Next() {
    plain_.clear();
    comment_.clear();
    std::string address;
    while (!AtEnd() && text_[at_] != ',' && text_[at_] != ';') {
      switch (text_[at_]) {
        case '"':
          plain_ += Delimited('"');
          break;
        case '(':
          comment_ = Delimited(')');
          break;
        case '<':
          address = Delimited('>');
          break;
        case ':':
          GroupName();
          break;
        default:
          plain_ += text_[at_++];
      }
    }
    ++at_;
    return Finish(std::string(Trim(address)));
  }

 private:
  // What stands up to `end`, backslashes resolved; both delimiters are passed.
  std::string Delimited(char end) {
    std::string inside;
    for (++at_; !AtEnd() && text_[at_] != end; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      inside += text_[at_];
    }
    ++at_;
    return inside;
  }

  // "Team: a@b.c, d@e.f;" names a group; only its members are mailboxes.
  void GroupName() {
    ++at_;
    plain_.clear();
  }

  Mailbox Finish(std::string address) {
    std::string name(Trim(plain_));
    if (address.empty()) {  // a bare address, perhaps with its name as a comment
      address = std::exchange(name, std::string(Trim(comment_)));
    }
    if (address.starts_with("mailto:")) address.erase(0, 7);
    if (!IsAddress(address)) return {};
    return {std::move(name), std::move(address)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string plain_;
  std::string comment_;
};

Result<Value> EmailAddress(const Arguments& arguments) {
  std::vector<Mailbox> mailboxes = ParseMailboxes(arguments.Text(0));
  if (mailboxes.empty()) return Null{};
  return mailboxes[0].address;
}

Result<Value> EmailName(const Arguments& arguments) {
  std::vector<Mailbox> mailboxes = ParseMailboxes(arguments.Text(0));
  if (mailboxes.empty() || mailboxes[0].name.empty()) return Null{};
  return mailboxes[0].name;
}

Result<Value> EmailList(const Arguments& arguments) {
  json::array list;
  for (const Mailbox& mailbox : ParseMailboxes(arguments.Text(0))) {
    list.emplace_back(json::object{{"name", mailbox.name}, {"address", mailbox.address}});
  }
  ASSIGN_OR_RETURN(std::string json, JsonText(list));
  return Json{std::move(json)};
}

}  // namespace

std::vector<Mailbox> ParseMailboxes(std::string_view text) {
  std::vector<Mailbox> mailboxes;
  MailboxReader reader(text);
  while (!reader.AtEnd() && mailboxes.size() < kMailboxesMax) {
    Mailbox mailbox = reader.Next();
    if (!mailbox.address.empty()) mailboxes.push_back(std::move(mailbox));
  }
  return mailboxes;
}

std::span<const Function> EmailFunctions() {
  static constexpr Function kFunctions[] = {{"email_address", 1, 1, EmailAddress},
                                            {"email_name", 1, 1, EmailName},
                                            {"email_list", 1, 1, EmailList}};
  return kFunctions;
}

}  // namespace viv::engine::functions
