#pragma once
// Imports images from container registries as snapshots of an account. An import takes seconds to
// minutes and runs in the background; one that is interrupted by the end of the server is not
// resumed. Thread-safe.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "boxes/boxes.h"

namespace viv::accounts {
class Budgets;
}  // namespace viv::accounts
namespace viv::network {
class Egress;
class Namespaces;
}  // namespace viv::network
namespace viv::templates {
class Templates;
}  // namespace viv::templates

namespace viv::boxes {

class BoxTemplates;

struct RegistryLogin {
  std::string user;
  std::string password;
};
enum class RegistryTransport { kTls, kPlain };  // plain: only where the account asked for it

struct ImportImage {
  std::string id;  // of the snapshot to be: NewTemplateId()
  std::string account_id;
  std::string name;       // of the snapshot; may be empty
  std::string reference;  // "registry.example.com/team/image:tag"
  std::optional<RegistryLogin> login = {};
  RegistryTransport transport = RegistryTransport::kTls;
  std::int64_t disk_bytes = 10LL << 30;  // of boxes from it; a larger image is refused
};

struct ImportedImage {
  TemplateInfo info;
  std::string digest;  // "sha256:…" of its manifest
  // The user and working directory that the image sets; empty where it sets none.
  std::string user = {};
  std::string workdir = {};
};

class ImageImports {
 public:
  virtual ~ImageImports() = default;

  // `done` is called once, on a thread that may block, unless the server ends before.
  // kLimitExceeded when too many wait, in all or of the account.
  using Done = std::function<void(Result<ImportedImage>)>;
  virtual Status Start(ImportImage request, Done done) = 0;
  // The ids that `done` has not returned for yet.
  virtual std::set<std::string> under_way() const = 0;
};

struct ImageImportParts {
  templates::Templates& templates;
  BoxTemplates& snapshots;
  network::Namespaces& networks;
  network::Egress& egress;
  accounts::Budgets* budgets = nullptr;  // of the accounts; nullptr: none
};
// `folder` is for images that are being imported; its content is removed. All arguments outlive it.
Result<std::unique_ptr<ImageImports>> OpenImageImports(ImageImportParts parts, std::string folder);

}  // namespace viv::boxes
