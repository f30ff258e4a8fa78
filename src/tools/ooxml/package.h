#pragma once
// An Office document as a package: a zip of parts, the content type of each, and the relations
// between them. XML parts are edited in place as documents, so that everything nobody here knows
// about (parts, elements, attributes) is still there after a save.
//
// A package comes from a stranger. Its size, its compression and its number of parts are limited,
// no part may have a name that leads out of it, and XML with a document type (the way to entities)
// or with absurd nesting is refused.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "base/result.h"

namespace viv::tools::ooxml {

struct Limits {
  std::size_t parts_max = 4096;
  std::uint64_t part_bytes_max = 128 << 20;   // unpacked
  std::uint64_t total_bytes_max = 256 << 20;  // unpacked
  std::uint64_t ratio_max = 300;              // unpacked to packed, of parts above ratio_from_bytes
  std::uint64_t ratio_from_bytes = 4 << 20;
  std::uint64_t xml_bytes_max =
      64 << 20;         // of a part that is parsed: its document takes several times as much
  int depth_max = 256;  // of elements in each other
};

struct Relation {
  std::string id;
  std::string type;    // a URI
  std::string target;  // the name of a part, or whatever stands there when it is external
  bool external = false;

  // By the end of the type's URI, "worksheet" or "chart": the transitional and the strict form of
  // the standard differ in all before it.
  bool Is(std::string_view kind) const;
};

constexpr std::string_view kRelationBase =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
constexpr std::string_view kFill = "viv-fill-5d41402abc4b2a76";
constexpr std::string_view kXmlDeclaration =
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

class Package {
 public:
  Package();  // without parts
  // kInvalidArgument for what is no package, kLimitExceeded for one that is too much.
  static Result<Package> Read(std::string_view bytes, Limits limits = {});
  Result<std::string> Write();  // what was changed in documents included

  // Parts are named without a slash in front: "xl/workbook.xml".
  bool Has(std::string_view part) const;
  std::vector<std::string> Parts() const;
  Result<std::string> Bytes(std::string_view part) const;  // as it would be written now
  // The part as a document to read and to change; parsed once, written again by Write. The prefix
  // of the root's namespace, if it has one, is taken away from all names ("x:row" becomes "row").
  Result<pugi::xml_document*> Xml(std::string_view part);
  void Put(std::string_view part, std::string bytes, std::string_view content_type = {});
  // Large generated XML without a document for it: at Write the text stands in place of kFill,
  // which is the text of an element of the part.
  void Fill(std::string_view part, std::string xml);
  void Remove(std::string_view part);  // with its content type and its own relations
  // "xl/charts/chart" and ".xml" give the first of chart1.xml, chart2.xml, … that is free.
  std::string FreeName(std::string_view stem, std::string_view extension) const;

  std::string ContentType(std::string_view part);
  void SetContentType(std::string_view part, std::string_view type);

  // What a part refers to; the package itself is "".
  std::vector<Relation> Relations(std::string_view from);
  // Empty when there is none of that id.
  std::string Target(std::string_view from, std::string_view id);
  // `kind` is "worksheet", "drawing", "chart" and so on, or a whole URI. Gives the new id.
  std::string Relate(std::string_view from, std::string_view kind, std::string_view target_part);
  std::string RelateExternal(std::string_view from, std::string_view kind, std::string_view target);
  // Takes the relation away, and with it every part that only it led to.
  void Unrelate(std::string_view from, std::string_view id);

 private:
  struct Part {
    std::string bytes;
    std::unique_ptr<pugi::xml_document> document;  // set: it is what counts, and lies in the bytes
    std::string fill;
  };
  std::vector<std::string> Reachable();
  pugi::xml_node RelationsRoot(std::string_view from, bool create);
  std::string AddRelation(std::string_view from,
                          std::string_view kind,
                          std::string target,
                          bool external);

  Limits limits_;
  std::map<std::string, Part, std::less<>> parts_;
};

// The text of a document as a part is written: no indentation, with the declaration.
std::string WriteXml(const pugi::xml_document& document);
// The document lies in `bytes`, which must outlive it unchanged.
Result<std::unique_ptr<pugi::xml_document>> ParseXmlInPlace(std::string& bytes,
                                                            int depth_max = 256);

// "r:id" under whatever prefix: the attribute with a prefix whose own name is `name`.
pugi::xml_attribute PrefixedAttribute(pugi::xml_node node, std::string_view name);
// Sets r:id on a node; declares the prefix on the root where it is not declared.
void SetRelationId(pugi::xml_node node, std::string_view id);
// "xl/worksheets/sheet1.xml" and "../drawings/drawing1.xml" give "xl/drawings/drawing1.xml";
// empty when the path leads out of the package.
std::string ResolveTarget(std::string_view from_part, std::string_view target);
// Text fit for XML content or an attribute in double quotes; what XML cannot hold is left out.
void AppendEscaped(std::string& out, std::string_view text);

}  // namespace viv::tools::ooxml
