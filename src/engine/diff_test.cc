#include "engine/diff.h"

#include <random>

#include "engine/test_app.h"
#include "engine/verify.h"

namespace viv::engine {
namespace {

// Every kind of table and key that SQLite has: row ids, names of row ids, text keys, no key, keys
// of two columns in the tree itself, and an order that ignores case.
constexpr char kTables[] = R"(
CREATE TABLE person (name TEXT PRIMARY KEY);
CREATE TABLE folder (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, hidden INTEGER NOT NULL DEFAULT 0);
CREATE TABLE note (id INTEGER PRIMARY KEY, folder_id INTEGER NOT NULL REFERENCES folder (id), text TEXT NOT NULL,
  tags TEXT, stars INTEGER, created_ms INTEGER NOT NULL);
CREATE TABLE by_number (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, body TEXT, n REAL);
CREATE TABLE by_text (id TEXT PRIMARY KEY, name TEXT, body TEXT, n REAL);
CREATE TABLE by_none (id, name TEXT, body, n);
CREATE TABLE by_pair (id INTEGER, name TEXT, body TEXT, n REAL, PRIMARY KEY (name, id)) WITHOUT ROWID;
CREATE TABLE by_case (id TEXT COLLATE NOCASE PRIMARY KEY, name TEXT, body BLOB, n) WITHOUT ROWID;
CREATE TABLE by_taken (id INTEGER, name TEXT, body TEXT, n, rowid TEXT);
CREATE INDEX by_number_name ON by_number (name, n);
CREATE INDEX by_text_n ON by_text (n);
)";

class DiffTest : public ::testing::Test {
 protected:
  DiffTest() {
    app_.Write("schema.sql", kTables);
    loaded_ = app_.Load();
  }

  Pages Start() { return Pages(loaded_->ImageOf(loaded_->app->profile("default"))); }

  Status Run(Pages& pages, const std::string& sql) {
    auto session = loaded_->sessions->Take(pages);
    if (!session) return PassUp(session.error());
    Status done = (*session)->connection().Execute(sql);
    (*session)->Rollback();
    pages.Commit();
    return done;
  }

  Comparisons& comparisons() { return *loaded_->comparisons; }

  TestApp app_;
  LoadedAppPtr loaded_;
};

// One random change. Statements may fail on a constraint: then they change nothing.
class RandomChanges {
 public:
  explicit RandomChanges(unsigned seed) : random_(seed) {}

  std::size_t Below(std::size_t end) { return random_() % end; }

  // Values of the same length: SQLite writes them in their place, on overflow pages alone.
  static std::string OverflowOnly(const std::string& table) {
    return "UPDATE " + table +
           " SET body = substr(body, 1, length(body) - 4) || 'tail' WHERE length(body) > 4000";
  }

  std::string Next() {
    static const std::vector<std::string> kNames = {"by_number", "by_text", "by_none",
                                                    "by_pair",   "by_case", "by_taken"};
    std::string table = kNames[Below(kNames.size())];
    std::string row = "id = " + Id();
    switch (Below(16)) {
      case 0:
      case 1:
      case 2:
        return "INSERT INTO " + table + " (id, name, body, n) VALUES (" + Values() + ")";
      case 3:
        return "INSERT OR REPLACE INTO " + table + " (id, name, body, n) VALUES (" + Values() + ")";
      case 4:  // pages split
        return "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < " +
               std::to_string(Below(400)) + ") INSERT OR IGNORE INTO " + table +
               " (id, name, body, n) SELECT abs(random()) % 5000, 'n' || x % 7, " + Body(4) +
               ", x FROM c";
      case 5:
        return "UPDATE " + table + " SET body = " + Body() + " WHERE " + row;
      case 6:
        return OverflowOnly(table);
      case 7:
        return "UPDATE OR IGNORE " + table + " SET id = " + Id() + " WHERE " + row;
      case 8:
        return "UPDATE " + table + " SET n = n + 1, name = upper(name) WHERE " + row;
      case 9:
        return "DELETE FROM " + table + " WHERE " + row;
      case 10:
        return "DELETE FROM " + table + " WHERE n > " + std::to_string(Below(400));
      case 11:
        return Below(4) == 0 ? "DELETE FROM " + table
                             : "DELETE FROM " + table + " WHERE id % 3 = 0";
      case 12:
        return Below(3) == 0 ? "CREATE TABLE IF NOT EXISTS made (id PRIMARY KEY, name, body, n); "
                               "INSERT OR IGNORE INTO made VALUES (" +
                                   Values() + ")"
                             : "UPDATE " + table + " SET n = n";
      case 13:
        return Below(4) == 0 ? std::string("DROP TABLE IF EXISTS made") : std::string("VACUUM");
      case 14:
        return Below(6) == 0 ? "ALTER TABLE made ADD COLUMN more DEFAULT 7"
                             : "UPDATE " + table + " SET body = body || '.' WHERE id % 5 = 0";
      default:
        return "UPDATE " + table + " SET body = NULL, n = n / 2 WHERE " + row;
    }
  }

