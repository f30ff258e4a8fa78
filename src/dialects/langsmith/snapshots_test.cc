#include "dialects/langsmith/snapshots.h"

#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class SnapshotsTest : public LangsmithTest {
 protected:
  SnapshotsTest() {
    boxes_.snapshot_prefix = "snapshotsnapshot";  // ids of 20 letters
    box_ = PutNamed("work");
    boxes_.Edit(box_, [](boxes::Box& box) { box.spec.disk_bytes = 10LL << 30; });
  }

  ParsedResponse Capture(const std::string& body) {
    boxes_.now_us += 1'000'000;
    return Call("POST", "/boxes/work/snapshot", body);
  }
  std::string CaptureId(const std::string& body) {
    ParsedResponse response = Capture(body);
    EXPECT_EQ(response.status, 201) << response.text;
    return std::string(response.Text("id"));
  }
  std::vector<std::string> Names(const std::string& query, HeaderList headers = {}) {
    ParsedResponse response = Call("GET", "/snapshots" + query, "", std::move(headers));
    EXPECT_EQ(response.status, 200) << response.text;
    EXPECT_EQ(response.body.at("items"), response.body.at("snapshots"));
    std::vector<std::string> names;
    for (const json::value& one : response.body.at("items").as_array())
      names.emplace_back(FindString(one, "name"));
    return names;
  }

  std::string box_;
};

TEST_F(SnapshotsTest, ACaptureIsReadyAtOnceAndShowsAllOfIt) {
  ParsedResponse made = Capture(
      R"({"name": "py", "labels": {"team": "a"}, "fs_capacity_bytes": 21474836480,
          "run_config": {"user": "root", "env_vars": {"A": "1"}}})");
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_TRUE(boxes::TemplateOfUuid(made.Text("id")).has_value());
  EXPECT_EQ(made.Text("status"), "ready");
  EXPECT_EQ(made.Text("name"), "py");
  EXPECT_EQ(WriteJson(made.body.at("tags")), R"(["latest"])");
  EXPECT_EQ(made.Text("source_sandbox_id"), boxes::UuidOfBox(box_));
  EXPECT_EQ(made.body.at("fs_capacity_bytes").to_number<std::int64_t>(), 20LL << 30);
  EXPECT_EQ(made.body.at("labels").at("team"), "a");
  EXPECT_EQ(made.body.at("run_config").at("env_vars").at("A"), "1");
  EXPECT_EQ(made.Text("created_by"), "mine");
  for (std::string ref : {std::string(made.Text("id")), std::string("py"), std::string("py:latest"),
                          std::string("py%3Alatest")}) {
    ParsedResponse shown = Call("GET", "/snapshots/" + ref);
    EXPECT_EQ(shown.status, 200) << ref;
    EXPECT_EQ(shown.body, made.body);
  }
}

TEST_F(SnapshotsTest, ATagMovesToTheNewest) {
  const std::string first = CaptureId(R"({"name": "py", "tag": "v1"})");
  const std::string second = CaptureId(R"({"name": "py"})");
  EXPECT_EQ(Call("GET", "/snapshots/py").Text("id"), second);
  const std::string third = CaptureId(R"({"name": "py", "tag": "v1"})");
  EXPECT_EQ(Call("GET", "/snapshots/py:v1").Text("id"), third);
  EXPECT_EQ(WriteJson(Call("GET", "/snapshots/" + first).body.at("tags")), "[]");
  EXPECT_EQ(Call("GET", "/snapshots/py").Text("id"), second);
  ParsedResponse tags = Call("GET", "/snapshots-by-name/py");
  EXPECT_EQ(tags.status, 200);
  EXPECT_EQ(tags.Text("name"), "py");
  EXPECT_EQ(tags.body.at("tags").as_array().size(), 2u);
  // Without "latest" a bare name is the newest that has no tag.
  EXPECT_EQ(Call("DELETE", "/snapshots/py:latest").status, 204);
  EXPECT_EQ(Call("GET", "/snapshots/py").Text("id"), first);
  // A tag goes with its snapshot.
  EXPECT_EQ(Call("DELETE", "/snapshots/" + third).status, 204);
  EXPECT_EQ(Call("GET", "/snapshots/py:v1").status, 404);
}

