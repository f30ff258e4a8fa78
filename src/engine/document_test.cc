#include "engine/document.h"

#include <gtest/gtest.h>

#include "engine/test_app.h"

namespace viv::engine {
namespace {

class DocumentTest : public testing::Test {
 protected:
  std::string Problems(std::string_view document) {
    std::string all;
    for (const Problem& problem : CheckDocument(loaded_->app->model, *ParseJson(document))) {
      all += json::serialize(problem.location) + " " + problem.type + "\n";
    }
    return all;
  }
  TestApp app_;
  LoadedAppPtr loaded_ = app_.Load();
};

TEST_F(DocumentTest, AcceptsWhatFits) {
  EXPECT_EQ(Problems("{}"), "");
  EXPECT_EQ(Problems(R"({"folders": null, "unknown": 1})"), "");
  EXPECT_EQ(
      Problems(
          R"({"folders": [{"name": "a", "notes": [{"text": "t", "tags": null, "stars": 5, "more": 1}]}]})"),
      "");
}

TEST_F(DocumentTest, NamesEveryProblemWithItsPlace) {
  EXPECT_EQ(Problems("[]"), "[] model_attributes_type\n");
  EXPECT_EQ(Problems(R"({"folders": {}})"), "[\"folders\"] list_type\n");
  EXPECT_EQ(Problems(R"({"folders": [5]})"), "[\"folders\",0] model_attributes_type\n");
  EXPECT_EQ(
      Problems(
          R"({"folders": [{"hidden": null}, {"name": "a", "notes": [{"text": 1, "tags": ["x", 2], "stars": 9}]}]})"),
      "[\"folders\",0,\"name\"] missing\n"
      "[\"folders\",0,\"hidden\"] bool_type\n"
      "[\"folders\",1,\"notes\",0,\"text\"] string_type\n"
      "[\"folders\",1,\"notes\",0,\"tags\",1] string_type\n"
      "[\"folders\",1,\"notes\",0,\"stars\"] less_than_equal\n");
  EXPECT_EQ(Problems(R"({"folders": [{"name": "a", "notes": [{"text": "t", "stars": 1.5}]}]})"),
            "[\"folders\",0,\"notes\",0,\"stars\"] int_from_float\n");
  EXPECT_EQ(Problems(R"({"folders": [{"name": "a", "notes": [{"text": "t", "stars": 1e19}]}]})"),
            "[\"folders\",0,\"notes\",0,\"stars\"] int_parsing_size\n");
}

}  // namespace
}  // namespace viv::engine