 private:
  std::string Id() { return std::to_string(Below(Below(2) == 0 ? 20 : 5000)); }
  std::string Body(std::size_t kinds = 6) {
    static const std::vector<std::string> kSizes = {"0", "3", "40", "400", "5000", "60000"};
    return "substr(hex(zeroblob(30000)), 1, " + kSizes[Below(kinds)] + ")";
  }
  std::string Values() {
    return Id() + ", 'name " + std::to_string(Below(9)) + "', " + Body() + ", " +
           std::to_string(Below(100)) + ".5";
  }

  std::mt19937 random_;
};

// The property that the fast way rests on, over pairs of states in both directions: such as one
// that has grown from the other, and ones that have grown apart.
TEST_F(DiffTest, ChangedPagesTellWhatEveryRowTells) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    RandomChanges changes(seed);
    std::vector<Pages> states = {Start()};
    Pages now = Start();
    for (int i = 0; i < 100; ++i) {
      std::string sql = changes.Next();
      Pages last = now;
      (void)Run(now, sql);
      for (int j = 0; j < (i % 5 == 4 ? 3 : 1); ++j) {
        const Pages& other = j == 0 ? last : states[changes.Below(states.size())];
        const Pages& before = j == 2 ? now : other;
        const Pages& after = j == 2 ? other : now;
        auto fast = DiffPages(comparisons(), before, after);
        auto slow = DiffEveryRow(comparisons(), before, after);
        ASSERT_TRUE(slow) << slow.error().message;
        ASSERT_TRUE(fast) << fast.error().message;
        ASSERT_TRUE(*fast == *slow) << "seed " << seed << ", step " << i << ": " << sql << "\n"
                                    << WriteJson(*fast).substr(0, 2000) << "\n"
                                    << WriteJson(*slow).substr(0, 2000);
      }
      if (i % 5 != 4) continue;
      if (states.size() < 8) states.push_back(now);
      if (changes.Below(6) == 0) now = states[changes.Below(states.size())];
    }
  }
}

// What makes it fast: of a large table only the rows on changed pages are looked at, and of those
// only the ones that differ are asked for.
TEST_F(DiffTest, OnlyRowsThatDifferAreFound) {
  Pages before = Start();
  for (const char* table : {"by_number", "by_pair"}) {
    ASSERT_TRUE(Run(before,
                    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x "
                    "< 20000) INSERT INTO " +
                        std::string(table) +
                        " (id, name, body, n) SELECT x, 'n', 'some text', 1 FROM c"));
  }
  Pages after = before;
  for (const char* table : {"by_number", "by_pair"}) {
    ASSERT_TRUE(Run(after, "UPDATE " + std::string(table) +
                               " SET n = 2 WHERE id = 777; DELETE FROM " + table +
                               " WHERE id = 12000; INSERT INTO " + table +
                               " (id, name, body, n) VALUES (30000, 'n', 'new', 1)"));
  }
  auto tables = comparisons().TablesOf(before.image_ptr());
  ASSERT_TRUE(tables);
  for (const char* name : {"by_number", "by_pair"}) {
    TableTree tree = (*tables)->tables.at(name).tree;
    auto map = PageMap::Read(before, std::vector<std::uint32_t>{tree.root});
    ASSERT_TRUE(map);
    TouchedPages touched = FindTouched(*map, ChangedPages(before, after));
    EXPECT_LT(touched.pages.size(), 12U);
    auto rows = FindChangedRows({before, tree}, {after, tree}, *map, touched);
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->before.size(), 2U);
    EXPECT_EQ(rows->after.size(), 2U);
  }
  auto diff = DiffPages(comparisons(), before, after);
  ASSERT_TRUE(diff);
  EXPECT_EQ(WriteJson(diff->at("summary")), R"({"inserted":2,"updated":2,"deleted":2})");
}

TEST_F(DiffTest, AChangeOnOverflowPagesAloneIsFound) {
  for (const std::string table : {"by_number", "by_text", "by_none", "by_pair", "by_case"}) {
    Pages before = Start();
    for (const char* id : {"1", "2", "3"}) {
      ASSERT_TRUE(Run(before, "INSERT INTO " + table + " (id, name, body) VALUES (" + id +
                                  ", 'n', hex(zeroblob(8000)))"));
    }
    Pages after = before;
    ASSERT_TRUE(Run(after, RandomChanges::OverflowOnly(table) + " AND id = 2"));
    auto diff = DiffPages(comparisons(), before, after);
    ASSERT_TRUE(diff);
    EXPECT_EQ(WriteJson(diff->at("summary")), R"({"inserted":0,"updated":1,"deleted":0})") << table;
  }
}

