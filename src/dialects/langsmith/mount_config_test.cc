#include "dialects/langsmith/mount_config.h"

#include <gtest/gtest.h>

#include "dialects/langsmith/proxy_config.h"

namespace viv::langsmith {
namespace {

class MountConfigTest : public testing::Test {
 protected:
  accounts::Sealer server_sealer_{"the server's own secret"};
  AccountSealer sealer_ = AccountSealerOf(server_sealer_, "account");

  std::string MountMistake(std::string_view given, const json::value& proxy = nullptr) {
    auto stored = StoreMountConfig(*ParseJson(given), proxy, sealer_);
    if (stored) return "";
    EXPECT_FALSE(stored.error().message.empty()) << given;
    std::string path;
    for (const std::string& part : stored.error().where) path += (path.empty() ? "" : ".") + part;
    return path;
  }
  std::string MistakeOfMount(std::string_view mount) {
    return MountMistake(R"({"mounts": [)" + std::string(mount) + "]}");
  }
  json::value Proxy(std::string_view given) {
    return StoreProxyConfig(*ParseJson(given), nullptr, sealer_).value();
  }
};

constexpr std::string_view kHub =
    R"({"id": "hub", "type": "contexthub", "mount_path": "/mnt/mounts/hub",
        "contexthub": {"repo": "me/repo", "initial_pull_only": true}})";
constexpr std::string_view kS3 =
    R"({"id": "s3", "type": "s3", "mount_path": "/mnt/mounts/s3", "read_only": true,
        "cache": {"max_size_bytes": 0}, "s3": {"bucket": "b", "region": "us-east-1",
        "endpoint_url": "https://s3.amazonaws.com", "path_style": false}})";
constexpr std::string_view kAwsAuth =
    R"("auth": {"aws": {"access_key_id": {"type": "opaque", "value": "AKIA"},
                "secret_access_key": {"type": "opaque", "value": "s3cret"}}})";

TEST_F(MountConfigTest, KeepsMountsAndHidesCredentials) {
  auto stored = StoreMountConfig(*ParseJson("{" + std::string(kAwsAuth) + R"(, "mounts": [)" +
                                            std::string(kS3) + "," + std::string(kHub) + "]}"),
                                 nullptr, sealer_);
  ASSERT_TRUE(stored.has_value()) << stored.error().message;
  std::string text = WriteJson(*stored);
  EXPECT_EQ(text.find("AKIA"), std::string::npos);
  EXPECT_EQ(text.find("s3cret"), std::string::npos);
  json::value shown = ShowMountConfig(*stored);
  EXPECT_EQ(WriteJson(shown.at("auth")),
            R"({"aws":{"access_key_id":{"type":"opaque","is_set":true},)"
            R"("secret_access_key":{"type":"opaque","is_set":true}}})");
  EXPECT_EQ(shown.at("mounts").at(0), *ParseJson(kS3));
  EXPECT_EQ(shown.at("mounts").at(1), *ParseJson(kHub));
  EXPECT_EQ(OpenSecret(stored->at("auth").at("aws").at("secret_access_key"), sealer_).value(),
            "s3cret");
}

TEST_F(MountConfigTest, ChecksIdsAndPaths) {
  auto hub = [&](std::string_view id, std::string_view path) {
    return MistakeOfMount(R"({"type": "contexthub", "contexthub": {"repo": "r"}, "id": ")" +
                          std::string(id) + R"(", "mount_path": ")" + std::string(path) + "\"}");
  };
  EXPECT_EQ(hub("a_B-9", "/mnt/mounts/a/b"), "");
  for (std::string_view id : {"", "a b", "a/b", "a.b"})
    EXPECT_EQ(hub(id, "/mnt/mounts/a"), "mount_config.mounts.0.id") << id;
  EXPECT_EQ(hub(std::string(65, 'a'), "/mnt/mounts/a"), "mount_config.mounts.0.id");
  for (std::string_view path :
       {"", "/", "/mnt/mounts", "/mnt/mounts/", "/mnt/mounts/a/", "/mnt/mounts//a", "/mnt",
        "/mnt/mounts/../etc", "/mnt/mounts/a/../../etc", "/mnt/mounts/.", "mnt/mounts/a", "/etc",
        "/mnt/mounts/a\\u0000b", "/mnt/mounts/a\\nb"})
    EXPECT_EQ(hub("a", path), "mount_config.mounts.0.mount_path") << path;
}