TEST_F(SnapshotsTest, ABoxStartsFromWhatARefLeadsTo) {
  const std::string id =
      CaptureId(R"({"name": "py", "tag": "v1", "run_config": {"work_dir": "/srv"}})");
  for (std::string_view ref : {std::string_view(id), std::string_view("py:v1")}) {
    auto resolved = ResolveSnapshot(context_, "mine", ref);
    ASSERT_TRUE(resolved) << ref;
    EXPECT_EQ(boxes::UuidOfTemplate(resolved->template_name), id);
    EXPECT_EQ(resolved->id, id);
    EXPECT_EQ(FindString(resolved->run_config, "work_dir"), "/srv");
    EXPECT_EQ(resolved->disk_bytes, 10LL << 30);
    EXPECT_EQ(ResolveSnapshot(context_, "theirs", ref).error().code, ErrorCode::kNotFound);
  }
  for (std::string_view ref : {"py", "py:v2", "", ":", "py:", "base", "basebasebasebasebase"})
    EXPECT_EQ(ResolveSnapshot(context_, "mine", ref).error().code, ErrorCode::kNotFound) << ref;
}

TEST_F(SnapshotsTest, WhatTheBoxRanWithGoesOnBelowTheSnapshotsOwn) {
  boxes_.Edit(box_, [](boxes::Box& box) {
    box.spec.user = "app";
    box.spec.workdir = "/srv";
  });
  CaptureId(R"({"name": "a", "run_config": {"work_dir": "/tmp"}})");
  EXPECT_EQ(WriteJson(ResolveSnapshot(context_, "mine", "a")->run_config),
            R"({"user":"app","work_dir":"/tmp"})");
  boxes_.Edit(box_, [](boxes::Box& box) {
    box.spec.user = "root";
    box.spec.workdir = "/root";
  });
  CaptureId(R"({"name": "b"})");
  EXPECT_TRUE(ResolveSnapshot(context_, "mine", "b")->run_config.is_null());
}

// By the variables of the capture alone: those of the template are the domain's matter.
TEST_F(SnapshotsTest, WhatTheBoxWasGivenForItselfStaysWithIt) {
  CaptureId(R"({"name": "below", "run_config": {"env_vars": {"BELOW": "snapshot", "B": "0"}}})");
  ParsedResponse made = Call("POST", "/boxes", R"({"name": "own", "snapshot": "below",
      "env_vars": {"SECRET": "s3cret", "BELOW": "hidden"},
      "run_config": {"env_vars": {"B": "run"}},
      "proxy_config": {"rules": [
        {"name": "r", "match_hosts": ["a.example"], "env_vars": {"GH_TOKEN": "placeholder"}},
        {"name": "aws", "type": "aws", "aws": {"access_key_id": {"type": "opaque", "value": "k"},
          "secret_access_key": {"type": "opaque", "value": "s"}}}]}})");
  ASSERT_EQ(made.status, 201) << made.text;
  ParsedResponse taken = Call("POST", "/boxes/own/snapshot", R"({"name": "of-own"})");
  ASSERT_EQ(taken.status, 201) << taken.text;
  const std::string id = *boxes::TemplateOfUuid(taken.Text("id"));
  EXPECT_THAT(boxes_.snapshot_variables.at(id),
              ElementsAre(Pair("B", "run"), Pair("BELOW", "snapshot")));
}

TEST_F(SnapshotsTest, ABoxOfAnotherDialectKeepsItsVariablesForItself) {
  boxes_.Edit(box_, [](boxes::Box& box) { box.spec.variables = {{"SECRET", "s3cret"}}; });
  auto variables_of = [&](const std::string& id) {
    return boxes_.snapshot_variables.at(*boxes::TemplateOfUuid(id));
  };
  EXPECT_TRUE(variables_of(CaptureId(R"({"name": "a"})")).empty());
  // Also once it has a note of ours.
  ASSERT_EQ(Call("PATCH", "/boxes/work", R"({"run_config": {"env_vars": {"A": "1"}}})").status,
            200);
  EXPECT_EQ(At(box_).spec.variables.at("SECRET"), "s3cret");
  EXPECT_THAT(variables_of(CaptureId(R"({"name": "b"})")), ElementsAre(Pair("A", "1")));
}

