#include "tools/localmemory/graph.h"

#include <gtest/gtest.h>

#include "tools/localmemory/letter_case.h"

namespace viv::tools::localmemory {
namespace {

constexpr std::string_view kLines =
    R"({"type":"entity","name":"Ada","entityType":"person","observations":["likes Tea"]}

{"type":"relation","from":"Ada","to":"Bob","relationType":"knows"}
{"type":"entity","name":"Bob","entityType":"person","observations":[]}
{"type":"note","text":"kept"})";

json::array ArrayOf(std::string_view text) {
  return ParseJson(text)->get_array();
}

TEST(GraphTest, WritesWhatItReadAndKeepsOtherLines) {
  const auto graph = ParseGraph(kLines);
  ASSERT_TRUE(graph);
  EXPECT_EQ(WriteGraph(*graph),
            R"({"type":"entity","name":"Ada","entityType":"person","observations":["likes Tea"]})"
            "\n"
            R"({"type":"entity","name":"Bob","entityType":"person","observations":[]})"
            "\n"
            R"({"type":"relation","from":"Ada","to":"Bob","relationType":"knows"})"
            "\n"
            R"({"type":"note","text":"kept"})");
}

TEST(GraphTest, ABrokenLineFailsWithItsNumber) {
  for (std::string_view bad : {"not json", "[1]", "5", "{\"type\":", "{} {}"}) {
    const auto graph = ParseGraph(std::string(kLines) + "\n" + std::string(bad));
    ASSERT_FALSE(graph) << bad;
    EXPECT_TRUE(graph.error().message.starts_with("line 6 is not a JSON object")) << bad;
  }
}

TEST(GraphTest, AddsOnlyWhatIsNew) {
  Graph graph = *ParseGraph(kLines);
  const auto added =
      AddEntities(graph, ArrayOf(R"([{"name":"Ada","entityType":"x","observations":[]},
      {"name":"Cy","more":1,"entityType":"x","observations":["o"]}])"));
  EXPECT_EQ(WriteJson(added), R"([{"name":"Cy","more":1,"entityType":"x","observations":["o"]}])");
  EXPECT_EQ(WriteJson(graph.entities.back()),
            R"({"type":"entity","name":"Cy","more":1,"entityType":"x","observations":["o"]})");
  const auto related =
      AddRelations(graph, ArrayOf(R"([{"from":"Ada","to":"Bob","relationType":"knows"},
                         {"from":"Bob","to":"Ada","relationType":"knows"}])"));
  EXPECT_EQ(WriteJson(related), R"([{"from":"Bob","to":"Ada","relationType":"knows"}])");
  EXPECT_EQ(graph.relations.size(), 2u);
}

TEST(GraphTest, AddsObservationsToEntitiesThatExist) {
  Graph graph = *ParseGraph(kLines);
  const auto added =
      AddObservations(graph, ArrayOf(R"([{"entityName":"Ada","contents":["likes Tea","sings"]}])"));
  ASSERT_TRUE(added);
  EXPECT_EQ(WriteJson(*added), R"([{"entityName":"Ada","addedObservations":["sings"]}])");
  const auto failed = AddObservations(graph, ArrayOf(R"([{"entityName":"No","contents":[]}])"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "Entity with name No not found");
}

TEST(GraphTest, RemovesEntitiesWithTheirRelations) {
  Graph graph = *ParseGraph(kLines);
  RemoveEntities(graph, {"Bob", "No"});
  EXPECT_EQ(graph.entities.size(), 1u);
  EXPECT_TRUE(graph.relations.empty());
}

TEST(GraphTest, RemovesObservationsAndRelations) {
  Graph graph = *ParseGraph(kLines);
  RemoveObservations(graph, ArrayOf(R"([{"entityName":"Ada","observations":["likes Tea", "x"]},
                                        {"entityName":"No","observations":["x"]}])"));
  EXPECT_EQ(graph.entities.at(0).at("observations"), json::value(json::array()));
  RemoveRelations(graph, ArrayOf(R"([{"from":"Ada","to":"Bob","relationType":"hates"}])"));
  EXPECT_EQ(graph.relations.size(), 1u);
  RemoveRelations(graph, ArrayOf(R"([{"from":"Ada","to":"Bob","relationType":"knows"}])"));
  EXPECT_TRUE(graph.relations.empty());
}

TEST(GraphTest, FindsEntitiesWithTheRelationsAmongThem) {
  const Graph graph = *ParseGraph(kLines);
  EXPECT_EQ(GraphAround(graph, "TEA").at("entities").get_array().size(), 1u);
  EXPECT_TRUE(GraphAround(graph, "TEA").at("relations").get_array().empty());
  EXPECT_EQ(GraphAround(graph, "person").at("relations").get_array().size(), 1u);
  EXPECT_EQ(GraphAround(graph, "").at("entities").get_array().size(), 2u);
  EXPECT_EQ(WriteJson(GraphOf(graph, {"No"})), R"({"entities":[],"relations":[]})");
  EXPECT_EQ(GraphOf(graph, {"Bob", "Ada"}).at("relations").get_array().size(), 1u);
}

TEST(GraphTest, ReadsEntitiesThatLackMembers) {
  Graph graph = *ParseGraph(R"({"type":"entity"}
{"type":"entity","name":5,"observations":"x"})");
  EXPECT_EQ(GraphAround(graph, "x").at("entities").get_array().size(), 0u);
  RemoveObservations(graph, ArrayOf(R"([{"entityName":"","observations":["x"]}])"));
  EXPECT_EQ(graph.entities.size(), 2u);
}

TEST(LetterCaseTest, LowersTheCommonAlphabets) {
  EXPECT_EQ(LowerCase("ÀÖ×ÞŠŻ ÇA"), "àö×þšŻ ça");
  EXPECT_EQ(LowerCase("ΆΑΣΏ ЁЖЯҐ ԱՖ ＡＺ 日本 😀"), "άασώ ёжяґ աֆ ａｚ 日本 😀");
  EXPECT_EQ(LowerCase("\xC3"), "\xC3");
  EXPECT_EQ(LowerCase("\xEF\xBC"), "\xEF\xBC");
}

}  // namespace
}  // namespace viv::tools::localmemory
