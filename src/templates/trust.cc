#include "templates/trust.h"

#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "base/clock.h"
#include "base/ids.h"
#include "base/log.h"
#include "templates/folder_writer.h"
#include "templates/java_key_store.h"
#include "templates/layer_copy.h"
#include "templates/layered_root.h"

namespace viv::templates {
namespace {

// Raised when what is written here changes, so that older layers are made anew.
constexpr int kTrustVersion = 1;
constexpr std::size_t kBundleBytesMax = 4 << 20;
constexpr std::size_t kJavaHomesMax = 32;

constexpr char kAuthorityFile[] = "usr/local/share/ca-certificates/vivarium.crt";
constexpr char kCertificatesFolder[] = "etc/ssl/certs";
constexpr char kBundleFile[] = "etc/ssl/certs/ca-certificates.crt";
// Where other systems than Debian have theirs.
constexpr const char* kOtherBundles[] = {"etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/cert.pem",
                                         "etc/ssl/ca-bundle.pem"};
constexpr char kJavaStoreFile[] = "etc/ssl/certs/java/cacerts";
constexpr const char* kOtherJavaStores[] = {"etc/pki/java/cacerts",
                                            "opt/java/openjdk/lib/security/cacerts"};
constexpr const char* kJavaHomes[] = {"usr/lib/jvm", "usr/local", "opt"};  // folders of them

// The variables that the agent sets, see agent/process/environment.cc: sudo would drop them.
constexpr char kSudoFile[] = "etc/sudoers.d/vivarium-trust";
constexpr char kSudoText[] =
    "Defaults env_keep += \"SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO "
    "PIP_CERT AWS_CA_BUNDLE NODE_EXTRA_CA_CERTS DENO_CERT\"\n";

bool HasCertificates(std::string_view pem) {
  return pem.find("-----BEGIN CERTIFICATE-----") != std::string_view::npos;
}

// What this machine believes.
std::string MachineBundle() {
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem"}) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    if (HasCertificates(text.str()) && text.str().size() <= kBundleBytesMax) return text.str();
  }
  return {};
}

// The name by which OpenSSL finds an authority in a folder; empty when `pem` is none.
std::string HashName(const std::string& pem) {
  const std::unique_ptr<BIO, int (*)(BIO*)> text(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  const std::unique_ptr<X509, void (*)(X509*)> certificate(
      PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), X509_free);
  if (certificate == nullptr) return {};
  return fmt::format("{:08x}.0", X509_subject_name_hash(certificate.get()) & 0xFFFFFFFFU);
}

std::string LayerOf(const std::string& folder, const storage::OverlayMount& overlay) {
  return folder + "/" + (overlay.mount_point.empty() ? "root" : overlay.mount_point);
}

bool IsOwn(const storage::OverlayMount& overlay, const std::string& own) {
  return overlay.layers.front().starts_with(own + "/");
}

class TrustWriter {
 public:
  TrustWriter(const std::string& folder,
              const std::vector<storage::OverlayMount>& overlays,
              const std::string& own,
              const std::string& pem)
      : folder_(folder), overlays_(overlays), own_(own), root_(overlays), pem_(pem) {}

  Status WriteAll() {
    RETURN_IF_ERROR(Write(kAuthorityFile, pem_));
    RETURN_IF_ERROR(WriteBundles());
    RETURN_IF_ERROR(WriteHashLink());
    RETURN_IF_ERROR(WriteJavaStores());
    return Write(kSudoFile, kSudoText, {.mode = 0440});
  }

 private:
  // A path that leads nowhere in this template is passed over: boxes work without.
  std::optional<std::string> ResolvePath(const std::string& path) const {
    auto leads = root_.Resolve(path);
    if (!leads) log::Warn("templates.trust_file_left_out", {{"file", path}, {"layers", folder_}});
    return leads;
  }

  Status Write(const std::string& path, std::string_view text, Ownership ownership = {}) {
    const auto leads = ResolvePath(path);
    if (!leads || !written_.insert(*leads).second) return {};
    ASSIGN_OR_RETURN(const FolderWriter* layer, PrepareFolders(*leads));
    return layer->File(root_.Locate(*leads).path, text, ownership);
  }

  // Folders of the topmost layer are the ones that show, so they are as they were below.
  Result<const FolderWriter*> PrepareFolders(const std::string& path) {
    const LayeredRoot::Location location = root_.Locate(path);
    const storage::OverlayMount& overlay = overlays_[location.overlay];
    auto layer = layers_.find(location.overlay);
    if (layer == layers_.end()) {
      ASSIGN_OR_RETURN(FolderWriter made, FolderWriter::Create(LayerOf(folder_, overlay)));
      if (IsOwn(overlay, own_)) {
        RETURN_IF_ERROR(CopyLayer(overlay.layers.front(), made));
      } else {
        RETURN_IF_ERROR(made.Folder(".", FolderLike(overlay.mount_point)));
      }
      layer = layers_.emplace(location.overlay, std::move(made)).first;
    }
    const std::string above = overlay.mount_point.empty() ? "" : overlay.mount_point + "/";
    for (std::size_t at = location.path.find('/'); at != std::string::npos;
         at = location.path.find('/', at + 1)) {
      const std::string folder = location.path.substr(0, at);
      RETURN_IF_ERROR(layer->second.Folder(folder, FolderLike(above + folder)));
    }
    return &layer->second;
  }

