#include <gtest/gtest.h>

#include <algorithm>

#include "tools/kit/python_repr.h"
#include "tools/kit/tool_server.h"

namespace viv::tools {
namespace {

json::object ObjectOf(std::string_view text) {
  return ParseJson(text)->get_object();
}

// The refusal's text, or empty; `arguments` may be converted.
std::string RefusalOf(ArgumentErrors errors, std::string_view schema, json::object& arguments) {
  auto refusal = RefuseArguments(errors, "t", ObjectOf(schema), arguments);
  if (!refusal) return {};
  if (!*refusal) return std::to_string(refusal->error().code) + " " + refusal->error().message;
  EXPECT_TRUE((*refusal)->is_error);
  return std::string((*refusal)->content.at(0).at("text").get_string());
}

std::string RefusalOf(ArgumentErrors errors, std::string_view schema, std::string_view arguments) {
  json::object given = ObjectOf(arguments);
  return RefusalOf(errors, schema, given);
}

constexpr std::string_view kFileSchema = R"({"type": "object", "required": ["path", "edits"],
  "properties": {"path": {"type": "string"}, "head": {"type": "number"},
    "mode": {"type": "string", "enum": ["a", "b"], "default": "a"}, "any": {},
    "edits": {"type": "array", "minItems": 1, "items": {"type": "object",
      "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
      "required": ["old", "new"]}}}, "additionalProperties": false})";

std::string ZodText(std::string_view arguments) {
  const std::string text = RefusalOf(ArgumentErrors::kZod, kFileSchema, arguments);
  const std::string prefix =
      "MCP error -32602: Input validation error: Invalid arguments for tool t: ";
  EXPECT_TRUE(text.empty() || text.starts_with(prefix)) << text;
  return text.empty() ? text : text.substr(prefix.size());
}

TEST(RefuseArgumentsTest, ZodIgnoresWhatItDoesNotKnow) {
  EXPECT_EQ(ZodText(R"({"path": "x", "edits": [{"old": "", "new": "", "z": 1}], "more": 5})"), "");
}

TEST(RefuseArgumentsTest, ZodNamesEveryMistakeWithItsPlace) {
  EXPECT_EQ(ZodText("{}"),
            "Invalid input: expected string, received undefined at path\n"
            "Invalid input: expected array, received undefined at edits");
  EXPECT_EQ(ZodText(R"({"path": null, "head": "1", "mode": "c", "edits": []})"),
            "Invalid input: expected string, received null at path\n"
            "Invalid input: expected number, received string at head\n"
            "Invalid option: expected one of \"a\"|\"b\" at mode\n"
            "Too small: expected array to have >=1 items at edits");
  EXPECT_EQ(ZodText(R"({"path": [], "edits": [{"old": 1}, 5]})"),
            "Invalid input: expected string, received array at path\n"
            "Invalid input: expected string, received number at edits[0].old\n"
            "Invalid input: expected string, received undefined at edits[0].new\n"
            "Invalid input: expected object, received number at edits[1]");
}

TEST(RefuseArgumentsTest, ZodStopsAtAHundredMistakes) {
  std::string many = R"({"path": "x", "edits": [)";
  for (int i = 0; i < 5000; ++i) many += i == 0 ? "1" : ",1";
  const std::string text = ZodText(many + "]}");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 99);
}

TEST(RefuseArgumentsTest, ZodParseShowsTheListOfIssues) {
  const auto text = [](std::string_view arguments) {
    return RefusalOf(ArgumentErrors::kZodParse, kFileSchema, arguments);
  };
  EXPECT_EQ(text(R"({"edits": [{"old": 5, "new": ""}]})"), R"(Error: [
  {
    "code": "invalid_type",
    "expected": "string",
    "received": "undefined",
    "path": [
      "path"
    ],
    "message": "Required"
  },
  {
    "code": "invalid_type",
    "expected": "string",
    "received": "number",
    "path": [
      "edits",
      0,
      "old"
    ],
    "message": "Expected string, received number"
  }
])");
  EXPECT_EQ(text(R"({"path": "", "edits": [{"old": "", "new": ""}], "mode": "zz"})"), R"(Error: [
  {
    "received": "zz",
    "code": "invalid_enum_value",
    "options": [
      "a",
      "b"
    ],
    "path": [
      "mode"
    ],
    "message": "Invalid enum value. Expected 'a' | 'b', received 'zz'"
  }
])");
  EXPECT_EQ(text(R"({"path": "", "edits": [{"old": "", "new": ""}], "more": 1})"), "");
}