TEST_F(MountConfigTest, AContextHubMayStandAnywhereButInTheSystemsFolders) {
  auto at = [&](std::string_view type, std::string_view path) {
    return MistakeOfMount(R"({"id": "m", "type": ")" + std::string(type) + R"(", ")" +
                          std::string(type) + R"(": {"repo": "r", "remote_url": "https://a.b/c"},
                          "mount_path": ")" +
                          std::string(path) + "\"}");
  };
  for (std::string_view path :
       {"/memories", "/memories/of/it", "/home/user/hub", "/mnt/a", "/libs"})
    EXPECT_EQ(at("contexthub", path), "") << path;
  for (std::string_view path :
       {"/etc", "/etc/a", "/usr/lib", "/proc", "/sys/a", "/dev/shm", "/var/a", "/memories/",
        "/memories/../etc", "//memories", "/./a", "memories"})
    EXPECT_EQ(at("contexthub", path), "mount_config.mounts.0.mount_path") << path;
  EXPECT_EQ(at("git", "/memories"), "mount_config.mounts.0.mount_path");
}

TEST_F(MountConfigTest, RefusesDuplicates) {
  std::string hub(kHub);
  EXPECT_EQ(MistakeOfMount(hub + "," + hub), "mount_config.mounts.1.id");
  EXPECT_EQ(MistakeOfMount(hub + R"(,{"id": "b", "type": "contexthub", "mount_path":
                "/mnt/mounts/hub", "contexthub": {"repo": "r"}})"),
            "mount_config.mounts.1.mount_path");
}

TEST_F(MountConfigTest, ChecksRepositories) {
  auto git = [&](std::string_view members) {
    return MistakeOfMount(R"({"id": "g", "type": "git", "mount_path": "/mnt/mounts/g", "git": {)" +
                          std::string(members) + "}}");
  };
  EXPECT_EQ(git(R"("remote_url": "https://host.org/a.git", "ref": {"type": "tag", "name": "v1"},
                   "refresh_interval_seconds": 1)"),
            "");
  const std::string at = "mount_config.mounts.0.git.";
  for (std::string_view url :
       {"", "http://host.org/a", "https://host.org", "https://host.org/", "https://u:p@host.org/a",
        "https://host.org/a?x=1", "https://host.org/a#x", "git@host.org:a", "file:///etc",
        "https://host.org/a b"})
    EXPECT_EQ(git(R"("remote_url": ")" + std::string(url) + "\""), at + "remote_url") << url;
  EXPECT_EQ(git(R"("remote_url": "https://h.org/a", "ref": {"type": "commit", "name": "x"})"),
            at + "ref.type");
  EXPECT_EQ(git(R"("remote_url": "https://h.org/a", "ref": {"type": "tag"})"), at + "ref.name");
  EXPECT_EQ(git(R"("remote_url": "https://h.org/a", "refresh_interval_seconds": 0)"),
            at + "refresh_interval_seconds");
}

TEST_F(MountConfigTest, ChecksTypesAndTheirParts) {
  EXPECT_EQ(MountMistake("{}"), "mount_config.mounts");
  EXPECT_EQ(MountMistake(R"({"mounts": []})"), "mount_config.mounts");
  EXPECT_EQ(MountMistake("3"), "mount_config");
  EXPECT_EQ(MistakeOfMount(R"({"id": "a", "type": "nfs", "mount_path": "/mnt/mounts/a"})"),
            "mount_config.mounts.0.type");
  EXPECT_EQ(MistakeOfMount(R"({"id": "a", "type": "git", "mount_path": "/mnt/mounts/a"})"),
            "mount_config.mounts.0.git");
  EXPECT_EQ(MistakeOfMount(R"({"id": "a", "type": "contexthub", "mount_path": "/mnt/mounts/a",
                "contexthub": {"repo": "r", "access_token": "t"}})"),
            "mount_config.mounts.0.contexthub.access_token");
  EXPECT_EQ(MistakeOfMount(R"({"id": "a", "type": "contexthub", "mount_path": "/mnt/mounts/a",
                "contexthub": {"repo": "r"}, "cache": {"writeback_seconds": -1}})"),
            "mount_config.mounts.0.cache.writeback_seconds");
}

TEST_F(MountConfigTest, BucketsNeedCredentialsOfTheirProviderOnce) {
  const std::string mounts = R"("mounts": [)" + std::string(kS3) + "]";
  json::value rule = Proxy(
      R"({"rules": [{"name": "aws", "type": "aws", "aws": {"role_arn": "arn:aws:iam::1:role/r"}}]})");
  json::value off = Proxy(
      R"({"rules": [{"name": "aws", "type": "aws", "enabled": false,
          "aws": {"role_arn": "arn:aws:iam::1:role/r"}}]})");
  EXPECT_EQ(MountMistake("{" + mounts + "}"), "mount_config.auth");
  EXPECT_EQ(MountMistake("{" + mounts + "}", rule), "");
  EXPECT_EQ(MountMistake("{" + mounts + "}", off), "mount_config.auth");
  EXPECT_EQ(MountMistake("{" + std::string(kAwsAuth) + "," + mounts + "}"), "");
  EXPECT_EQ(MountMistake("{" + std::string(kAwsAuth) + "," + mounts + "}", rule),
            "mount_config.auth");
  EXPECT_EQ(MountMistake("{" + std::string(kAwsAuth) + "," + mounts + "}", off),
            "mount_config.auth");
  EXPECT_EQ(
      MountMistake("{" + std::string(kAwsAuth) + R"(, "mounts": [)" + std::string(kHub) + "]}"),
      "mount_config.auth");
  EXPECT_EQ(MistakeOfMount(R"({"id": "g", "type": "gcs", "mount_path": "/mnt/mounts/g",
                "gcs": {"bucket": "b"}})"),
            "mount_config.auth");
  EXPECT_EQ(
      MountMistake(R"({"auth": {"gcp": {"service_account_json": {"type": "opaque"}}}, "mounts": [
                {"id": "g", "type": "gcs", "mount_path": "/mnt/mounts/g", "gcs": {"bucket": "b"}}]})"),
      "mount_config.auth.gcp.service_account_json.value");
}

