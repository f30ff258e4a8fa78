#include "templates/oci_image.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>

#include "base/unique_fd.h"
#include "templates/folder_writer.h"
#include "templates/layer_extract.h"

namespace viv::templates {
namespace {

constexpr int kIndexDepthMax = 3;

tl::unexpected<Error> RefuseImage(std::string why) {
  return Fail(ErrorCode::kInvalidArgument, std::move(why));
}

Result<std::string> HashFile(int file) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  std::vector<char> buffer(256 << 10);
  off_t at = 0;
  while (true) {
    const ssize_t got = pread(file, buffer.data(), buffer.size(), at);
    if (got < 0) return FailSystem("read a blob");
    if (got == 0) break;
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<std::size_t>(got));
    at += got;
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), digest, &size);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

class OciLayout {
 public:
  static Result<OciLayout> Open(const std::string& path) {
    UniqueFd root(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root) return FailSystem("open the image " + path);
    return OciLayout(std::move(root));
  }

  Result<std::string> ReadIndex() const {
    auto file = OpenPart("index.json");
    if (!file) {
      return RefuseImage(
          "there is no index.json: this is no OCI image. Save it as one, for example with "
          "'skopeo copy docker://IMAGE oci-archive:FILE' or 'podman save --format oci-archive'");
    }
    return ReadText(*file);
  }

  // The blob, once its size and digest were found right.
  Result<UniqueFd> OpenBlob(const OciDescriptor& descriptor) const {
    const std::string shown = "sha256:" + descriptor.digest.substr(0, 12);
    ASSIGN_OR_RETURN(UniqueFd file, OpenPart("blobs/sha256/" + descriptor.digest), "open " + shown);
    struct stat status {};
    if (fstat(file.get(), &status) != 0) return FailSystem("read " + shown);
    if (!S_ISREG(status.st_mode) || status.st_size != descriptor.size)
      return RefuseImage(shown + " of the image has not the size it should have");
    ASSIGN_OR_RETURN(const std::string digest, HashFile(file.get()));
    if (digest != descriptor.digest)
      return RefuseImage(shown + " of the image was changed: its digest is wrong");
    return file;
  }

  Result<std::string> ReadBlob(const OciDescriptor& descriptor) const {
    ASSIGN_OR_RETURN(const UniqueFd file, OpenBlob(descriptor));
    return ReadText(file);
  }

 private:
  explicit OciLayout(UniqueFd root) : root_(std::move(root)) {}

  Result<UniqueFd> OpenPart(const std::string& path) const {
    open_how how{};
    how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    UniqueFd file(
        static_cast<int>(syscall(SYS_openat2, root_.get(), path.c_str(), &how, sizeof how)));
    if (!file) return FailSystem("open " + path + " of the image");
    return file;
  }

  static Result<std::string> ReadText(const UniqueFd& file) {
    std::string text(kOciDocumentBytesMax + 1, 0);
    std::size_t size = 0;
    while (size < text.size()) {
      const ssize_t got =
          pread(file.get(), text.data() + size, text.size() - size, static_cast<off_t>(size));
      if (got < 0) return FailSystem("read a document of the image");
      if (got == 0) break;
      size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return text;
  }

  UniqueFd root_;
};

Result<OciManifest> FindManifest(const OciLayout& layout) {
  ASSIGN_OR_RETURN(std::string text, layout.ReadIndex());
  for (int depth = 0; depth < kIndexDepthMax; ++depth) {
    ASSIGN_OR_RETURN(const OciDescriptor descriptor, ReadOciIndex(text, HostArchitecture()));
    ASSIGN_OR_RETURN(text, layout.ReadBlob(descriptor));
    if (!IsOciIndex(descriptor.media_type)) return ReadOciManifest(text);
  }
  return RefuseImage("the image's indexes are nested too deep");
}

}  // namespace

Result<OciImage> UnpackOciLayout(const std::string& folder,
                                 const std::string& target,
                                 const Progress& progress) {
  ASSIGN_OR_RETURN(const OciLayout layout, OciLayout::Open(folder));
  ASSIGN_OR_RETURN(const OciManifest manifest, FindManifest(layout));
  ASSIGN_OR_RETURN(const std::string config, layout.ReadBlob(manifest.config));
  OciImage image;
  ASSIGN_OR_RETURN(image.config, ReadOciConfig(config));
  if (image.config.architecture != HostArchitecture())
    return RefuseImage("the image is for " + image.config.architecture + ", this machine is " +
                       std::string(HostArchitecture()));
  ExtractBudget budget;
  for (std::size_t i = 0; i < manifest.layers.size(); ++i) {
    const std::string layer = target + "/layer-" + std::to_string(i);
    progress("Unpacking layer " + std::to_string(i + 1) + " of " +
             std::to_string(manifest.layers.size()));
    ASSIGN_OR_RETURN(const UniqueFd blob, layout.OpenBlob(manifest.layers[i]));
    RETURN_IF_ERROR(FolderWriter::Create(layer));
    RETURN_IF_ERROR(ExtractLayer(blob, layer, budget), "layer " + std::to_string(i + 1));
    image.layers.insert(image.layers.begin(), layer);
  }
  return image;
}

}  // namespace viv::templates