  Ownership FolderLike(const std::string& path) const {
    const LayeredRoot::Entry entry = root_.Stat(path);
    if (entry.kind != LayeredRoot::Entry::Kind::kFolder) return {.mode = 0755};
    return entry.ownership;
  }

  std::string TextAt(const std::string& path) const {
    const auto leads = root_.Resolve(path);
    return leads ? root_.Read(*leads, kBundleBytesMax).value_or("") : "";
  }

  std::string WithOurs(std::string bundle) const {
    if (!bundle.empty() && bundle.back() != '\n') bundle += '\n';
    return bundle.find(pem_) == std::string::npos ? bundle + pem_ : bundle;
  }

  Status WriteBundles() {
    bundle_ = TextAt(kBundleFile);
    for (const char* path : kOtherBundles)
      if (!HasCertificates(bundle_)) bundle_ = TextAt(path);
    if (!HasCertificates(bundle_)) bundle_ = MachineBundle();
    bundle_ = WithOurs(std::move(bundle_));
    RETURN_IF_ERROR(Write(kBundleFile, bundle_));
    for (const char* path : kOtherBundles) {
      std::string own = TextAt(path);
      if (HasCertificates(own)) RETURN_IF_ERROR(Write(path, WithOurs(std::move(own))));
    }
    return {};
  }

  static Status Link(const FolderWriter& layer,
                     const std::string& path,
                     const std::string& target) {
    if (unlink(layer.Path(path).c_str()) != 0 && errno != ENOENT)
      return FailSystem("replace " + layer.Path(path));
    return layer.Link(path, target);
  }

  // As update-ca-certificates would make them.
  Status WriteHashLink() {
    const auto folder = ResolvePath(kCertificatesFolder);
    const std::string name = HashName(pem_);
    if (!folder || name.empty()) return {};
    const std::string link = *folder + "/vivarium.pem";
    ASSIGN_OR_RETURN(const FolderWriter* layer, PrepareFolders(link));
    const std::string within = root_.Locate(link).path;
    RETURN_IF_ERROR(Link(*layer, within, "/" + std::string(kAuthorityFile)));
    return Link(*layer, within.substr(0, within.rfind('/') + 1) + name, "vivarium.pem");
  }

  // Stores that are there, of Java wherever it was installed.
  std::vector<std::string> FindJavaStores() const {
    std::vector<std::string> stores(std::begin(kOtherJavaStores), std::end(kOtherJavaStores));
    for (const char* homes : kJavaHomes) {
      const auto leads = root_.Resolve(homes);
      if (!leads) continue;
      for (const std::string& home : root_.List(*leads, kJavaHomesMax)) {
        stores.push_back(*leads + "/" + home + "/lib/security/cacerts");
        stores.push_back(*leads + "/" + home + "/jre/lib/security/cacerts");
      }
    }
    std::erase_if(stores, [this](const std::string& path) {
      const auto leads = root_.Resolve(path);
      return !leads || root_.Stat(*leads).kind != LayeredRoot::Entry::Kind::kFile;
    });
    return stores;
  }

  Status WriteJavaStores() {
    const std::string store = JavaKeyStore(CertificatesIn(bundle_), NowMs());
    RETURN_IF_ERROR(Write(kJavaStoreFile, store));
    for (const std::string& path : FindJavaStores()) RETURN_IF_ERROR(Write(path, store));
    return {};
  }

  const std::string folder_;
  const std::vector<storage::OverlayMount>& overlays_;
  const std::string& own_;
  const LayeredRoot root_;
  const std::string& pem_;
  std::string bundle_;
  std::set<std::string> written_;
  std::map<std::size_t, FolderWriter> layers_;  // by the overlay's place
};

}  // namespace

std::string TrustKey(const std::string& authority_pem) {
  return Sha256Hex(fmt::format("{}\n{}\n{}", kTrustVersion, authority_pem, MachineBundle()))
      .substr(0, 16);
}

Status MakeTrustLayers(const std::string& folder,
                       const std::vector<storage::OverlayMount>& overlays,
                       const std::string& own,
                       const std::string& authority_pem) {
  if (mkdir(folder.c_str(), 0755) != 0) return FailSystem("make " + folder);
  TrustWriter writer(folder, overlays, own, authority_pem);
  RETURN_IF_ERROR(writer.WriteAll(), "add our authority");
  return {};
}

std::vector<storage::OverlayMount> WithTrustLayers(const std::string& folder,
                                                   std::vector<storage::OverlayMount> overlays,
                                                   const std::string& own) {
  for (storage::OverlayMount& overlay : overlays) {
    const std::string layer = LayerOf(folder, overlay);
    if (access(layer.c_str(), F_OK) != 0) continue;
    if (IsOwn(overlay, own)) {
      overlay.layers.front() = layer;
    } else {
      overlay.layers.insert(overlay.layers.begin(), layer);
    }
  }
  return overlays;
}

}  // namespace viv::templates
