// The memory of a box's rules, measured by counting allocations.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "gateway/rules/rules_test_support.h"

namespace {

thread_local long counted_bytes = 0;

void* CountedAllocate(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  counted_bytes += static_cast<long>(malloc_usable_size(memory)) + 16;  // and malloc's header
  return memory;
}

void CountedFree(void* memory) {
  if (memory != nullptr) counted_bytes -= static_cast<long>(malloc_usable_size(memory)) + 16;
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return CountedAllocate(size);
}
void* operator new[](std::size_t size) {
  return CountedAllocate(size);
}
void operator delete(void* memory) noexcept {
  CountedFree(memory);
}
void operator delete[](void* memory) noexcept {
  CountedFree(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  CountedFree(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  CountedFree(memory);
}

namespace viv::gateway {
namespace {

// More than users write: thirty rules of two hosts and two sealed headers, and five callbacks.
Plan LargePlan() {
  Plan plan;
  for (int i = 0; i < 30; ++i) {
    std::string number = std::to_string(i);
    HeaderRule rule;
    rule.name = "rule number " + number;
    rule.hosts = {"api" + number + ".example-service.com", "*.service" + number + ".example.com"};
    rule.paths = {"/v1/projects/*", "/v2/*"};
    for (const char* name : {"Authorization", "X-Api-Key"})
      rule.headers.push_back(
          {name, {SecretText::Kind::kSealed, std::string(120, 's'), "langsmith.header:box"}});
    plan.rules.push_back(std::move(rule));
  }
  for (int i = 0; i < 5; ++i) {
    Callback callback;
    callback.hosts = {"*.callback" + std::to_string(i) + ".example.com"};
    callback.url = "https://hooks.example.com/callback";
    plan.callbacks.push_back(std::move(callback));
  }
  return plan;
}

TEST(RulesMemoryTest, AThousandBoxesWithRulesWeighLittleEach) {
  RulesFixture fixture;
  const Plan plan = LargePlan();
  const long without = counted_bytes;
  const Plan copy = plan;
  const long before = counted_bytes;
  const long of_the_plan = before - without;
  std::vector<std::unique_ptr<Credentials>> boxes;
  for (int i = 0; i < 1000; ++i) boxes.push_back(fixture.For(plan));
  const long each = (counted_bytes - before) / 1000;
  RecordProperty("bytes_each", std::to_string(each));
  EXPECT_GT(of_the_plan, 10'000);           // otherwise nothing was counted
  EXPECT_LE(each, of_the_plan + 4 * 1024);  // the index takes almost nothing
  EXPECT_LE(each, 64 * 1024);
}

}  // namespace
}  // namespace viv::gateway