TEST_F(SnapshotsTest, OneThatIsNotPersistentIsNotCaptured) {
  ASSERT_EQ(Call("POST", "/boxes", R"({"name": "brief", "persistent": false})").status, 201);
  ParsedResponse refused = Call("POST", "/boxes/brief/snapshot", R"({"name": "a"})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.type(), "InvalidRequest");
  EXPECT_THAT(refused.message(), HasSubstr("persistent"));
}

TEST_F(SnapshotsTest, BoxesInheritItsLabelsAndHaveNoSmallerDisk) {
  CaptureId(R"({"name": "py", "labels": {"team": "a", "from": "py"}})");
  ParsedResponse made =
      Call("POST", "/boxes", R"({"name": "b", "snapshot": "py", "labels": {"team": "own"}})");
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(WriteJson(made.body.at("labels")), R"({"from":"py","team":"own"})");
  ParsedResponse small =
      Call("POST", "/boxes", R"({"snapshot": "py", "fs_capacity_bytes": 10737418239})");
  EXPECT_EQ(small.status, 422);
  EXPECT_EQ(small.field(), "fs_capacity_bytes");
  EXPECT_THAT(small.message(), HasSubstr("cannot be smaller"));
  EXPECT_EQ(
      Call("POST", "/boxes", R"({"snapshot": "py", "fs_capacity_bytes": 10737418240})").status,
      201);
}

TEST_F(SnapshotsTest, ItsDescriptionAndTheLabelsOfItsBoxAreKept) {
  boxes_.Edit(box_, [](boxes::Box& box) {
    box.spec.metadata = {{"team", "box"}, {"env", "test"}, {"com.langchain.x", "1"}};
  });
  const std::string id = CaptureId(
      R"({"name": "py", "description": "has Python", "include": ["labels"], "image_config": {},
          "confirm_allow_snapshot_secret_values": true, "labels": {"team": "own"}})");
  ParsedResponse shown = Call("GET", "/snapshots/" + id);
  EXPECT_EQ(shown.Text("description"), "has Python");
  EXPECT_EQ(WriteJson(shown.body.at("labels")), R"({"env":"test","team":"own"})");
  EXPECT_EQ(WriteJson(shown.body.at("included")), R"(["labels"])");
  ParsedResponse plain = Capture(R"({"name": "plain", "include": []})");
  EXPECT_EQ(Find(plain.body, "description"), nullptr);
  EXPECT_EQ(Find(plain.body, "included"), nullptr);
  EXPECT_TRUE(plain.body.at("labels").as_object().empty());
  const std::string longest(1024, 'x');
  EXPECT_EQ(Capture(R"({"name": "long", "description": ")" + longest + "\"}").status, 201);
  EXPECT_EQ(Capture(R"({"name": "long", "description": ")" + longest + "x\"}").field(),
            "description");
}

TEST_F(SnapshotsTest, OneOfAnotherDialectIsShownAsWell) {
  auto made = RunToEnd(boxes_.Snapshot("mine", box_, "theirs:v2"));
  auto nameless = RunToEnd(boxes_.Snapshot("mine", box_, ""));
  ParsedResponse shown = Call("GET", "/snapshots/theirs:v2");
  ASSERT_EQ(shown.status, 200);
  EXPECT_EQ(shown.Text("id"), boxes::UuidOfTemplate(made->id));
  EXPECT_EQ(shown.Text("name"), "theirs");
  EXPECT_EQ(shown.Text("status"), "ready");
  EXPECT_EQ(Call("GET", "/snapshots/" + boxes::UuidOfTemplate(nameless->id)).Text("name"),
            nameless->id);
  EXPECT_EQ(Names("").size(), 2u);  // templates of the machine are none
}

TEST_F(SnapshotsTest, OneRemovedThroughAnotherDialectIsGone) {
  const std::string id = CaptureId(R"({"name": "py"})");
  ASSERT_TRUE(RunToEnd(boxes_.RemoveTemplate("mine", *boxes::TemplateOfUuid(id))));
  EXPECT_EQ(Call("GET", "/snapshots/py").status, 404);
  EXPECT_EQ(Call("GET", "/snapshots/" + id).status, 404);
  EXPECT_EQ(Call("DELETE", "/snapshots/py").status, 404);
  EXPECT_TRUE(Names("").empty());
}

