#pragma once
// Documents: what their owner wrote last is there, under its kind alone, also after a restart.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/contract/fixture.h"

namespace viv::store {

class DocumentContract : public StoreContract {
 protected:
  Status Put(std::string id, std::string body, std::string kind = "box") {
    return Wait(store().PutDocument({std::move(kind), std::move(id), "alice", std::move(body)}));
  }
  std::vector<std::string> Bodies(std::string_view kind) {
    auto documents = store().ListDocuments(kind);
    EXPECT_TRUE(documents) << documents.error().message;
    std::vector<std::string> bodies;
    for (const Document& it : *documents) bodies.push_back(it.id + "=" + it.body);
    return bodies;
  }
};

TEST_P(DocumentContract, KeepsTheLastBodyOfEachId) {
  ASSERT_TRUE(Put("b", "1"));
  ASSERT_TRUE(Put("a", "2"));
  ASSERT_TRUE(Put("b", "3"));
  EXPECT_EQ(Bodies("box"), (std::vector<std::string>{"a=2", "b=3"}));
  Reopen();
  EXPECT_EQ(Bodies("box"), (std::vector<std::string>{"a=2", "b=3"}));
}

TEST_P(DocumentContract, TellsKindsApart) {
  ASSERT_TRUE(Put("a", "1", "box"));
  ASSERT_TRUE(Put("a", "2", "snapshot"));
  ASSERT_TRUE(Wait(store().RemoveDocument("box", "a")));
  EXPECT_TRUE(Bodies("box").empty());
  EXPECT_EQ(Bodies("snapshot"), std::vector<std::string>{"a=2"});
}

TEST_P(DocumentContract, RemovingWhatIsNotThereIsFine) {
  EXPECT_TRUE(Wait(store().RemoveDocument("box", "nobody")));
}

}  // namespace viv::store