TEST_F(MountConfigTest, ARoleOfMountsHasNoTags) {
  EXPECT_EQ(MountMistake(R"({"auth": {"aws": {"role_arn": "arn:aws:iam::1:role/r",
                "session_tags": {"a": "b"}}}, "mounts": [)" +
                         std::string(kS3) + "]}"),
            "mount_config.auth.aws.session_tags");
}

TEST_F(MountConfigTest, WhatIsNotCarriedOutIsRefused) {
  const std::string mounts = R"("mounts": [)" + std::string(kS3) + "]";
  std::string encrypted(kS3);
  encrypted.insert(1, R"("encryption": {"kms_key": "arn:aws:kms:eu:1:key/k"}, )");
  EXPECT_EQ(MountMistake("{" + std::string(kAwsAuth) + R"(, "mounts": [)" + encrypted + "]}"),
            "mount_config.mounts.0.encryption");
  EXPECT_EQ(
      MountMistake(R"({"auth": {"azure": {"tenant_id": "t", "client_id": "c"}}, )" + mounts + "}"),
      "mount_config.auth.azure");
  EXPECT_EQ(MountMistake(R"({"auth": {"aws": {"subject_scope": "workspace",
                "role_arn": "arn:aws:iam::1:role/r"}}, )" +
                         mounts + "}"),
            "mount_config.auth.aws.subject_scope");
}

TEST_F(MountConfigTest, AProxyThatChangesLaterIsJudgedToo) {
  json::value rule = Proxy(
      R"({"rules": [{"name": "aws", "type": "aws", "aws": {"role_arn": "arn:aws:iam::1:role/r"}}]})");
  auto by_rule =
      StoreMountConfig(*ParseJson(R"({"mounts": [)" + std::string(kS3) + "]}"), rule, sealer_);
  auto by_keys = StoreMountConfig(
      *ParseJson("{" + std::string(kAwsAuth) + R"(, "mounts": [)" + std::string(kS3) + "]}"),
      nullptr, sealer_);
  ASSERT_TRUE(by_rule && by_keys);
  EXPECT_FALSE(MountsAndProxyConflict(*by_rule, rule));
  EXPECT_TRUE(MountsAndProxyConflict(*by_rule, nullptr));
  EXPECT_TRUE(MountsAndProxyConflict(*by_keys, rule));
  EXPECT_FALSE(MountsAndProxyConflict(*by_keys, nullptr));
  EXPECT_FALSE(MountsAndProxyConflict(nullptr, rule));
}

}  // namespace
}  // namespace viv::langsmith