TEST_F(SnapshotsTest, AnotherAccountSeesNothing) {
  const std::string id = CaptureId(R"({"name": "py"})");
  const HeaderList other = {{"X-Api-Key", "other"}};
  EXPECT_EQ(Call("GET", "/snapshots/" + id, "", other).status, 404);
  EXPECT_EQ(Call("GET", "/snapshots/py", "", other).status, 404);
  EXPECT_EQ(Call("DELETE", "/snapshots/" + id, "", other).status, 404);
  EXPECT_EQ(Call("GET", "/snapshots-by-name/py", "", other).status, 404);
  EXPECT_EQ(Call("POST", "/boxes/work/snapshot", R"({"name": "x"})", other).status, 404);
  EXPECT_TRUE(Names("", other).empty());
  EXPECT_EQ(Call("GET", "/snapshots/" + id).status, 200);
}

TEST_F(SnapshotsTest, OneInUseStays) {
  const std::string id = CaptureId(R"({"name": "py"})");
  boxes_.failure = Error{ErrorCode::kConflict, "in use"};
  ParsedResponse refused = Call("DELETE", "/snapshots/" + id);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.type(), "Conflict");
  EXPECT_THAT(refused.message(), HasSubstr("delete the sandboxes"));
  EXPECT_EQ(Call("GET", "/snapshots/" + id).status, 200);
  EXPECT_EQ(Call("DELETE", "/snapshots/" + id).status, 204);
  EXPECT_EQ(Call("DELETE", "/snapshots/" + id).status, 404);
}

TEST_F(SnapshotsTest, WhatABoxCannotBeCapturedWithIsSaid) {
  struct Case {
    const char* body;
    const char* field;
  };
  for (const Case& one : {
           Case{R"({})", "name"},
           Case{R"({"name": ""})", "name"},
           Case{R"({"name": "a:b"})", "name"},
           Case{R"({"name": "a/b"})", "name"},
           Case{R"({"name": "-a"})", "name"},
           Case{R"({"name": "00000000-0000-4000-8000-000000000000"})", "name"},
           Case{R"({"name": 7})", "name"},
           Case{R"({"name": "a", "tag": "b:c"})", "tag"},
           Case{R"({"name": "a", "include_memory": true})", "include_memory"},
           Case{R"({"name": "a", "checkpoint": "c1"})", "checkpoint"},
           Case{R"({"name": "a", "docker_image": "img"})", "docker_image"},
           Case{R"({"name": "a", "fs_capacity_bytes": -1})", "fs_capacity_bytes"},
           Case{R"({"name": "a", "fs_capacity_bytes": 1073741824})", "fs_capacity_bytes"},
           Case{R"({"name": "a", "description": 7})", "description"},
           Case{R"({"name": "a", "include": "labels"})", "include"},
           Case{R"({"name": "a", "include": ["labels", "env_vars"]})", "include"},
           Case{R"({"name": "a", "include": ["all"]})", "include"},
           Case{R"({"name": "a", "include": ["memory"]})", "include"},
           Case{R"({"name": "a", "confirm_allow_snapshot_secret_values": "yes"})",
                "confirm_allow_snapshot_secret_values"},
           Case{R"({"name": "a", "image_config": 1})", "image_config"},
           Case{R"({"name": "a", "image_config": {"cmd": ["a"]}})", "image_config.cmd"},
           Case{R"({"name": "a", "image_config": {"exposed_ports": [80]}})",
                "image_config.exposed_ports"},
           Case{R"({"name": "a", "image_config": {"entrypoint": "a"}})", "image_config.entrypoint"},
           Case{R"({"name": "a", "labels": {"": "b"}})", "labels"},
           Case{R"({"name": "a", "labels": {"k=v": "b"}})", "labels"},
           Case{R"({"name": "a", "run_config": {"work_dir": "x"}})", "run_config.work_dir"},
       }) {
    ParsedResponse response = Capture(one.body);
    EXPECT_EQ(response.status, 422) << one.body;
    EXPECT_EQ(response.field(), one.field) << one.body;
  }
  EXPECT_EQ(Capture("").status, 400);
  EXPECT_EQ(Capture("[1]").status, 400);
  EXPECT_EQ(Call("POST", "/boxes/nobody/snapshot", R"({"name": "a"})").status, 404);
  EXPECT_EQ(boxes_.templates.size(), 1u);
  EXPECT_EQ(Capture(R"({"name": "a", "include_memory": false})").status, 201);
}

