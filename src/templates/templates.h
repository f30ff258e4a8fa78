#pragma once
// The templates that boxes start from, beside snapshots: `base`, made of the host's own /usr, and
// root file systems built by mmdebstrap or imported from OCI images. Each is a list of layer
// folders with a small description. Thread-safe.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/overlay.h"

namespace viv::templates {

struct Template {
  std::string id;                               // 20 of [a-z0-9]
  std::string name;                             // "base"
  std::vector<storage::OverlayMount> overlays;  // the root first
  std::map<std::string, std::string> variables;
  std::string user = "user";
  std::string workdir;  // empty: the user's home
  double cpus = 2;
  std::int64_t memory_bytes = 512LL << 20;
  std::int64_t disk_bytes = 10LL << 30;
  std::int64_t created_at_us = 0;
  std::string source;  // "host", "debian bookworm", "oci-archive"
};

using Progress = std::function<void(const std::string& line)>;

struct DebianOptions {
  std::string suite = "bookworm";
  std::string mirror = {};                 // empty: the host's own sources
  std::vector<std::string> packages = {};  // beyond those E2B's clients count on
};

class Templates {
 public:
  // Makes `base` when it is not there, or the host changed.
  static Result<std::unique_ptr<Templates>> Open(const std::string& directory);
  virtual ~Templates() = default;

  // From now on boxes of every template trust this certificate authority: each template gets a
  // layer that adds its certificate, made once. Call it before the first box; another authority
  // replaces the one before.
  virtual Status TrustAuthority(const std::string& authority_pem) = 0;

  virtual std::vector<Template> List() const = 0;
  virtual Result<Template> Find(const std::string& id_or_name) const = 0;
  // These take seconds to minutes and replace a template of that name once complete; the folders of
  // a replaced or removed one stay until `is_used` (given their paths) says no, see Clean.
  virtual Result<Template> BuildDebian(const std::string& name,
                                       DebianOptions options,
                                       Progress progress) = 0;
  virtual Result<Template> ImportOciArchive(const std::string& name,
                                            const std::string& file,
                                            Progress progress) = 0;
  virtual Result<Template> ImportOciLayout(const std::string& name,
                                           const std::string& folder,
                                           Progress progress) = 0;
  virtual Status Remove(const std::string& id_or_name) = 0;
  virtual void Clean(const std::function<bool(const std::string& folder)>& is_used) = 0;
};

}  // namespace viv::templates
