// The small settings of a box: run_config, access_delegation, sizes and times.

#include <gtest/gtest.h>

#include "dialects/langsmith/access_delegation.h"
#include "dialects/langsmith/run_config.h"
#include "dialects/langsmith/sizing.h"
#include "dialects/langsmith/ttl.h"

namespace viv::langsmith {
namespace {

constexpr std::int64_t kGib = 1LL << 30;

template <typename T>
std::string MistakeIn(const Checked<T>& checked) {
  if (checked) return "";
  EXPECT_FALSE(checked.error().message.empty());
  std::string path;
  for (const std::string& part : checked.error().where) path += (path.empty() ? "" : ".") + part;
  return path;
}

json::value Parsed(std::string_view text) {
  return ParseJson(text).value();
}

TEST(RunConfigTest, ReadsWhatItShows) {
  constexpr std::string_view kText =
      R"({"user":"app:staff","work_dir":"/srv","env_vars":{"A":"1","B":""}})";
  auto config = ReadRunConfig(Parsed(kText));
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(WriteJson(ShowRunConfig(*config)), kText);
  EXPECT_TRUE(ReadRunConfig(nullptr).value().empty());
  EXPECT_TRUE(ReadRunConfig(Parsed(R"({"user": null, "x": 1})")).value().empty());
  EXPECT_EQ(WriteJson(ShowRunConfig({})), "{}");
}

TEST(RunConfigTest, RefusesWhatNoCommandCanRunWith) {
  for (std::string_view user : {"a b", "-u", "a:", ":b", "a:b:c", "a/b", "a\\u0000"})
    EXPECT_EQ(MistakeIn(ReadRunConfig(Parsed(R"({"user": ")" + std::string(user) + "\"}"))),
              "run_config.user")
        << user;
  for (std::string_view folder : {"srv", "./srv", "~", "/a\\u0000b"})
    EXPECT_EQ(MistakeIn(ReadRunConfig(Parsed(R"({"work_dir": ")" + std::string(folder) + "\"}"))),
              "run_config.work_dir")
        << folder;
  EXPECT_EQ(MistakeIn(ReadRunConfig(Parsed(R"({"env_vars": {"A=": "x"}})"))),
            "run_config.env_vars.A=");
  EXPECT_EQ(MistakeIn(ReadRunConfig(Parsed(R"({"env_vars": {"": "x"}})"))), "run_config.env_vars.");
  EXPECT_EQ(MistakeIn(ReadRunConfig(Parsed(R"({"env_vars": {"A": "x\u0000"}})"))),
            "run_config.env_vars.A");
  EXPECT_EQ(MistakeIn(ReadRunConfig(Parsed(R"({"env_vars": {"A": null}})"))),
            "run_config.env_vars.A");
  EXPECT_EQ(MistakeIn(ReadRunConfig(Parsed("[]"))), "run_config");
  EXPECT_EQ(MistakeIn(ReadRunConfig(Parsed(R"({"user": 1000})"))), "run_config.user");
}

TEST(RunConfigTest, ALayerReplacesUserAndFolderAndAddsVariables) {
  RunConfig below{"root", "/", {{"A", "1"}, {"B", "2"}}};
  RunConfig laid = OverlayRunConfig(below, {"app", std::nullopt, {{"B", "3"}, {"C", "4"}}});
  EXPECT_EQ(laid.user, "app");
  EXPECT_EQ(laid.work_dir, "/");
  EXPECT_EQ(laid.env_vars, (Variables{{"A", "1"}, {"B", "3"}, {"C", "4"}}));
}

TEST(AccessDelegationTest, KnowsBothModes) {
  for (std::string_view text :
       {R"({"mode":"INHERIT"})", R"({"mode":"EXPLICIT","permissions":["runs:read","x"]})"})
    EXPECT_EQ(WriteJson(StoreAccessDelegation(Parsed(text)).value()), text);
  EXPECT_EQ(
      WriteJson(StoreAccessDelegation(Parsed(R"({"mode": "INHERIT", "permissions": []})")).value()),
      R"({"mode":"INHERIT"})");
}

TEST(AccessDelegationTest, RefusesEverythingElse) {
  auto mistake = [](std::string_view text) {
    return MistakeIn(StoreAccessDelegation(Parsed(text)));
  };
  EXPECT_EQ(mistake("{}"), "access_delegation.mode");
  EXPECT_EQ(mistake(R"({"mode": "inherit"})"), "access_delegation.mode");
  EXPECT_EQ(mistake(R"({"mode": 1})"), "access_delegation.mode");
  EXPECT_EQ(mistake(R"({"mode": "EXPLICIT"})"), "access_delegation.permissions");
  EXPECT_EQ(mistake(R"({"mode": "EXPLICIT", "permissions": []})"), "access_delegation.permissions");
  EXPECT_EQ(mistake(R"({"mode": "EXPLICIT", "permissions": [""]})"),
            "access_delegation.permissions");
  EXPECT_EQ(mistake(R"({"mode": "EXPLICIT", "permissions": [1]})"),
            "access_delegation.permissions.0");
  EXPECT_EQ(mistake(R"({"mode": "INHERIT", "permissions": ["a"]})"),
            "access_delegation.permissions");
  EXPECT_EQ(mistake("\"INHERIT\""), "access_delegation");
}

Checked<Size> NewSize(std::string_view body) {
  auto request = ReadSizeRequest(Parsed(body));
  if (!request) return tl::unexpected(request.error());
  return SizeOfNew(*request);
}