TEST_F(SnapshotsTest, ACaptureThatCannotBeKeptLeavesNothing) {
  store_.failure = Error{ErrorCode::kInternal, "disk full"};
  EXPECT_EQ(Capture(R"({"name": "py"})").status, 500);
  EXPECT_EQ(boxes_.templates.size(), 1u);
}

TEST_F(SnapshotsTest, ATemplatesNameIsNotTakenFromIt) {
  CaptureId(R"({"name": "base"})");
  EXPECT_TRUE(boxes_.templates.back().names.empty());
  EXPECT_EQ(Call("GET", "/snapshots/base").status, 200);
}

TEST_F(SnapshotsTest, TheListIsFilteredSortedAndCut) {
  CaptureId(R"({"name": "alpha", "labels": {"team": "a", "x": "1"}})");
  CaptureId(R"({"name": "Beta", "labels": {"team": "b"}})");
  CaptureId(R"({"name": "gamma", "labels": {"team": "a"}})");
  EXPECT_THAT(Names(""), ElementsAre("gamma", "Beta", "alpha"));
  EXPECT_THAT(Names("?sort_by=name&sort_direction=asc"), ElementsAre("Beta", "alpha", "gamma"));
  EXPECT_THAT(Names("?sort_order=asc"), ElementsAre("alpha", "Beta", "gamma"));
  EXPECT_THAT(Names("?name_contains=ET"), ElementsAre("Beta"));
  EXPECT_THAT(Names("?label=team=a"), ElementsAre("gamma", "alpha"));
  EXPECT_THAT(Names("?label=team&label=x"), ElementsAre("alpha"));
  EXPECT_THAT(Names("?status=ready&created_by=me&limit=1"), ElementsAre("gamma"));
  EXPECT_TRUE(Names("?status=building").empty());
  EXPECT_TRUE(Names("?status=deleting").empty());
  EXPECT_THAT(Names("?limit=2&offset=2"), ElementsAre("alpha"));
  EXPECT_TRUE(Names("?offset=9").empty());
  for (const char* bad : {"limit=0", "limit=501", "limit=x", "offset=-1", "status=provisioning",
                          "sort_by=stopped_at", "sort_direction=up", "cursor=x", "created_by=you"})
    EXPECT_EQ(Call("GET", "/snapshots?" + std::string(bad)).status, 400) << bad;
}

TEST_F(SnapshotsTest, PagesLeadToTheEnd) {
  for (int i = 0; i < 5; ++i) CaptureId(R"({"name": "s)" + std::to_string(i) + "\"}");
  ParsedResponse page = Call("GET", "/snapshots?limit=2");
  EXPECT_EQ(page.body.at("offset").to_number<int>(), 2);
  std::vector<std::string> seen;
  std::string query = "?page_size=2";
  for (int pages = 0; pages < 3; ++pages) {
    page = Call("GET", "/snapshots" + query);
    for (const json::value& one : page.body.at("items").as_array())
      seen.emplace_back(FindString(one, "name"));
    query = "?page_size=2&cursor=" + std::string(page.Text("next_cursor"));
  }
  EXPECT_THAT(seen, ElementsAre("s4", "s3", "s2", "s1", "s0"));
  EXPECT_TRUE(page.body.at("next_cursor").is_null());
  EXPECT_EQ(page.body.at("offset").to_number<int>(), 0);
}

TEST_F(SnapshotsTest, EveryRouteWantsAKey) {
  for (const char* path : {"/snapshots", "/snapshots/x", "/snapshots-by-name/x"})
    EXPECT_EQ(CallOpenly("GET", "/v2/sandboxes" + std::string(path)).status, 401) << path;
  EXPECT_EQ(CallOpenly("POST", "/v2/sandboxes/boxes/work/snapshot").status, 401);
}

}  // namespace
}  // namespace viv::langsmith
