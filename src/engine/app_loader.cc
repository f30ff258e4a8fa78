#include "engine/app_loader.h"

#include <absl/time/time.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/ids.h"
#include "base/text.h"
#include "engine/app_check.h"
#include "engine/frame.h"
#include "engine/model_loader.h"
#include "engine/step_loader.h"
#include "engine/yaml.h"

namespace viv::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kFileBytesMax = 32 << 20;

std::string ReadText(const std::string& folder, const std::string& file) {
  std::ifstream in(folder + "/" + file, std::ios::binary);
  if (!in) throw LoadFailure{file + ": the file cannot be read"};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// schema.sql, then the files of schema/ in the order of their names, for apps whose tables are
// many.
std::string ReadSchema(const std::string& folder) {
  std::string sql = ReadText(folder, "schema.sql");
  std::vector<std::string> parts;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder + "/schema", none)) {
    if (entry.path().extension() == ".sql")
      parts.push_back("schema/" + entry.path().filename().string());
  }
  std::sort(parts.begin(), parts.end());
  for (const std::string& part : parts) sql += "\n" + ReadText(folder, part);
  return sql;
}

// One digest over names and contents of all files, so that any change makes a new version of the
// app.
std::string DigestFolder(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    if (entry.file_size() > kFileBytesMax) {
      throw LoadFailure{fs::relative(entry.path(), folder).string() + ": larger than 32 MiB"};
    }
    files.push_back(fs::relative(entry.path(), folder).string());
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const std::string& file : files)
    all += file + '\0' + Sha256Hex(ReadText(folder, file)) + '\n';
  return Sha256Hex(all);
}

