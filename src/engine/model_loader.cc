#include "engine/model_loader.h"

#include <array>

namespace viv::engine {
namespace {

constexpr std::array<std::string_view, 8> kTypes = {"string",  "email",  "integer", "number",
                                                    "boolean", "object", "list",    "any"};

bool IsType(std::string_view type) {
  for (std::string_view known : kTypes) {
    if (known == type) return true;
  }
  return false;
}

std::vector<std::string> Texts(const Yaml& list) {
  std::vector<std::string> texts;
  list.ForEachItem([&](const Yaml& item) { texts.push_back(item.Text()); });
  return texts;
}

// "string", "string!" (required), "string[]" (a list of strings): the short forms of a type.
void ReadType(const Yaml& from, std::string type, ModelField& field) {
  if (type.ends_with('!')) {
    field.required = true;
    field.nullable = false;
    type.pop_back();
  }
  if (type.ends_with("[]")) {
    field.item_type = type.substr(0, type.size() - 2);
    type = "list";
  }
  if (!IsType(type) || (!field.item_type.empty() && !IsType(field.item_type))) {
    from.ThrowError(
        "unknown type '" + type +
        "'; known: string email integer number boolean object list any, TYPE[] and TYPE!");
  }
  field.type = type;
}

ModelField LoadField(const std::string& name, const Yaml& from, bool has_table) {
  ModelField field;
  field.name = name;
  field.column = has_table ? name : "";
  if (from.is_text()) {
    ReadType(from, from.Text(), field);
    return field;
  }
  from.AllowOnly({"type", "column", "required", "nullable", "extra", "read_only", "default",
                  "aliases", "choices", "max_length", "minimum", "maximum", "load", "dump",
                  "implied"});
  ReadType(from, from["type"].Text("string"), field);
  field.column = from["column"].Text(field.column);
  if (field.column == "none") field.column.clear();
  if (from["required"].Truth(field.required)) {
    field.required = true;
    field.nullable = false;
  }
  field.extra = from["extra"].Truth(false);
  field.implied = from["implied"].Text("");
  if (!field.implied.empty() && !field.extra)
    from["implied"].ThrowError("implied is for extra fields");
  field.read_only = from["read_only"].Truth(false);
  if (from["default"].exists()) {
    field.fallback = from["default"].Json();
    field.nullable = false;
  }
  field.nullable = from["nullable"].Truth(field.nullable);
  field.aliases = Texts(from["aliases"]);
  field.choices = Texts(from["choices"]);
  if (json::value limit = from["max_length"].Json(); limit.is_int64())
    field.length_max = limit.get_int64();
  if (json::value limit = from["minimum"].Json(); limit.is_number())
    field.minimum = limit.to_number<double>();
  if (json::value limit = from["maximum"].Json(); limit.is_number())
    field.maximum = limit.to_number<double>();
  field.load = from["load"].Text("");
  field.dump = from["dump"].Text("");
  return field;
}

class ModelLoader {
 public:
  explicit ModelLoader(StepLoader& steps) : steps_(steps) {}

  ModelChild LoadChild(const std::string& name, const Yaml& from) {
    from.AllowOnly({"table", "like", "fields", "set", "where", "order", "load", "rows", "before",
                    "after", "children", "link", "single", "required", "extra", "aliases", "id"});
    ModelChild child;
    child.name = name;
    child.single = from["single"].Truth(false);
    child.required = from["required"].Truth(false);
    child.extra = from["extra"].Truth(false);
    child.aliases = Texts(from["aliases"]);
    from["link"].ForEachMember(
        [&](const std::string& column, const Yaml& parent) { child.link[column] = parent.Text(); });
    if (from["like"].exists()) {
      auto found = named_.find(from["like"].Text());
      if (found == named_.end())
        from["like"].ThrowError("there is no collection with id '" + from["like"].Text() +
                                "' above");
      // Borrowed: the model owns it where it is declared, and a tree within itself would own
      // itself.
      child.target =
          std::shared_ptr<Collection>(std::shared_ptr<Collection>(), found->second.get());
    } else {
      child.target = LoadCollection(name, from);
    }
    AddSelect(*child.target, child, from);
    return child;
  }