TEST(SizingTest, CoresAndMemoryDecideEachOther) {
  Size size = NewSize("{}").value();
  EXPECT_DOUBLE_EQ(size.limits.cpus, 0.5);
  EXPECT_EQ(size.limits.memory_bytes, 2 * kGib);
  EXPECT_EQ(size.disk_bytes, 16 * kGib);
  EXPECT_EQ(NewSize(R"({"vcpus": 2})").value().limits.memory_bytes, 8 * kGib);
  EXPECT_DOUBLE_EQ(NewSize(R"({"mem_bytes": 8589934592})").value().limits.cpus, 2);
  EXPECT_DOUBLE_EQ(NewSize(R"({"mem_bytes": 536870912})").value().limits.cpus, 0.125);
  EXPECT_DOUBLE_EQ(NewSize(R"({"vcpus": 4, "cpu_millicores": 250})").value().limits.cpus, 0.25);
  EXPECT_EQ(NewSize(R"({"vcpus": 16})").value().limits.memory_bytes, 64 * kGib);
  EXPECT_EQ(NewSize(R"({"fs_capacity_bytes": 1073741824})").value().disk_bytes, kGib);
  EXPECT_EQ(SizeOfNew({}, 40 * kGib).value().disk_bytes, 40 * kGib);
  EXPECT_EQ(size.limits.processes, runtime::Limits().processes);
}

TEST(SizingTest, MemoryAndProcessorsAreChosenApart) {
  auto one_core = [](std::int64_t memory) {
    return NewSize(R"({"vcpus": 1, "mem_bytes": )" + std::to_string(memory) + "}");
  };
  for (std::int64_t memory : {kGib, 2 * kGib, 6 * kGib + 1, 64 * kGib}) {
    ASSERT_TRUE(one_core(memory)) << memory;
    EXPECT_EQ(one_core(memory)->limits.memory_bytes, memory);
    EXPECT_DOUBLE_EQ(one_core(memory)->limits.cpus, 1);
  }
  EXPECT_EQ(MistakeIn(one_core(65 * kGib)), "mem_bytes");
}

TEST(SizingTest, RefusesSizesNoBoxCanHave) {
  for (std::string_view value :
       {"0", "-1", "17", "1.5", "\"2\"", "true", "[]", "1e30", "18446744073709551615"})
    EXPECT_EQ(MistakeIn(NewSize(R"({"vcpus": )" + std::string(value) + "}")), "vcpus") << value;
  EXPECT_EQ(MistakeIn(NewSize(R"({"cpu_millicores": 16001})")), "cpu_millicores");
  EXPECT_EQ(MistakeIn(NewSize(R"({"mem_bytes": 68719476737})")), "mem_bytes");
  EXPECT_EQ(MistakeIn(NewSize(R"({"mem_bytes": 1024})")), "mem_bytes");
  EXPECT_EQ(MistakeIn(NewSize(R"({"fs_capacity_bytes": 1073741823})")), "fs_capacity_bytes");
  EXPECT_EQ(MistakeIn(NewSize(R"({"fs_capacity_bytes": 107374182401})")), "fs_capacity_bytes");
}

TEST(SizingTest, AResizeKeepsWhatItDoesNotNameAndChecksOnlyTheMost) {
  Size now;
  now.limits.cpus = 1;
  now.limits.memory_bytes = 4 * kGib;
  now.disk_bytes = 16 * kGib;
  Size more = Resized(now, {std::nullopt, 60 * kGib, std::nullopt}).value();
  EXPECT_DOUBLE_EQ(more.limits.cpus, 1);
  EXPECT_EQ(more.limits.memory_bytes, 60 * kGib);
  EXPECT_EQ(Resized(now, {std::nullopt, std::nullopt, 20 * kGib}).value().disk_bytes, 20 * kGib);
  EXPECT_EQ(MistakeIn(Resized(now, {std::nullopt, std::nullopt, 15 * kGib})), "fs_capacity_bytes");
}

TEST(SizingTest, ShowsWholeCoresAndThousandths) {
  json::object box;
  ShowSize({0.5, 2 * kGib}, 16 * kGib, box);
  EXPECT_EQ(
      WriteJson(box),
      R"({"vcpus":1,"cpu_millicores":500,"mem_bytes":2147483648,"fs_capacity_bytes":17179869184})");
}

TEST(TtlTest, TakesMinutesAndNever) {
  EXPECT_EQ(ReadTtl(Parsed("{}"), "idle_ttl_seconds").value(), std::nullopt);
  EXPECT_EQ(ReadTtl(Parsed(R"({"idle_ttl_seconds": null})"), "idle_ttl_seconds").value(),
            std::nullopt);
  EXPECT_EQ(ReadTtl(Parsed(R"({"idle_ttl_seconds": 0})"), "idle_ttl_seconds").value(), 0);
  EXPECT_EQ(ReadTtl(Parsed(R"({"idle_ttl_seconds": 1260})"), "idle_ttl_seconds").value(), 1260);
  EXPECT_EQ(kDeleteAfterStopDefaultSeconds, 1'209'600);
}

TEST(TtlTest, RefusesTheRest) {
  for (std::string_view value : {"-60", "-1", "1", "59", "61", "60.5", "60.0", "\"60\"", "true",
                                 "9223372036854775807", "18446744073709551615", "315360060"})
    EXPECT_EQ(
        MistakeIn(ReadTtl(Parsed(R"({"delete_after_stop_seconds": )" + std::string(value) + "}"),
                          "delete_after_stop_seconds")),
        "delete_after_stop_seconds")
        << value;
  EXPECT_FALSE(ReadTtl(Parsed("[]"), "idle_ttl_seconds"));
}

}  // namespace
}  // namespace viv::langsmith
