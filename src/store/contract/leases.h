#pragma once
// The contract of acquire, update and expiry. Included by store/contract_test.h.

#include "store/contract/fixture.h"

namespace viv::store {

TEST_P(StoreContract, AcquireMakesARowWhenNoneIsIdle) {
  auto request = Request("slack", 1);
  request.lease.kind = SandboxKind::kBox;
  request.lease.expires_at_us = 99;
  request.lease.benchmark = "b";
  request.lease.image = "i";
  request.lease.tags_json = R"({"a":"é"})";
  request.lease.settings_json = R"({"clock":1})";
  Sandbox expected = request.lease;
  expected.state = SandboxState::kOccupied;
  SandboxPtr acquired = MustAcquire(std::move(request));
  EXPECT_EQ(Fields(*acquired), Fields(expected));
  Reopen();
  EXPECT_EQ(Fields(**store().GetSandbox(expected.id)), Fields(expected));
  EXPECT_EQ(Fields(**store().GetSandboxByLease(expected.lease_id)), Fields(expected));
  EXPECT_EQ(store().CountSandboxes(), 1U);
}

TEST_P(StoreContract, AcquireTakesAnIdleRowAndKeepsItsIdentity) {
  SandboxPtr first = MustAcquire(Request("slack", 1));
  ASSERT_TRUE(Release(first, 2));
  SandboxPtr second = MustAcquire(Request("slack", 3));
  EXPECT_EQ(second->id, first->id);
  EXPECT_EQ(second->email, first->email);
  EXPECT_EQ(second->created_at_us, first->created_at_us);
  EXPECT_EQ(second->lease_id, "lease-slack-3");
  EXPECT_EQ(second->updated_at_us, 3);
  EXPECT_EQ(store().CountSandboxes(), 1U);
  ExpectTheSameAfterReopen();
}

TEST_P(StoreContract, AcquireTakesTheLongestIdleFirst) {
  SandboxPtr first = MustAcquire(Request("slack", 1));
  SandboxPtr second = MustAcquire(Request("slack", 2));
  ASSERT_TRUE(Release(second, 3));
  ASSERT_TRUE(Release(first, 4));
  Reopen();
  EXPECT_EQ(MustAcquire(Request("slack", 5))->id, second->id);
  EXPECT_EQ(MustAcquire(Request("slack", 6))->id, first->id);
}

TEST_P(StoreContract, AcquireTakesNoIdleRowOfAnotherServer) {
  ASSERT_TRUE(Release(MustAcquire(Request("slack", 1)), 2));
  EXPECT_EQ(MustAcquire(Request("github", 3))->id, "id-github-3");
}

TEST_P(StoreContract, AcquireTakesNoRowInError) {
  SandboxPtr held = MustAcquire(Request("slack", 1));
  Sandbox broken = Released(*held, 2);
  broken.state = SandboxState::kError;
  broken.error = "seed is missing";
  ASSERT_TRUE(Update(broken, held->lease_id));
  EXPECT_EQ(MustAcquire(Request("slack", 3))->id, "id-slack-3");
  ExpectTheSameAfterReopen();
}

TEST_P(StoreContract, AcquireByEmailTakesThatRow) {
  SandboxPtr first = MustAcquire(Request("slack", 1));
  SandboxPtr second = MustAcquire(Request("slack", 2));
  ASSERT_TRUE(Release(first, 3));
  ASSERT_TRUE(Release(second, 4));
  auto request = Request("slack", 5);
  request.email = second->email;
  EXPECT_EQ(MustAcquire(std::move(request))->id, second->id);
}

TEST_P(StoreContract, AcquireByAHeldEmailIsAConflict) {
  SandboxPtr held = MustAcquire(Request("slack", 1));
  auto request = Request("slack", 2);
  request.email = held->email;
  EXPECT_TRUE(FailedWith(Acquire(std::move(request)), ErrorCode::kConflict));
  EXPECT_EQ(store().CountSandboxes(), 1U);
}

TEST_P(StoreContract, AcquireByAnUnknownEmailMakesThatRow) {
  ASSERT_TRUE(Release(MustAcquire(Request("slack", 1)), 2));
  auto request = Request("slack", 3);
  request.email = "new@slack.test";
  SandboxPtr made = MustAcquire(std::move(request));
  EXPECT_EQ(made->id, "id-slack-3");
  EXPECT_EQ(made->email, "new@slack.test");
}

TEST_P(StoreContract, AnEmailIsUniquePerServerOnly) {
  MustAcquire(Request("slack", 1));
  auto same = Request("slack", 2);
  same.lease.email = "user1@slack.test";
  EXPECT_TRUE(FailedWith(Acquire(std::move(same)), ErrorCode::kConflict));
  auto other = Request("github", 2);
  other.lease.email = "user1@slack.test";
  MustAcquire(std::move(other));
  for (int number : {3, 4}) {  // no address at all is no conflict
    auto without = Request("slack", number);
    without.lease.email.clear();
    MustAcquire(std::move(without));
  }
  ExpectTheSameAfterReopen();
}

TEST_P(StoreContract, AcquireRefusesTheIdOrLeaseOfAnotherRow) {
  MustAcquire(Request("slack", 1));
  auto same_id = Request("slack", 2);
  same_id.lease.id = "id-slack-1";
  EXPECT_TRUE(FailedWith(Acquire(std::move(same_id)), ErrorCode::kConflict));
  auto same_lease = Request("slack", 2);
  same_lease.lease.lease_id = "lease-slack-1";
  EXPECT_TRUE(FailedWith(Acquire(std::move(same_lease)), ErrorCode::kConflict));
}

TEST_P(StoreContract, AcquireRefusesALeaseWithoutItsParts) {
  for (auto member : {&Sandbox::id, &Sandbox::server, &Sandbox::account_id, &Sandbox::lease_id}) {
    auto request = Request("slack", 1);
    (request.lease.*member).clear();
    EXPECT_TRUE(FailedWith(Acquire(std::move(request)), ErrorCode::kInvalidArgument));
  }
  EXPECT_EQ(store().CountSandboxes(), 0U);
}

TEST_P(StoreContract, AcquireStopsAtTheServersLimitButTakesIdleRows) {
  auto limited = [](int number) {
    auto request = Request("slack", number);
    request.sandboxes_max = 2;
    return request;
  };
  MustAcquire(limited(1));
  SandboxPtr second = MustAcquire(limited(2));
  EXPECT_TRUE(FailedWith(Acquire(limited(3)), ErrorCode::kLimitExceeded));
  MustAcquire(Request("github", 3));  // the limit is the server's own
  ASSERT_TRUE(Release(second, 4));
  EXPECT_EQ(MustAcquire(limited(5))->id, second->id);
}

TEST_P(StoreContract, ALeaseIsFoundUntilReleased) {
  SandboxPtr held = MustAcquire(Request("slack", 1));
  EXPECT_TRUE(store().GetSandboxByLease(held->lease_id));
  ASSERT_TRUE(Release(held, 2));
  EXPECT_TRUE(FailedWith(store().GetSandboxByLease(held->lease_id), ErrorCode::kNotFound));
  EXPECT_TRUE(FailedWith(store().GetSandboxByLease(""), ErrorCode::kNotFound));
  EXPECT_EQ((*store().GetSandbox(held->id))->state, SandboxState::kIdle);
  EXPECT_TRUE(FailedWith(store().GetSandbox("id-slack-9"), ErrorCode::kNotFound));
}

TEST_P(StoreContract, AReaderKeepsTheRecordItGot) {
  SandboxPtr held = MustAcquire(Request("slack", 1));
  ASSERT_TRUE(Release(held, 2));
  EXPECT_EQ(held->state, SandboxState::kOccupied);
  EXPECT_EQ(held->lease_id, "lease-slack-1");
}

TEST_P(StoreContract, UpdateReplacesTheRow) {
  SandboxPtr held = MustAcquire(Request("slack", 1));
  Sandbox changed = *held;
  changed.settings_json = R"({"faults":[]})";
  changed.expires_at_us = 50;
  changed.updated_at_us = 2;
  ASSERT_TRUE(Update(changed, held->lease_id));
  Reopen();
  EXPECT_EQ(Fields(**store().GetSandbox(held->id)), Fields(changed));
}

TEST_P(StoreContract, UpdateRefusesAStaleLease) {
  SandboxPtr held = MustAcquire(Request("slack", 1));
  EXPECT_TRUE(FailedWith(Update(*held, ""), ErrorCode::kConflict));
  EXPECT_TRUE(FailedWith(Update(*held, "lease-slack-9"), ErrorCode::kConflict));
  ASSERT_TRUE(Release(held, 2));
  EXPECT_TRUE(FailedWith(Update(*held, held->lease_id), ErrorCode::kConflict));
  SandboxPtr next = MustAcquire(Request("slack", 3));
  EXPECT_TRUE(FailedWith(Release(held, 4), ErrorCode::kConflict));
  EXPECT_EQ((*store().GetSandbox(held->id))->lease_id, next->lease_id);
}

TEST_P(StoreContract, UpdateOfAnIdleRowNeedsTheEmptyLease) {
  SandboxPtr held = MustAcquire(Request("slack", 1));
  ASSERT_TRUE(Release(held, 2));
  Sandbox idle = **store().GetSandbox(held->id);
  idle.image = "other";
  EXPECT_TRUE(FailedWith(Update(idle, "lease-slack-1"), ErrorCode::kConflict));
  EXPECT_TRUE(Update(idle, ""));
}

TEST_P(StoreContract, UpdateOfAnUnknownRowIsNotFound) {
  EXPECT_TRUE(FailedWith(Update(Request("slack", 1).lease, ""), ErrorCode::kNotFound));
  EXPECT_EQ(store().CountSandboxes(), 0U);
}

TEST_P(StoreContract, UpdateKeepsKindServerAndEmail) {
  SandboxPtr held = MustAcquire(Request("slack", 1));
  Sandbox kind = *held, server = *held, email = *held;
  kind.kind = SandboxKind::kBox;
  server.server = "github";
  email.email = "x@slack.test";
  for (const Sandbox& changed : {kind, server, email}) {
    EXPECT_TRUE(FailedWith(Update(changed, held->lease_id), ErrorCode::kInvalidArgument));
  }
}

TEST_P(StoreContract, UpdateRefusesAHalfReleasedRow) {
  SandboxPtr held = MustAcquire(Request("slack", 1));
  Sandbox with_lease = Released(*held, 2), with_holder = with_lease, without_lease = *held;
  with_lease.lease_id = held->lease_id;
  with_holder.account_id = "alice";
  without_lease.lease_id.clear();
  for (const Sandbox& changed : {with_lease, with_holder, without_lease}) {
    EXPECT_TRUE(FailedWith(Update(changed, held->lease_id), ErrorCode::kInvalidArgument));
  }
}

TEST_P(StoreContract, UpdateRefusesTheLeaseOfAnotherRow) {
  SandboxPtr first = MustAcquire(Request("slack", 1));
  SandboxPtr second = MustAcquire(Request("slack", 2));
  Sandbox changed = *second;
  changed.lease_id = first->lease_id;
  EXPECT_TRUE(FailedWith(Update(changed, second->lease_id), ErrorCode::kConflict));
  changed.lease_id = "lease-new";
  EXPECT_TRUE(Update(changed, second->lease_id));
  EXPECT_TRUE(store().GetSandboxByLease("lease-new"));
  EXPECT_FALSE(store().GetSandboxByLease(second->lease_id));
}

TEST_P(StoreContract, ExpiredAtGivesTheLongestExpiredFirst) {
  for (int number : {1, 2, 3, 4}) {
    auto request = Request("slack", number);
    if (number != 4) request.lease.expires_at_us = 100 - number;
    MustAcquire(std::move(request));
  }
  auto ids = [this](std::int64_t now_us, std::size_t limit) {
    std::vector<std::string> found;
    for (const SandboxPtr& row : store().ExpiredAt(now_us, limit)) found.push_back(row->id);
    return found;
  };
  using Ids = std::vector<std::string>;
  for (int round = 0; round < 2; ++round, Reopen()) {
    EXPECT_EQ(ids(96, 9), Ids{});
    EXPECT_EQ(ids(98, 9), (Ids{"id-slack-3", "id-slack-2"})) << "the end itself is expired";
    EXPECT_EQ(ids(INT64_MAX, 1), Ids{"id-slack-3"});
    EXPECT_EQ(ids(INT64_MAX, 9).size(), 3U) << "a lease without an end never expires";
    EXPECT_EQ(ids(INT64_MAX, 0), Ids{});
  }
}

TEST_P(StoreContract, AReleasedOrRenewedLeaseDoesNotExpire) {
  auto first = Request("slack", 1), second = Request("slack", 2);
  first.lease.expires_at_us = second.lease.expires_at_us = 10;
  SandboxPtr released = MustAcquire(std::move(first));
  SandboxPtr renewed = MustAcquire(std::move(second));
  ASSERT_TRUE(Release(released, 3));
  Sandbox later = *renewed;
  later.expires_at_us = 20;
  ASSERT_TRUE(Update(later, renewed->lease_id));
  EXPECT_EQ(store().ExpiredAt(10, 9).size(), 0U);
  EXPECT_EQ(store().ExpiredAt(20, 9).size(), 1U);
}

}  // namespace viv::store