constexpr std::string_view kPythonSchema = R"({"type": "object", "required": ["s", "n"],
  "properties": {"s": {"type": "string"}, "n": {"type": "integer"}, "b": {"type": "boolean"},
    "f": {"type": "number"}, "o": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "d": {"anyOf": [{"type": "object", "additionalProperties": true}, {"type": "null"}]},
    "l": {"type": "array", "items": {"type": "string"}},
    "r": {"type": "array", "items": {"type": "array", "items": {}}},
    "e": {"enum": ["x", "y"], "type": "string"},
    "u": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}})";

// The arguments as they are after the check, or the refusal without its first line and addresses.
std::string Fitted(std::string_view member) {
  json::object arguments = ObjectOf(R"({"s": "S", "n": 1, )" + std::string(member) + "}");
  std::string text = RefusalOf(ArgumentErrors::kPydantic, kPythonSchema, arguments);
  if (text.empty()) {
    arguments.erase("s");
    if (member.find("\"n\"") == member.npos) arguments.erase("n");
    return WriteJson(arguments);
  }
  EXPECT_TRUE(text.starts_with("Error executing tool t: ")) << text;
  std::string shown;
  std::size_t at = text.find('\n') + 1;
  for (std::size_t end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.find("For further") == line.npos) shown += (shown.empty() ? "" : "|") + line;
  }
  return shown;
}

