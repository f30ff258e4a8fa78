// Every tool of every app, called with values that make no sense: the answer is ours, never
// SQLite's, and never a failure of ours.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "base/ids.h"
#include "engine/catalogue.h"
#include "engine/random_calls.h"
#include "engine/world.h"

namespace viv::engine {
namespace {

constexpr std::size_t kValuesPerArgument = 8;
constexpr std::int64_t kOddStepsMax = 20'000'000;

constexpr std::array<std::string_view, 24> kTextsOfSqlite = {"malformed JSON",
                                                             "datatype mismatch",
                                                             "no such table",
                                                             "no such column",
                                                             "no such function",
                                                             "constraint failed",
                                                             "near \"",
                                                             "JSON path error",
                                                             "bad JSON path",
                                                             "integer overflow",
                                                             "string or blob too big",
                                                             "JSON cannot hold",
                                                             "pattern too complex",
                                                             "ESCAPE expression",
                                                             "SQL logic error",
                                                             "wrong number of arguments",
                                                             "syntax error near",
                                                             "fts5:",
                                                             "unable to use function",
                                                             "unrecognized token",
                                                             "misuse of",
                                                             "out of memory",
                                                             "ambiguous column",
                                                             "internal error"};

json::value Deep(int levels) {
  json::value value = json::array();
  for (int i = 0; i < levels; ++i) {
    json::array around;
    around.push_back(std::move(value));
    value = std::move(around);
  }
  return value;
}

std::vector<json::value> OddValues() {
  std::vector<json::value> values = {
      json::value(1e19),
      json::value(-1),
      json::value(""),
      json::object(),
      json::array(),
      json::value("{"),
      json::value("[1"),
      json::value(nullptr),
      json::value(true),
      json::value(0.5),
      json::value(-1e308),
      json::value(std::uint64_t{18446744073709551615u}),
      json::value(INT64_MIN),
      json::value(INT64_MAX),
      json::value("%_\\\"'`;--"),
      json::value("$.a[#-"),
      json::value("1e400"),
      json::value(std::string(100'000, 'x')),
      json::object{{"a", json::object{{"b", json::array{1, "x", nullptr}}}}},
      json::array{json::object(), "x", 5, nullptr, json::array()},
      Deep(50),
      json::value("-0"),
      json::value("\xF0\x9F\x98\x80 NOT AND ("),
  };
  json::string with_zero("a");
  with_zero.push_back('\0');
  with_zero += "b";
  values.emplace_back(std::move(with_zero));
  return values;
}

class OddArgumentsTest : public testing::Test {
 protected:
  OddArgumentsTest()
      : data_(std::filesystem::temp_directory_path() / ("viv-test-" + RandomHex(12))) {}
  ~OddArgumentsTest() override { std::filesystem::remove_all(data_); }

  void Check(World& world, const Tool& tool, const json::object& arguments) {
    auto answer = world.Call(tool.name, arguments, kOddStepsMax);
    ++calls_;
    std::string shown = json::serialize(arguments).substr(0, 400);
    if (!answer) {
      EXPECT_EQ(answer.error().code, ErrorCode::kLimitExceeded)
          << tool.name << " " << shown << ": " << answer.error().message;
      return;
    }
    for (std::string_view text : kTextsOfSqlite) {
      EXPECT_EQ(answer->text.find(text), answer->text.npos)
          << tool.name << " " << shown << ": " << answer->text.substr(0, 300);
    }
  }

  // Each argument in turn, and each member of an argument that is an object.
  void CheckTool(World& world, RandomCalls& calls, const Tool& tool) {
    const json::value* properties = tool.input_schema.if_contains("properties");
    if (properties == nullptr || !properties->is_object()) return;
    for (const auto& property : properties->get_object()) {
      for (std::size_t i = 0; i < kValuesPerArgument; ++i) {
        RandomCalls::Call call = calls.ForTool(tool);
        call.arguments[property.key()] = Odd();
        Check(world, tool, call.arguments);
        const json::value* members = Find(property.value(), "properties");
        if (members == nullptr || !members->is_object() || members->get_object().empty()) continue;
        call = calls.ForTool(tool);
        json::value& within = call.arguments[property.key()];
        if (!within.is_object()) within = json::object();
        auto member = members->get_object().begin();
        member += static_cast<std::ptrdiff_t>(i % members->get_object().size());
        within.get_object()[member->key()] = Odd();
        Check(world, tool, call.arguments);
      }
    }
  }

  const json::value& Odd() { return values_[next_++ % values_.size()]; }

  std::filesystem::path data_;
  std::vector<json::value> values_ = OddValues();
  std::size_t next_ = 0;
  std::size_t calls_ = 0;
};

TEST_F(OddArgumentsTest, AreAnsweredInOurOwnWords) {
  Catalogue catalogue({{VIV_SOURCE_DIR "/apps"}, data_});
  for (const auto& load_error : catalogue.Refresh()) ADD_FAILURE() << load_error.message;
  for (const LoadedAppPtr& loaded : catalogue.List()) {
    for (const Profile& profile : loaded->app->profiles) {
      SCOPED_TRACE(loaded->app->name + " " + profile.name);
      World world(loaded, profile.name, data_ / RandomHex(12));
      RandomCalls calls(*loaded->app, profile, 3);
      calls.Learn(world);
      for (const std::string& name : profile.tools)
        CheckTool(world, calls, *loaded->app->tool(profile, name));
    }
  }
  EXPECT_GT(calls_, 1000u);
}

}  // namespace
}  // namespace viv::engine
