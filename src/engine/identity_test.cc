// Who calls is the app's to say: no argument, document or step takes the identity's place.

#include <gmock/gmock.h>

#include "engine/app_loader.h"
#include "engine/test_app.h"
#include "engine/world.h"

namespace viv::engine {
namespace {

using testing::HasSubstr;

class IdentityTest : public testing::Test {
 protected:
  void Tools(const std::string& yaml) {
    app_.Write("tools/other.yaml", "");
    app_.Write("tools/notes.yaml", yaml);
  }
  World Make() { return World(app_.Load(), "default", app_.data() + "/identity.log"); }
  std::string Complaint() {
    auto loaded = LoadApp(app_.folder());
    return loaded ? "" : loaded.error().message;
  }
  TestApp app_;
};

constexpr char kWhoAmI[] = R"(
- name: who
  description: Who calls, and what was given.
  input: {word: {type: string}}
  steps:
    - let: SELECT 'step' AS found
    - require: SELECT 1 WHERE :word IS NOT 'bad'
      error: "{me_id} said {word} {found}"
  result: SELECT json_object('id', :me_id, 'email', :me_email, 'word', :word, 'args', json(:args), 'found', :found)
)";

TEST_F(IdentityTest, NoArgumentSetsAVariableThatTheToolDoesNotDeclare) {
  Tools(kWhoAmI);
  World world = Make();
  json::object given{{"word", "x"},          {"me_id", "bob"},      {"me_email", "bob@example.com"},
                     {"args", "[]"},         {"found", "smuggled"}, {"changes", 7},
                     {"message", "smuggled"}};
  auto answer = world.Call("who", given, 0);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*ParseJson(answer->text),
            *ParseJson(R"({"id": "ann", "email": "ann@example.com", "word": "x",
                           "args": {"word": "x"}, "found": "step"})"));
}

TEST_F(IdentityTest, AValueOfAnyTypeForAnIdentityNameChangesNothing) {
  Tools(kWhoAmI);
  World world = Make();
  for (const char* value : {"true", "null", "5", "1.5", "[]", "{}", R"(["bob"])"}) {
    auto answer = world.Call("who", {{"me_id", *ParseJson(value)}}, 0);
    ASSERT_TRUE(answer) << value;
    EXPECT_FALSE(answer->is_error) << value;
    EXPECT_THAT(answer->text, HasSubstr(R"("id": "ann")")) << value;
  }
}

TEST_F(IdentityTest, AnErrorTextHasNoVariableOfTheAgents) {
  Tools(kWhoAmI);
  World world = Make();
  auto answer = world.Call("who", {{"word", "bad"}, {"me_id", "bob"}}, 0);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->text, Not(HasSubstr("bob")));
}

TEST_F(IdentityTest, AToolThatTakesOtherArgumentsHasThemInArgsAlone) {
  Tools(R"(
- name: open
  description: Takes anything.
  input_schema: {type: object, properties: {word: {type: string}}, additionalProperties: true}
  result: SELECT json_object('id', :me_id, 'args', json(:args))
- name: advice
  loose: true
  description: Its schema is advice.
  input_schema: {type: object, properties: {word: {type: string}}}
  result: SELECT json_object('id', :me_id, 'args', json(:args))
- name: closed
  description: Takes nothing else.
  input_schema: {type: object, properties: {word: {type: string}}, additionalProperties: false}
  result: SELECT json_object('id', :me_id, 'args', json(:args))
)");
  World world = Make();
  for (const char* tool : {"open", "advice"}) {
    auto answer = world.Call(tool, {{"word", "x"}, {"me_id", "bob"}}, 0);
    ASSERT_TRUE(answer) << tool;
    EXPECT_EQ(*ParseJson(answer->text),
              *ParseJson(R"({"id": "ann", "args": {"word": "x", "me_id": "bob"}})"))
        << tool;
  }
  auto refused = world.Call("closed", {{"word", "x"}, {"me_id", "bob"}}, 0);
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->is_error);
}

TEST_F(IdentityTest, ADocumentCannotSetIt) {
  app_.Write("app.yaml", R"yaml(
name: notes
title: Notes
clock: 2025-01-01T00:00:00Z
identity: {id: ann, email: ann@example.com}
profiles:
  default: {tools: [tools/notes.yaml]}
data:
  people:
    table: person
    fields: {name: string!}
    set: {name: "coalesce(:me_id, :name)"}
)yaml");
  Tools("- name: all\n  description: All.\n  result: SELECT json_group_array(name) FROM person\n");
  World world = Make();
  json::value document = *ParseJson(R"({"people": [{"name": "x", "me_id": "bob"}]})");
  (void)world.Initialize(World::StartFrom::kEmpty, document);
  EXPECT_THAT(world.Call("all", {}, 0)->text, Not(HasSubstr("bob")));
}

TEST_F(IdentityTest, AnAppThatDeclaresSuchAnArgumentIsRefused) {
  for (const char* name : {"me_id", "me_anything", "args", "changes"}) {
    Tools("- name: x\n  description: d\n  input:\n    " + std::string(name) +
          ": {type: string}\n  result: SELECT 1\n");
    EXPECT_THAT(Complaint(), HasSubstr("tools/notes.yaml:4: tool 'x': the argument '" +
                                       std::string(name) + "' has a name"));
  }
  Tools(
      "- name: x\n  description: d\n  input_schema: {type: object, properties: {me_id: {}}}\n"
      "  result: SELECT 1\n");
  EXPECT_THAT(Complaint(), HasSubstr("tools/notes.yaml:3: tool 'x'"));
}

TEST_F(IdentityTest, AStepThatWouldHideItIsRefused) {
  Tools(
      "- name: x\n  description: d\n  steps:\n    - let: SELECT 'bob' AS me_id\n"
      "  result: SELECT 1\n");
  EXPECT_THAT(Complaint(), HasSubstr("tools/notes.yaml:4: 'me_id' is a name that the engine"));
  Tools(
      "- name: x\n  description: d\n  steps:\n    - let: SELECT 'bob' AS args\n"
      "  result: SELECT 1\n");
  EXPECT_THAT(Complaint(), HasSubstr("tools/notes.yaml:4: 'args' is a name that the engine"));
}

}  // namespace
}  // namespace viv::engine