// "input": a map of properties in JSON Schema, each with `required: true` beside its own keywords.
json::object InputSchema(const Yaml& input) {
  json::object properties;
  json::array required;
  input.ForEachMember([&](const std::string& name, const Yaml& property) {
    json::value schema = property.Json();
    if (!schema.is_object()) property.ThrowError("a property is a map, such as {type: string}");
    if (const json::value* flag = schema.get_object().if_contains("required");
        flag != nullptr && flag->is_bool()) {
      if (flag->get_bool()) required.emplace_back(name);
      schema.get_object().erase("required");
    }
    properties[name] = std::move(schema);
  });
  json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

class Loader {
 public:
  explicit Loader(const std::string& folder) : app_(std::make_shared<App>()), steps_(*app_) {
    app_->folder = folder;
  }

  std::shared_ptr<App> Load() {
    Yaml top = Yaml::ReadFile(app_->folder, "app.yaml");
    top.AllowOnly({"name", "title", "description", "instructions", "aliases", "clock", "tick_ms",
                   "time_zone", "identity", "error_prefix", "auth_data", "metadata", "procedures",
                   "queries", "profiles", "base", "dump", "data"});
    LoadFacts(top);
    app_->schema_sql = ReadSchema(app_->folder);
    Section(top, "queries").ForEachMember([&](const std::string& name, const Yaml& query) {
      LoadQuery(name, query);
    });
    steps_.LoadProcedures(Section(top, "procedures"));
    app_->model = LoadModel(Section(top, "data"), top["dump"], steps_);
    if (!top["profiles"]["default"].exists())
      top["profiles"].ThrowError("a profile named 'default' is needed");
    LoadProfile("default", top["profiles"]["default"]);
    top["profiles"].ForEachMember([&](const std::string& name, const Yaml& profile) {
      if (name != "default") LoadProfile(name, profile);
    });
    app_->digest = DigestFolder(app_->folder);
    app_->statement_count = steps_.statement_count();
    return app_;
  }

 private:
  // A part of app.yaml, written there or in the file it names.
  Yaml Section(const Yaml& top, std::string_view name) const {
    Yaml section = top[name];
    return section.exists() && section.is_text() ? Yaml::ReadFile(app_->folder, section.Text())
                                                 : section;
  }

  void LoadFacts(const Yaml& top) {
    app_->name = top["name"].Text();
    if (app_->name != fs::path(app_->folder).filename().string()) {
      top["name"].ThrowError("the name must be that of the folder");
    }
    app_->title = top["title"].Text(app_->name);
    app_->description = top["description"].Text("");
    app_->instructions = top["instructions"].Text("");
    app_->error_prefix = top["error_prefix"].Text("");
    app_->time_zone = top["time_zone"].Text("UTC");
    app_->base_seed = top["base"].Text("");
    app_->auth_data = top["auth_data"].Json();
    app_->metadata = top["metadata"].Json();
    top["aliases"].ForEachItem([&](const Yaml& alias) { app_->aliases.push_back(alias.Text()); });
    top["identity"].ForEachMember(
        [&](const std::string& key, const Yaml& value) { app_->identity[key] = value.Text(); });
    absl::Time start;
    std::string error;
    if (!absl::ParseTime(absl::RFC3339_full, top["clock"].Text("2025-06-02T09:00:00Z"), &start,
                         &error)) {
      top["clock"].ThrowError("a time such as 2025-06-02T09:00:00Z is expected: " + error);
    }
    app_->clock_start_ms = absl::ToUnixMillis(start);
    if (json::value tick = top["tick_ms"].Json(); tick.is_int64()) app_->tick_ms = tick.get_int64();
  }

  void LoadQuery(const std::string& name, const Yaml& query) {
    json::value declaration = query.Json();
    if (!declaration.is_object()) query.ThrowError("a query is a map");
    QueryTarget target;
    target.language = query["language"].Text();
    declaration.get_object().erase("language");
    auto parsed = query::ParseTarget(declaration);
    if (!parsed) query.ThrowError("query '" + name + "': " + parsed.error().message);
    target.target = std::move(*parsed);
    app_->queries[name] = std::move(target);
  }

  void LoadProfile(const std::string& name, const Yaml& profile) {
    profile.AllowOnly({"tools", "seed", "clock"});
    Profile loaded;
    loaded.name = name;
    std::string clock = profile["clock"].Text("tick");
    if (clock != "tick" && clock != "real") profile["clock"].ThrowError("clock is tick or real");
    if (clock == "real") loaded.clock = ClockMode::kReal;
    loaded.seed = profile["seed"].Text("");
    if (!loaded.seed.empty() && !fs::exists(app_->folder + "/" + loaded.seed)) {
      profile["seed"].ThrowError("there is no file " + loaded.seed);
    }
    if (profile["tools"].exists()) {
      profile["tools"].ForEachItem([&](const Yaml& file) { LoadToolFile(file, loaded); });
    } else if (name != "default") {
      const Profile& main = app_->profiles.front();
      loaded.tools = main.tools;
      app_->tool_sets[name] = app_->tool_sets[main.name];
    }
    for (const std::string& tool : loaded.tools) {
      loaded.listing.push_back(json::serialize(Describe(app_->tool_sets[name].at(tool))));
    }
    app_->profiles.push_back(std::move(loaded));
  }

  static json::object Describe(const Tool& tool) {
    json::object shown{
        {"name", tool.name}, {"description", tool.description}, {"inputSchema", tool.input_schema}};
    if (tool.output_schema) shown["outputSchema"] = *tool.output_schema;
    if (!tool.annotations.empty()) shown["annotations"] = tool.annotations;
    return shown;
  }

  void LoadToolFile(const Yaml& file_name, Profile& profile) {
    std::string file = file_name.Text();
    if (!fs::exists(app_->folder + "/" + file)) file_name.ThrowError("there is no file " + file);
    Yaml::ReadFile(app_->folder, file).ForEachItem([&](const Yaml& item) {
      Tool tool = LoadTool(item);
      auto& set = app_->tool_sets[profile.name];
      profile.tools.push_back(tool.name);
      std::string name = tool.name;
      if (!set.emplace(name, std::move(tool)).second)
        item.ThrowError("tool '" + name + "' is declared twice");
    });
  }

  Tool LoadTool(const Yaml& item) {
    item.AllowOnly({"name", "like", "description", "input", "input_schema", "output", "annotations",
                    "steps", "result", "text", "content", "loose"});
    Tool tool;
    if (item["like"].exists()) tool = FindTool(item["like"]);
    tool.name = item["name"].Text();
    tool.description = item["description"].Text(tool.description);
    if (tool.description.empty()) item.ThrowError("tool '" + tool.name + "' has no description");
    if (item["input_schema"].exists()) {
      tool.input_schema = item["input_schema"].Json().as_object();
    } else if (item["input"].exists() || tool.input_schema.empty()) {
      tool.input_schema = InputSchema(item["input"]);
    }
    RefuseReservedNames(tool, item);
    if (item["output"].exists()) tool.output_schema = item["output"].Json().as_object();
    if (item["annotations"].exists()) tool.annotations = item["annotations"].Json().as_object();
    tool.loose = item["loose"].Truth(tool.loose);
    if (item["steps"].exists()) tool.steps = steps_.LoadSteps(item["steps"]);
    for (auto [key, form] : {std::pair("result", Tool::Form::kJson),
                             {"text", Tool::Form::kText},
                             {"content", Tool::Form::kContent}}) {
      if (!item[key].exists()) continue;
      tool.form = form;
      tool.result = steps_.LoadSql(item[key]);
    }
    if (tool.result.empty())
      item.ThrowError("tool '" + tool.name + "' has no result, text or content");
    return tool;
  }

  static void RefuseReservedNames(const Tool& tool, const Yaml& item) {
    const json::value* properties = tool.input_schema.if_contains("properties");
    if (properties == nullptr || !properties->is_object()) return;
    for (const auto& property : properties->get_object()) {
      if (!IsReservedName(property.key()) && property.key() != "changes") continue;
      std::string key = item["input_schema"].exists() ? "input_schema" : "input";
      item[key].ThrowError("tool '" + tool.name + "': the argument '" +
                           std::string(property.key()) +
                           "' has a name that the engine gives a meaning; choose another");
    }
  }

  // A tool of any profile loaded so far, the default one first.
  Tool FindTool(const Yaml& like) const {
    std::string name = like.Text();
    for (const Profile& profile : app_->profiles) {
      if (const Tool* found = app_->tool(profile, name)) return *found;
    }
    for (const auto& [profile, set] : app_->tool_sets) {
      if (auto found = set.find(name); found != set.end()) return found->second;
    }
    like.ThrowError("there is no tool '" + name + "' above to be like");
  }

  std::shared_ptr<App> app_;
  StepLoader steps_;
};

}  // namespace

Result<AppPtr> LoadApp(const std::string& folder) {
  try {
    std::shared_ptr<App> app = Loader(folder).Load();
    RETURN_IF_ERROR(CheckApp(*app));
    return AppPtr(app);
  } catch (const LoadFailure& failure) {
    return Fail(ErrorCode::kInvalidArgument, folder + "/" + failure.message);
  } catch (const YAML::Exception& e) {
    return Fail(ErrorCode::kInvalidArgument,
                folder + ": line " + std::to_string(e.mark.line + 1) + ": " + e.msg);
  } catch (const std::exception& e) {
    return Fail(ErrorCode::kInvalidArgument, folder + ": " + e.what());
  }
}

}  // namespace viv::engine