TEST(RefuseArgumentsTest, PydanticConvertsWhatCanBeRead) {
  EXPECT_EQ(Fitted(R"("n": "5")"), R"({"n":5})");
  EXPECT_EQ(Fitted(R"("n": " +1_000.00 ")"), R"({"n":1000})");
  EXPECT_EQ(Fitted(R"("n": 5.0)"), R"({"n":5})");
  EXPECT_EQ(Fitted(R"("n": true)"), R"({"n":1})");
  EXPECT_EQ(Fitted(R"("b": "Yes")"), R"({"b":true})");
  EXPECT_EQ(Fitted(R"("b": 0)"), R"({"b":false})");
  EXPECT_EQ(Fitted(R"("f": "1e3")"), R"({"f":1000.0})");
  EXPECT_EQ(Fitted(R"("f": ".5")"), R"({"f":0.5})");
  EXPECT_EQ(Fitted(R"("o": null)"), R"({"o":null})");
  EXPECT_EQ(Fitted(R"("o": "null")"), R"({"o":null})");
  EXPECT_EQ(Fitted(R"("d": "{\"a\": 1}")"), R"({"d":{"a":1}})");
  EXPECT_EQ(Fitted(R"("l": "[\"a\"]")"), R"({"l":["a"]})");
  EXPECT_EQ(Fitted(R"("u": "5")"), R"({"u":"5"})");
  EXPECT_EQ(Fitted(R"("u": true)"), R"({"u":1})");
  EXPECT_EQ(Fitted(R"("more": 1)"), R"({"more":1})");
}

TEST(RefuseArgumentsTest, PydanticSaysWhatItCannotRead) {
  const std::string number = "n|  Input should be a valid integer";
  EXPECT_EQ(Fitted(R"("n": "5.5")"), number +
                                         ", unable to parse string as an integer "
                                         "[type=int_parsing, input_value='5.5', input_type=str]");
  EXPECT_EQ(Fitted(R"("n": 5.5)"), number +
                                       ", got a number with a fractional part "
                                       "[type=int_from_float, input_value=5.5, input_type=float]");
  EXPECT_EQ(Fitted(R"("n": "[1, 2]")"),
            number + " [type=int_type, input_value=[1, 2], input_type=list]");
  EXPECT_NE(Fitted(R"("n": "99999999999999999999")").find("int_parsing_size"), std::string::npos);
  EXPECT_NE(Fitted(R"("n": 1e300)").find("int_parsing_size"), std::string::npos);
  for (std::string_view bad : {"\"1__0\"", "\"_1\"", "\"\"", "\"+\"", "\"5.\"", "\"0x10\""})
    EXPECT_NE(Fitted("\"n\": " + std::string(bad)).find("int_parsing"), std::string::npos) << bad;
  EXPECT_EQ(Fitted(R"("b": 5)"),
            "b|  Input should be a valid boolean, unable to interpret input "
            "[type=bool_parsing, input_value=5, input_type=int]");
  EXPECT_EQ(Fitted(R"("f": "NaN")"),
            "f|  Input should be a valid number, unable to parse string as a number "
            "[type=float_parsing, input_value='NaN', input_type=str]");
  EXPECT_EQ(Fitted(R"("d": [1])"),
            "d|  Input should be a valid dictionary "
            "[type=dict_type, input_value=[1], input_type=list]");
  EXPECT_EQ(Fitted(R"("l": ["a", 1])"),
            "l.1|  Input should be a valid string "
            "[type=string_type, input_value=1, input_type=int]");
  EXPECT_EQ(Fitted(R"("r": [1, [2]])"),
            "r.0|  Input should be a valid list [type=list_type, input_value=1, input_type=int]");
  EXPECT_EQ(Fitted(R"("e": "z")"),
            "e|  Input should be 'x' or 'y' [type=literal_error, input_value='z', input_type=str]");
  EXPECT_EQ(Fitted(R"("u": null)"),
            "u.int|  Input should be a valid integer "
            "[type=int_type, input_value=None, input_type=NoneType]|"
            "u.str|  Input should be a valid string "
            "[type=string_type, input_value=None, input_type=NoneType]");
}

TEST(RefuseArgumentsTest, PydanticCountsMistakesAndShortensValues) {
  EXPECT_EQ(
      RefusalOf(ArgumentErrors::kPydantic, kPythonSchema, R"({"n": []})"),
      "Error executing tool t: 2 validation errors for tArguments\n"
      "s\n  Field required [type=missing, input_value={'n': []}, input_type=dict]\n"
      "    For further information visit https://errors.pydantic.dev/2.11/v/missing\n"
      "n\n  Input should be a valid integer [type=int_type, input_value=[], input_type=list]\n"
      "    For further information visit https://errors.pydantic.dev/2.11/v/int_type");
  const std::string long_text = Fitted("\"e\": \"" + std::string(300, 'q') + "\"");
  EXPECT_NE(
      long_text.find("input_value='" + std::string(24, 'q') + "..." + std::string(23, 'q') + "',"),
      std::string::npos)
      << long_text;
  std::string accents;
  for (int i = 0; i < 60; ++i) accents += "é";
  EXPECT_NE(Fitted("\"e\": \"" + accents + "\"")
                .find("'" + accents.substr(0, 24) + "..." + accents.substr(0, 22) + "',"),
            std::string::npos);
}

TEST(RefuseArgumentsTest, OtherFamiliesUseTheWordsOfJsonSchema) {
  EXPECT_EQ(RefusalOf(ArgumentErrors::kJsonSchema, kPythonSchema, "{}"),
            "Input validation error: 's' is a required property");
  EXPECT_EQ(RefusalOf(ArgumentErrors::kFailure, kPythonSchema, "{}"),
            "-32603 Invalid arguments for t: 's' is a required property");
}

TEST(PythonReprTest, ShowsValuesAsPythonDoes) {
  EXPECT_EQ(PythonRepr(*ParseJson(R"({"it's": ["a\"b", "\n\u0001é", "'\""]})")),
            "{\"it's\": ['a\"b', '\\n\\x01é', '\\'\"']}");
  EXPECT_EQ(PythonRepr(*ParseJson("[null, true, 1, 1.0, 1e20, -1.5e-7, 100000.5, 0.0001, {}]")),
            "[None, True, 1, 1.0, 1e+20, -1.5e-07, 100000.5, 0.0001, {}]");
}

}  // namespace
}  // namespace viv::tools