  void Finish() {
    for (const auto& [collection, location] : locations_) AddInsert(*collection, location);
  }

 private:
  std::shared_ptr<Collection> LoadCollection(const std::string& name, const Yaml& from) {
    auto collection = std::make_shared<Collection>();
    named_[from["id"].Text(name)] = collection;  // before its children, so that they can be like it
    locations_.emplace_back(collection, from.location());
    collection->table = from["table"].Text("");
    collection->where = from["where"].Text("");
    collection->order = from["order"].Text("t.rowid");
    from["fields"].ForEachMember([&](const std::string& field, const Yaml& value) {
      collection->fields.push_back(LoadField(field, value, !collection->table.empty()));
    });
    from["set"].ForEachMember(
        [&](const std::string& column, const Yaml& sql) { collection->set[column] = sql.Text(); });
    collection->load = steps_.LoadSteps(from["load"]);
    collection->before = steps_.LoadSteps(from["before"]);
    collection->after = steps_.LoadSteps(from["after"]);
    if (from["rows"].exists()) collection->rows = steps_.LoadSql(from["rows"]);
    if (collection->table.empty() && !from["load"].exists()) {
      from.ThrowError("collection '" + name + "' needs a table, or load and rows");
    }
    from["children"].ForEachMember([&](const std::string& child, const Yaml& value) {
      collection->children.push_back(LoadChild(child, value));
    });
    return collection;
  }

  // The SELECT for one way of reaching a collection.
  void AddSelect(Collection& collection, const ModelChild& child, const Yaml& from) {
    if (collection.table.empty()) return;
    std::string select = "SELECT t.*";
    for (std::size_t i = 0; i < collection.fields.size(); ++i) {
      const ModelField& field = collection.fields[i];
      std::string value = !field.dump.empty()     ? field.dump
                          : !field.column.empty() ? "t." + field.column
                                                  : "NULL";
      select += ", (" + value + ") AS \"=" + std::to_string(i) + "\"";
    }
    select += " FROM " + collection.table + " t";
    std::string where = collection.where.empty() ? "" : "(" + collection.where + ")";
    for (const auto& [column, parent] : child.link) {
      where += (where.empty() ? "" : " AND ") + ("t." + column + " IS :parent_" + parent);
      collection.link_columns.insert(column);
    }
    if (!where.empty()) select += " WHERE " + where;
    select += " ORDER BY " + collection.order;
    collection.selects.try_emplace(child.LinkKey(), steps_.MakeSql(select, from.location()));
  }

  // The INSERT, which serves every way: a link's value arrives as :link_<column>, NULL where a way
  // has no such link.
  void AddInsert(Collection& collection, const std::string& location) {
    if (collection.table.empty()) return;
    std::map<std::string, std::string> values;
    for (const std::string& column : collection.link_columns) values[column] = ":link_" + column;
    for (const ModelField& field : collection.fields) {
      if (field.column.empty() || field.read_only) continue;
      values[field.column] = field.load.empty() ? ":" + field.name : "(" + field.load + ")";
    }
    for (const auto& [column, value] : collection.set) values[column] = "(" + value + ")";
    std::string columns;
    std::string expressions;
    for (const auto& [column, value] : values) {
      columns += (columns.empty() ? "" : ", ") + column;
      expressions += (expressions.empty() ? "" : ", ") + value;
    }
    collection.insert = steps_.MakeSql("INSERT INTO " + collection.table + " (" + columns +
                                           ") VALUES (" + expressions + ") RETURNING *",
                                       location);
  }

  StepLoader& steps_;
  std::map<std::string, std::shared_ptr<Collection>> named_;
  std::vector<std::pair<std::shared_ptr<Collection>, std::string>> locations_;
};

}  // namespace

Model LoadModel(const Yaml& data, const Yaml& dump_form, StepLoader& steps) {
  Model model;
  std::string form = dump_form.Text("full");
  if (form != "full" && form != "sparse") dump_form.ThrowError("dump is full or sparse");
  model.sparse = form == "sparse";
  ModelLoader loader(steps);
  data.ForEachMember([&](const std::string& name, const Yaml& from) {
    model.collections.push_back(loader.LoadChild(name, from));
  });
  loader.Finish();
  return model;
}

}  // namespace viv::engine
