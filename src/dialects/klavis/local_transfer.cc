#include "dialects/klavis/local_transfer.h"

#include <unistd.h>

#include <cerrno>
#include <memory>

#include "base/errno_error.h"
#include "base/ids.h"
#include "base/json.h"

namespace viv::klavis {
namespace {

constexpr std::size_t kBlobPiece = 256 << 10;
constexpr std::size_t kUnpackReportMax = 4096;
constexpr std::size_t kDownloadsKept = 4;

struct OpenBlob {
  UniqueFd file;
  off_t at = 0;
};

Result<std::string> ReadPiece(OpenBlob& blob) {
  std::string piece(kBlobPiece, '\0');
  const ssize_t got = ::pread(blob.file.get(), piece.data(), piece.size(), blob.at);
  if (got < 0) return FailErrno(ErrorCode::kInternal, "read a blob");
  blob.at += got;
  piece.resize(static_cast<std::size_t>(got));
  return piece;
}

Task<Result<std::string>> NextPiece(BlockingPool& pool, std::shared_ptr<OpenBlob> blob) {
  auto read = [&blob] { return ReadPiece(*blob); };
  Result<std::string> piece = co_await pool.Run(read);
  co_return piece;
}

Task<Status> AppendToPartial(BlockingPool& pool, blobs::PartialBlob& partial, std::string piece) {
  auto write = [&partial, &piece] { return partial.Append(piece); };
  Status written = co_await pool.Run(write);
  co_return written;
}

}  // namespace

Result<boxes::ByteSource> ReadBlob(LocalContext& context, const blobs::BlobName& name) {
  ASSIGN_OR_RETURN(UniqueFd file, context.blobs.store().OpenToRead(name));
  auto blob = std::make_shared<OpenBlob>(OpenBlob{std::move(file), 0});
  return boxes::ByteSource([&pool = context.pool, blob] { return NextPiece(pool, blob); });
}

Task<Result<std::string>> UnpackBlob(LocalContext& context, boxes::BoxPtr box, UnpackInBox what) {
  ASSIGN_OR_CO_RETURN(boxes::ByteSource archive, ReadBlob(context, what.archive));
  boxes::AgentProgram program;
  program.arguments = {std::string(local::kLocalToolsPath), "unpack", what.folder};
  if (what.make_folder) {
    program.arguments.insert(program.arguments.end(), {"--user", "user"});
    program.user = "root";
  }
  co_return co_await context.local.RunForText(std::move(box), std::move(program),
                                              std::move(archive), kUnpackReportMax);
}

Task<Result<blobs::BlobName>> PackToBlob(LocalContext& context,
                                         boxes::BoxPtr box,
                                         std::string folder) {
  using blobs::BlobName;
  BlobName name = blobs::NameOf(box->id, BlobName::Kind::kDownload, RandomHex(32));
  blobs::BlobStore& store = context.blobs.store();
  CO_RETURN_IF_ERROR(store.AddOwner(name.owner));
  ASSIGN_OR_CO_RETURN(blobs::PartialBlob partial, store.NewPartial(name));
  boxes::AgentProgram program;
  program.arguments = {std::string(local::kLocalToolsPath), "pack", std::move(folder)};
  program.user = "root";  // who can read everything
  boxes::ByteSink sink = [&context, &partial](std::string piece) {
    return AppendToPartial(context.pool, partial, std::move(piece));
  };
  CO_RETURN_IF_ERROR(
      co_await context.local.Run(std::move(box), std::move(program), nullptr, std::move(sink)));
  CO_RETURN_IF_ERROR(store.Commit(std::move(partial), name));
  store.KeepNewestDownloads(name.owner, kDownloadsKept);
  co_return name;
}

}  // namespace viv::klavis