TEST_F(DiffTest, PagesThatAreNoTreeAreRefused) {
  Pages pages = Start();
  auto tables = comparisons().TablesOf(pages.image_ptr());
  ASSERT_TRUE(tables);
  TableTree tree = (*tables)->tables.at("by_number").tree;
  Pages broken = pages;
  Page page{};
  broken.Write(tree.root, page.data());
  EXPECT_FALSE(PageMap::Read(broken, std::vector<std::uint32_t>{tree.root}));
  page[0] = std::byte{0x05};  // an interior page that is its own child
  page[11] = static_cast<std::byte>(tree.root);
  broken.Write(tree.root, page.data());
  EXPECT_FALSE(PageMap::Read(broken, std::vector<std::uint32_t>{tree.root}));
  page[0] = std::byte{0x0d};  // a cell that lies about its size
  page[4] = std::byte{1};
  page[8] = std::byte{0x0f};
  page[9] = std::byte{0xf0};
  for (std::size_t i = 0xff0; i < kPageBytes; ++i) page[i] = std::byte{0xff};
  broken.Write(tree.root, page.data());
  EXPECT_FALSE(PageMap::Read(broken, std::vector<std::uint32_t>{tree.root}));
}

TEST_F(DiffTest, AnotherCaseIsAnotherValue) {
  Pages before = Start();
  ASSERT_TRUE(Run(before, "INSERT INTO by_number VALUES (1, 'name', 'b', 1)"));
  Pages after = before;
  ASSERT_TRUE(Run(after, "UPDATE by_number SET name = 'NAME'"));
  auto diff = DiffPages(comparisons(), before, after);
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->at("summary").at("updated"), 1);
}

TEST_F(DiffTest, BytesAreShownAsHexadecimalDigits) {
  Pages before = Start();
  Pages after = before;
  ASSERT_TRUE(Run(after, "INSERT INTO by_case VALUES ('k', NULL, x'00ff', 1)"));
  auto diff = DiffPages(comparisons(), before, after);
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->at("tables").at("by_case").at("inserted").at(0).at("body"), "00FF");
}

TEST_F(DiffTest, VerifyDumpsOnceAndOnlyIfAskedTo) {
  Pages before = Start();
  Pages after = before;
  ASSERT_TRUE(Run(after, "INSERT INTO by_number VALUES (1, 'name', 'b', 1)"));
  int dumps = 0;
  auto dump = [&dumps]() -> Result<json::value> {
    ++dumps;
    return json::value{{"a", 1}};
  };
  auto verify = [&](std::string_view text) {
    auto verdict = VerifyPages(comparisons(), before, after, dump, ParseJson(text)->as_array());
    return verdict && verdict->at("passed").as_bool();
  };
  EXPECT_TRUE(verify(R"([{"sql": "SELECT count(*) FROM by_number", "equals": 1},
      {"sql": "SELECT count(*) FROM base.by_number", "equals": 0},
      {"diff": {"table": "by_number", "inserted": 1}}, {"unchanged": ["by_text"]}])"));
  EXPECT_EQ(dumps, 0);
  EXPECT_TRUE(verify(R"([{"json": "$.a", "equals": 1}, {"json": "$.b", "exists": false}])"));
  EXPECT_EQ(dumps, 1);
}

// A connection that is kept shows what it is given, not what it showed before.
TEST_F(DiffTest, KeptConnectionsMoveBetweenWorlds) {
  Pages start = Start();
  Pages one = start;
  Pages other = start;
  ASSERT_TRUE(Run(one, "INSERT INTO by_text VALUES ('one', 'n', 'b', 1)"));
  ASSERT_TRUE(
      Run(other, "CREATE TABLE made (id); INSERT INTO by_text VALUES ('other', 'n', 'b', 1)"));
  auto dump = []() -> Result<json::value> { return json::value(); };
  json::array expectations =
      ParseJson(R"([{"sql": "SELECT id FROM by_text", "equals": "one"}])")->as_array();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(VerifyPages(comparisons(), start, one, dump, expectations)->at("passed"), true);
    EXPECT_EQ(VerifyPages(comparisons(), start, other, dump, expectations)->at("passed"), false);
    EXPECT_EQ(DiffPages(comparisons(), start, one)->at("tables").as_object().size(), 1U);
    EXPECT_EQ(DiffPages(comparisons(), one, start)->at("summary").at("deleted"), 1);
    EXPECT_EQ(DiffPages(comparisons(), start, other)->at("summary").at("inserted"), 1);
  }
}

}  // namespace
}  // namespace viv::engine
