#include <cstring>

#include "tools/ooxml/package.h"

namespace viv::tools::ooxml {
namespace {

struct StringWriter : pugi::xml_writer {
  std::string out;
  void write(const void* data, std::size_t size) override {
    out.append(static_cast<const char*>(data), size);
  }
};

// Walks without recursion: the nesting is what is in question.
bool NestsDeeperThan(const pugi::xml_document& document, int depth_max) {
  int depth = 0;
  pugi::xml_node node = document.first_child();
  while (node) {
    if (pugi::xml_node child = node.first_child()) {
      if (++depth > depth_max) return true;
      node = child;
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      --depth;
      if (node == document) return false;
    }
    if (node) node = node.next_sibling();
  }
  return false;
}

std::string_view PrefixOf(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
}

bool IsValidXmlCodePoint(unsigned char byte) {
  return byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r';
}

}  // namespace

std::string WriteXml(const pugi::xml_document& document) {
  StringWriter writer;
  writer.out = kXmlDeclaration;
  document.save(writer, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return std::move(writer.out);
}

namespace {

// "x:row" becomes "row" where x stands for the root's namespace, and the default namespace takes
// its place, so that code knows one spelling. A document that uses both is left as it is.
void DropRootPrefix(pugi::xml_document& document) {
  pugi::xml_node root = document.document_element();
  const std::string prefix(PrefixOf(root.name()));
  if (prefix.empty() || root.attribute("xmlns")) return;
  pugi::xml_attribute declared = root.attribute(("xmlns:" + prefix).c_str());
  if (!declared) return;
  const std::string uri = declared.value();
  struct Walker : pugi::xml_tree_walker {
    std::string start;
    bool for_each(pugi::xml_node& node) override {
      const char* name = node.name();
      if (std::strncmp(name, start.c_str(), start.size()) == 0)
        node.set_name(std::string(name + start.size()).c_str());
      return true;
    }
  } walker;
  walker.start = prefix + ":";
  document.traverse(walker);
  root.prepend_attribute("xmlns").set_value(uri.c_str());
}

}  // namespace

Result<std::unique_ptr<pugi::xml_document>> ParseXmlInPlace(std::string& bytes, int depth_max) {
  auto document = std::make_unique<pugi::xml_document>();
  constexpr unsigned kFlags =
      pugi::parse_default | pugi::parse_ws_pcdata_single | pugi::parse_doctype;
  const pugi::xml_parse_result parsed =
      document->load_buffer_inplace(bytes.data(), bytes.size(), kFlags);
  if (!parsed)
    return Fail(ErrorCode::kInvalidArgument,
                std::string(parsed.description()) + " at byte " + std::to_string(parsed.offset));
  for (pugi::xml_node node : document->children())
    if (node.type() == pugi::node_doctype)
      return Fail(ErrorCode::kInvalidArgument,
                  "it declares a document type, which office documents do not have");
  if (NestsDeeperThan(*document, depth_max))
    return Fail(ErrorCode::kLimitExceeded,
                "its elements nest deeper than " + std::to_string(depth_max));
  if (!document->document_element()) return Fail(ErrorCode::kInvalidArgument, "it has no element");
  DropRootPrefix(*document);
  return document;
}

pugi::xml_attribute PrefixedAttribute(pugi::xml_node node, std::string_view name) {
  for (pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view whole = attribute.name();
    const std::size_t colon = whole.find(':');
    if (colon != std::string_view::npos && whole.substr(colon + 1) == name &&
        whole.substr(0, colon) != "xmlns")
      return attribute;
  }
  return {};
}

void SetRelationId(pugi::xml_node node, std::string_view id) {
  pugi::xml_attribute attribute = PrefixedAttribute(node, "id");
  if (!attribute) {
    pugi::xml_node root = node.root().first_child();
    while (root && root.type() != pugi::node_element) root = root.next_sibling();
    if (root && !root.attribute("xmlns:r"))
      root.append_attribute("xmlns:r").set_value(
          std::string(kRelationBase.substr(0, kRelationBase.size() - 1)).c_str());
    attribute = node.append_attribute("r:id");
  }
  attribute.set_value(std::string(id).c_str());
}

void AppendEscaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\r':
        out += "&#13;";
        break;
      default:
        if (IsValidXmlCodePoint(static_cast<unsigned char>(c))) out += c;
    }
  }
}

}  // namespace viv::tools::ooxml
