#pragma once
// The strings of a workbook, each kept once: cell texts, formula texts, error codes. A text with
// formatting of its own (rich text) keeps its XML beside its plain text, so that it survives.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"

namespace viv::tools::excel {

class Strings {
 public:
  Strings();

  std::uint32_t Intern(std::string_view text);                      // 0 for ""
  std::uint32_t AddRich(std::string plain, std::string inner_xml);  // inner_xml: what is in <si>
  const std::string& Plain(std::uint32_t index) const { return entries_[index].plain; }
  const std::string& RichXml(std::uint32_t index) const {
    return entries_[index].rich_xml;
  }  // "": none

 private:
  struct Entry {
    std::string plain, rich_xml;
  };
  std::deque<Entry> entries_;  // does not move its elements: the keys below point into them
  std::unordered_map<std::string_view, std::uint32_t> by_text_;
};

}  // namespace viv::tools::excel
