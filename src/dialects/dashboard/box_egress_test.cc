#include "dialects/dashboard/box_egress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "boxes/box_ids.h"
#include "boxes/fake_boxes.h"

namespace viv::dashboard {
namespace {

using ::testing::HasSubstr;

class BoxEgressTest : public testing::Test {
 protected:
  BoxEgressTest() {
    boxes::Box box;
    box.spec.name = "named";
    id_ = boxes_.Put(std::move(box));
    for (int i = 0; i < 1500; ++i) boxes_.egress_log.push_back({{"port", i}});
  }

  http::Response Ask(std::string id, std::string query = "", std::string account_id = "mine") {
    http::Request request;
    request.identity.account_id = std::move(account_id);
    request.parameters = {{"id", std::move(id)}};
    request.query = std::move(query);
    return EgressRecords(boxes_, request);
  }
  // The ports of the first and last record, and how many there are.
  std::vector<std::int64_t> Span(const http::Response& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    const json::value body = ParseJson(response.body).value();
    const json::array& records = body.at("records").as_array();
    if (records.empty()) return {};
    return {records.front().at("port").as_int64(), records.back().at("port").as_int64(),
            static_cast<std::int64_t>(records.size())};
  }

  boxes::FakeBoxes boxes_;
  std::string id_;
};

TEST_F(BoxEgressTest, ShowsTheNewestOldestFirst) {
  EXPECT_EQ(Span(Ask(id_)), (std::vector<std::int64_t>{1400, 1499, 100}));
  EXPECT_EQ(Span(Ask(id_, "limit=1")), (std::vector<std::int64_t>{1499, 1499, 1}));
  EXPECT_EQ(Span(Ask(id_, "limit=1000")), (std::vector<std::int64_t>{500, 1499, 1000}));
  boxes_.egress_log.clear();
  EXPECT_EQ(Ask(id_).body, R"({"records":[]})");
}

TEST_F(BoxEgressTest, FindsABoxByIdUuidAndName) {
  for (const std::string& ref : {id_, boxes::UuidOfBox(id_), std::string("named")})
    EXPECT_EQ(Ask(ref).status, 200) << ref;
}

TEST_F(BoxEgressTest, RefusesLimitsThatAreNone) {
  for (const char* limit :
       {"0", "1001", "-1", "", "x", "1x", "1.5", " 1", "99999999999999999999"}) {
    http::Response response = Ask(id_, std::string("limit=") + limit);
    EXPECT_EQ(response.status, 400) << limit;
    EXPECT_THAT(response.body, HasSubstr("invalid_argument")) << limit;
  }
}

TEST_F(BoxEgressTest, ABoxOfAnotherAccountIsNone) {
  for (const std::string& ref : {id_, boxes::UuidOfBox(id_), std::string("named")}) {
    http::Response response = Ask(ref, "", "theirs");
    EXPECT_EQ(response.status, 404) << ref;
    EXPECT_THAT(response.body, HasSubstr("not_found"));
  }
  EXPECT_EQ(Ask("iabsent").status, 404);
  EXPECT_EQ(Ask("").status, 404);
}

}  // namespace
}  // namespace viv::dashboard
