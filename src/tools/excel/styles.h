#pragma once
// The styles of a workbook: xl/styles.xml, in place. A cell's style is the number of an <xf>; a new
// style is an old one with some parts exchanged, and the same exchange always gives the same
// number.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "base/result.h"

namespace viv::tools::excel {

// What is set replaces that part of a style whole. Each is the XML of the element of its kind
// (<font>, <fill>, <border>, <alignment>, <protection>); the number format is its code.
struct StyleChange {
  std::optional<std::string> font, fill, border, alignment, protection, number_format;
};

enum class NumberMeaning { kNumber, kDate, kDuration };  // how openpyxl reads a number so formatted

class Styles {
 public:
  explicit Styles(pugi::xml_node root);  // <styleSheet>

  std::uint32_t Change(std::uint32_t style, const StyleChange& change);
  std::uint32_t Bold();  // the default style with a bold font, for headers
  std::uint32_t AddDifferential(std::string_view dxf_xml);  // for conditional formats: its dxfId
  pugi::xml_node DefaultFont();
  std::string NumberFormat(std::uint32_t style) const;  // "General", "0.00", …
  NumberMeaning Meaning(std::uint32_t style);
  std::uint32_t count() const { return static_cast<std::uint32_t>(xfs_.size()); }

 private:
  std::uint32_t Place(std::string_view list, std::string_view xml);
  std::uint32_t PlaceNumberFormat(std::string_view code);
  pugi::xml_node List(std::string_view name);

  pugi::xml_node root_;
  std::vector<pugi::xml_node> xfs_;
  std::map<std::string, std::uint32_t> placed_;  // list name and XML to its number there
  std::map<std::string, std::uint32_t> changed_;
  std::map<std::uint32_t, NumberMeaning> meanings_;
};

}  // namespace viv::tools::excel
