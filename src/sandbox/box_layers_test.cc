#include "sandbox/box_layers.h"

#include <gtest/gtest.h>

namespace viv::sandbox {
namespace {

// Remembers which layers were removed; nothing else is asked of it here.
class LayerStorage : public storage::BoxStorage {
 public:
  std::string kind() const override { return "test"; }
  bool has_limits() const override { return false; }
  Result<std::string> Make(const std::string& name, std::int64_t) override { return name; }
  Result<std::string> Find(const std::string& name) override { return name; }
  Status SetLimit(const std::string&, std::int64_t) override { return {}; }
  Result<storage::DiskUsage> Read(const std::string&) override { return storage::DiskUsage(); }
  Status Remove(const std::string&) override { return {}; }
  std::vector<std::string> List() override { return {}; }
  Result<std::string> Seal(const std::string&, const std::string& layer) override { return layer; }
  Result<std::string> FindLayer(const std::string& layer) override { return layer; }
  Status RemoveLayer(const std::string& layer) override {
    removed.push_back(layer);
    return {};
  }
  std::vector<std::string> ListLayers() override { return {}; }
  Status Unmount() override { return {}; }

  std::vector<std::string> removed;
};

std::vector<Tree> TreesOver(const std::string& layer) {
  const std::string folder = "/data/boxes/mnt/layers/" + layer;
  return {{"", {folder + "/root/upper", "/templates/base/root"}},
          {"usr", {folder + "/usr/upper", "/usr"}}};
}

TEST(BoxLayersTest, FindsSealedLayersAmongFolders) {
  EXPECT_EQ(LayersIn(TreesOver("abc")), std::set<std::string>{"abc"});
  EXPECT_TRUE(LayersIn({{"", {"/usr", "/templates/layers/x", "/layers/root/upper", ""}}}).empty());
}

TEST(BoxLayersTest, ALayerGoesWithItsLastHolder) {
  LayerStorage storage;
  BoxLayers layers(storage);
  BoxLayers::Hold snapshot = layers.Take(TreesOver("abc"));
  BoxLayers::Hold box = layers.Take(TreesOver("abc"));
  snapshot.reset();
  EXPECT_TRUE(storage.removed.empty());
  EXPECT_EQ(layers.held(), std::set<std::string>{"abc"});
  box.reset();
  EXPECT_EQ(storage.removed, std::vector<std::string>{"abc"});
  EXPECT_TRUE(layers.held().empty());
}

TEST(BoxLayersTest, ACopiedHoldCountsOnce) {
  LayerStorage storage;
  BoxLayers layers(storage);
  BoxLayers::Hold first = layers.Take(TreesOver("abc"));
  BoxLayers::Hold second = first;
  first.reset();
  EXPECT_TRUE(storage.removed.empty());
  second.reset();
  EXPECT_EQ(storage.removed.size(), 1U);
}

}  // namespace
}  // namespace viv::sandbox
