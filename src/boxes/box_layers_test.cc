#include "boxes/box_layers.h"

#include <gtest/gtest.h>

namespace viv::boxes {
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
  Result<std::string> MakeLayer(const std::string&, const std::string& layer) override {
    return layer;
  }
  Result<std::string> FindLayer(const std::string& layer) override { return layer; }
  Status RemoveLayer(const std::string& layer) override {
    removed.push_back(layer);
    return {};
  }
  Result<storage::DiskSpace> ReadSpace() const override { return storage::DiskSpace(); }
  std::vector<std::string> ListLayers() override { return {}; }
  Status Unmount() override { return {}; }

  std::vector<std::string> removed;
};

std::vector<storage::OverlayMount> OverlaysOver(const std::string& layer) {
  const std::string folder = "/data/boxes/mnt/layers/" + layer;
  return {{"", {folder + "/root/upper", "/templates/base/root"}},
          {"usr", {folder + "/usr/upper", "/usr"}}};
}

TEST(BoxLayersTest, FindsSealedLayersAmongFolders) {
  EXPECT_EQ(LayersIn(OverlaysOver("abc")), std::set<std::string>{"abc"});
  EXPECT_TRUE(LayersIn({{"", {"/usr", "/templates/layers/x", "/layers/root/upper", ""}}}).empty());
}

TEST(BoxLayersTest, ALayerGoesWithItsLastHolder) {
  LayerStorage storage;
  BoxLayers layers(storage);
  BoxLayers::Reference snapshot = layers.AddReference(OverlaysOver("abc"));
  BoxLayers::Reference box = layers.AddReference(OverlaysOver("abc"));
  snapshot.reset();
  EXPECT_TRUE(storage.removed.empty());
  EXPECT_EQ(layers.referenced(), std::set<std::string>{"abc"});
  box.reset();
  EXPECT_EQ(storage.removed, std::vector<std::string>{"abc"});
  EXPECT_TRUE(layers.referenced().empty());
}

TEST(BoxLayersTest, ACopiedHoldCountsOnce) {
  LayerStorage storage;
  BoxLayers layers(storage);
  BoxLayers::Reference first = layers.AddReference(OverlaysOver("abc"));
  BoxLayers::Reference second = first;
  first.reset();
  EXPECT_TRUE(storage.removed.empty());
  second.reset();
  EXPECT_EQ(storage.removed.size(), 1U);
}

TEST(BoxLayersTest, FindsFoldersOfTemplatesAmongFolders) {
  EXPECT_EQ(
      TemplateFoldersIn({{"", {"/data/templates/trees/k1/top", "/data/templates/trees/k1/a/b"}},
                         {"usr", {"/usr", "/data/templates/trees/k2/usr"}}}),
      (std::set<std::string>{"/data/templates/trees/k1", "/data/templates/trees/k2"}));
  EXPECT_TRUE(TemplateFoldersIn({{"", {"/usr", "", "/trees/", "/trees/k1", "/trees"}}}).empty());
}

TEST(BoxLayersTest, ATemplatesFolderIsGivenUpWithItsLastHolder) {
  LayerStorage storage;
  BoxLayers layers(storage);
  std::vector<std::string> given_up;
  layers.SetOnUnreferenced([&given_up](const std::string& folder) { given_up.push_back(folder); });
  const std::vector<storage::OverlayMount> overlays = {
      {"", {"/t/trees/k1/top", "/t/trees/k1/layer-0"}}};
  BoxLayers::Reference snapshot = layers.AddReference(overlays);
  BoxLayers::Reference box = layers.AddReference(overlays);
  EXPECT_TRUE(layers.IsReferenced("/t/trees/k1"));
  EXPECT_TRUE(layers.IsReferenced("/t/trees/k1/top"));
  EXPECT_FALSE(layers.IsReferenced("/t/trees/k11"));
  snapshot.reset();
  EXPECT_TRUE(given_up.empty());
  box.reset();
  EXPECT_EQ(given_up, std::vector<std::string>{"/t/trees/k1"});
  EXPECT_FALSE(layers.IsReferenced("/t/trees/k1/top"));
}

TEST(BoxLayersTest, AServerThatEndsTakesNoLayerWithIt) {
  LayerStorage storage;
  BoxLayers layers(storage);
  bool given_up = false;
  layers.SetOnUnreferenced([&given_up](const std::string&) { given_up = true; });
  std::vector<storage::OverlayMount> overlays = OverlaysOver("abc");
  overlays.push_back({"opt", {"/t/trees/k1/opt"}});
  BoxLayers::Reference snapshot = layers.AddReference(overlays);
  layers.StopRemoving();
  snapshot.reset();
  EXPECT_TRUE(storage.removed.empty());
  EXPECT_FALSE(given_up);
}

}  // namespace
}  // namespace viv::boxes
