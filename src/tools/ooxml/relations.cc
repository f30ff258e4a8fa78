#include <algorithm>
#include <set>

#include "base/text.h"
#include "tools/ooxml/package.h"

namespace viv::tools::ooxml {
namespace {

constexpr std::string_view kRelationsType =
    "application/vnd.openxmlformats-package.relationships+xml";
constexpr std::string_view kEmptyRelations =
    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"/>";

std::string RelationsPart(std::string_view from) {
  const std::size_t slash = from.rfind('/');
  const std::string folder =
      slash == std::string_view::npos ? "" : std::string(from.substr(0, slash + 1));
  const std::string_view file = slash == std::string_view::npos ? from : from.substr(slash + 1);
  return folder + "_rels/" + std::string(file) + ".rels";
}

}  // namespace

bool Relation::Is(std::string_view kind) const {
  return type.size() > kind.size() && type.ends_with(kind) &&
         type[type.size() - kind.size() - 1] == '/';
}

std::string ResolveTarget(std::string_view from_part, std::string_view target) {
  std::vector<std::string_view> words;
  if (!target.empty() && target.front() == '/') {
    target.remove_prefix(1);
  } else {
    words = Split(from_part, '/');
    words.pop_back();
  }
  for (const std::string_view word : Split(target, '/')) {
    if (word.empty() || word == ".") continue;
    if (word != "..") {
      words.push_back(word);
    } else if (words.empty()) {
      return {};
    } else {
      words.pop_back();
    }
  }
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += '/';
    out += word;
  }
  return out;
}

pugi::xml_node Package::RelationsRoot(std::string_view from, bool create) {
  const std::string part = RelationsPart(from);
  if (!Has(part)) {
    if (!create) return {};
    Put(part, std::string(kXmlDeclaration) + std::string(kEmptyRelations));
    SetContentType(part, kRelationsType);
  }
  auto document = Xml(part);
  return document ? (*document)->document_element() : pugi::xml_node();
}

std::vector<Relation> Package::Relations(std::string_view from) {
  std::vector<Relation> relations;
  for (const pugi::xml_node node : RelationsRoot(from, false).children("Relationship")) {
    Relation relation;
    relation.id = node.attribute("Id").value();
    relation.type = node.attribute("Type").value();
    relation.external = EqualsIgnoreCase(node.attribute("TargetMode").value(), "External");
    const std::string target = node.attribute("Target").value();
    relation.target = relation.external ? target : ResolveTarget(from, target);
    if (!relation.external && !Has(relation.target)) {
      // Some writers escape characters in the address of a part.
      if (const auto decoded = PercentDecode(relation.target); decoded && Has(*decoded))
        relation.target = *decoded;
    }
    relations.push_back(std::move(relation));
  }
  return relations;
}

std::string Package::Target(std::string_view from, std::string_view id) {
  for (Relation& relation : Relations(from))
    if (relation.id == id) return std::move(relation.target);
  return {};
}

std::string Package::AddRelation(std::string_view from,
                                 std::string_view kind,
                                 std::string target,
                                 bool external) {
  pugi::xml_node root = RelationsRoot(from, true);
  std::set<std::string> taken;
  for (const pugi::xml_node node : root.children("Relationship"))
    taken.insert(node.attribute("Id").value());
  std::size_t number = taken.size() + 1;
  while (taken.count("rId" + std::to_string(number)) > 0) ++number;
  const std::string id = "rId" + std::to_string(number);
  const bool is_uri = kind.find("://") != std::string_view::npos;
  const std::string type =
      is_uri ? std::string(kind) : std::string(kRelationBase) + std::string(kind);
  pugi::xml_node node = root.append_child("Relationship");
  node.append_attribute("Id").set_value(id.c_str());
  node.append_attribute("Type").set_value(type.c_str());
  node.append_attribute("Target").set_value(target.c_str());
  if (external) node.append_attribute("TargetMode").set_value("External");
  return id;
}

std::string Package::Relate(std::string_view from,
                            std::string_view kind,
                            std::string_view target_part) {
  return AddRelation(from, kind, "/" + std::string(target_part), false);
}

std::string Package::RelateExternal(std::string_view from,
                                    std::string_view kind,
                                    std::string_view target) {
  return AddRelation(from, kind, std::string(target), true);
}

std::vector<std::string> Package::Reachable() {
  std::set<std::string> seen;
  std::vector<std::string> waiting = {""};
  while (!waiting.empty()) {
    const std::string from = std::move(waiting.back());
    waiting.pop_back();
    for (Relation& relation : Relations(from)) {
      if (relation.external || !Has(relation.target)) continue;
      if (seen.insert(relation.target).second) waiting.push_back(std::move(relation.target));
    }
  }
  return {seen.begin(), seen.end()};
}

void Package::Unrelate(std::string_view from, std::string_view id) {
  const std::vector<std::string> before = Reachable();
  pugi::xml_node root = RelationsRoot(from, false);
  const std::string wanted(id);
  const pugi::xml_node node = root.find_child_by_attribute("Relationship", "Id", wanted.c_str());
  if (!node) return;
  root.remove_child(node);
  const std::vector<std::string> after = Reachable();
  for (const std::string& part : before)
    if (!std::binary_search(after.begin(), after.end(), part)) Remove(part);
}

}  // namespace viv::tools::ooxml
