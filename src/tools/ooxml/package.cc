#include "tools/ooxml/package.h"

#include "base/text.h"
#include "tools/ooxml/zip.h"

namespace viv::tools::ooxml {
namespace {

constexpr std::string_view kTypesPart = "[Content_Types].xml";
constexpr std::string_view kEmptyTypes =
    "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">"
    "<Default Extension=\"rels\" "
    "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
    "<Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>";

std::string_view ExtensionOf(std::string_view part) {
  const std::size_t dot = part.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : part.substr(dot + 1);
}

}  // namespace

Package::Package() {
  parts_[std::string(kTypesPart)].bytes = std::string(kXmlDeclaration) + std::string(kEmptyTypes);
}

Result<Package> Package::Read(std::string_view bytes, Limits limits) {
  ZipLimits zip_limits;
  zip_limits.entries_max = limits.parts_max;
  zip_limits.entry_bytes_max = limits.part_bytes_max;
  zip_limits.total_bytes_max = limits.total_bytes_max;
  zip_limits.ratio_max = limits.ratio_max;
  zip_limits.ratio_from_bytes = limits.ratio_from_bytes;
  ASSIGN_OR_RETURN(std::vector<ZipEntry> entries, ReadZip(bytes, zip_limits));
  Package package;
  package.limits_ = limits;
  package.parts_.clear();
  for (ZipEntry& entry : entries)
    package.parts_[std::move(entry.name)].bytes = std::move(entry.bytes);
  if (!package.Has(kTypesPart))
    return Fail(ErrorCode::kInvalidArgument,
                "\"There is no item named '[Content_Types].xml' in the archive\"");
  RETURN_IF_ERROR(package.Xml(kTypesPart));
  return package;
}

// Content types come first, as readers that do not seek expect them.
Result<std::string> Package::Write() {
  std::vector<std::string> texts;
  texts.reserve(parts_.size());
  std::vector<ZipSource> sources;
  const auto add = [&](const std::string& name, const Part& part) {
    if (part.document) {
      texts.push_back(WriteXml(*part.document));
      std::string& text = texts.back();
      if (const std::size_t at = part.fill.empty() ? std::string::npos : text.find(kFill);
          at != std::string::npos)
        text.replace(at, kFill.size(), part.fill);
      sources.push_back({name, texts.back()});
    } else {
      sources.push_back({name, part.bytes});
    }
  };
  const auto types = parts_.find(kTypesPart);
  add(types->first, types->second);
  for (const auto& [name, part] : parts_)
    if (name != kTypesPart) add(name, part);
  return WriteZip(sources);
}

bool Package::Has(std::string_view part) const {
  return parts_.find(part) != parts_.end();
}

std::vector<std::string> Package::Parts() const {
  std::vector<std::string> names;
  names.reserve(parts_.size());
  for (const auto& [name, part] : parts_) names.push_back(name);
  return names;
}

Result<std::string> Package::Bytes(std::string_view part) const {
  const auto found = parts_.find(part);
  if (found == parts_.end())
    return Fail(ErrorCode::kNotFound,
                "There is no item named '" + Printable(part) + "' in the archive");
  return found->second.document ? WriteXml(*found->second.document) : found->second.bytes;
}

Result<pugi::xml_document*> Package::Xml(std::string_view part) {
  const auto found = parts_.find(part);
  if (found == parts_.end())
    return Fail(ErrorCode::kNotFound,
                "There is no item named '" + Printable(part) + "' in the archive");
  Part& place = found->second;
  if (place.document) return place.document.get();
  if (place.bytes.size() > limits_.xml_bytes_max)
    return Fail(ErrorCode::kLimitExceeded, "'" + Printable(part) + "' has more than " +
                                               std::to_string(limits_.xml_bytes_max >> 20) +
                                               " MiB of XML");
  // Parsing changes the bytes; a part that turns out to be no XML stays as it was.
  std::string original = place.bytes;
  auto document = ParseXmlInPlace(place.bytes, limits_.depth_max);
  if (!document) {
    place.bytes = std::move(original);
    return PassUp(std::move(document).error(), "'" + Printable(part) + "' is no valid XML");
  }
  place.document = *std::move(document);
  return place.document.get();
}

void Package::Put(std::string_view part, std::string bytes, std::string_view content_type) {
  Part& place = parts_[std::string(part)];
  place.document.reset();
  place.bytes = std::move(bytes);
  if (!content_type.empty()) SetContentType(part, content_type);
}

void Package::Fill(std::string_view part, std::string xml) {
  if (const auto found = parts_.find(part); found != parts_.end())
    found->second.fill = std::move(xml);
}

void Package::Remove(std::string_view part) {
  const auto found = parts_.find(part);
  if (found == parts_.end()) return;
  parts_.erase(found);
  if (auto types = Xml(kTypesPart)) {
    pugi::xml_node root = (*types)->document_element();
    const std::string name = "/" + std::string(part);
    if (pugi::xml_node entry = root.find_child_by_attribute("Override", "PartName", name.c_str()))
      root.remove_child(entry);
  }
  const std::size_t slash = part.rfind('/');
  const std::string folder =
      slash == std::string_view::npos ? "" : std::string(part.substr(0, slash + 1));
  const std::string_view file = slash == std::string_view::npos ? part : part.substr(slash + 1);
  if (const auto rels = parts_.find(folder + "_rels/" + std::string(file) + ".rels");
      rels != parts_.end())
    parts_.erase(rels);
}

std::string Package::FreeName(std::string_view stem, std::string_view extension) const {
  for (std::size_t number = 1;; ++number) {
    std::string name = std::string(stem) + std::to_string(number) + std::string(extension);
    if (!Has(name)) return name;
  }
}

std::string Package::ContentType(std::string_view part) {
  auto types = Xml(kTypesPart);
  if (!types) return {};
  const pugi::xml_node root = (*types)->document_element();
  const std::string name = "/" + std::string(part);
  for (const pugi::xml_node entry : root.children("Override"))
    if (EqualsIgnoreCase(entry.attribute("PartName").value(), name))
      return entry.attribute("ContentType").value();
  for (const pugi::xml_node entry : root.children("Default"))
    if (EqualsIgnoreCase(entry.attribute("Extension").value(), ExtensionOf(part)))
      return entry.attribute("ContentType").value();
  return {};
}

void Package::SetContentType(std::string_view part, std::string_view type) {
  auto types = Xml(kTypesPart);
  if (!types || ContentType(part) == type) return;
  pugi::xml_node root = (*types)->document_element();
  const std::string name = "/" + std::string(part);
  pugi::xml_node entry = root.find_child_by_attribute("Override", "PartName", name.c_str());
  if (!entry) {
    entry = root.append_child("Override");
    entry.append_attribute("PartName").set_value(name.c_str());
    entry.append_attribute("ContentType");
  }
  entry.attribute("ContentType").set_value(std::string(type).c_str());
}

}  // namespace viv::tools::ooxml
