#pragma once
// /blobs/{object}: PUT and GET with a signed URL and no other key. An upload comes whole, or in
// pieces with Content-Range, each answered 308 and the Range that has arrived, as Google's storage
// does; a download may ask for a Range.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "blobs/blob_store.h"
#include "blobs/signed_url.h"
#include "http/router.h"

namespace viv::blobs {

class Blobs {
 public:
  // Called as soon as an upload is complete. Its error is the response to the upload, and the blob
  // is removed.
  using OnUpload = std::function<Task<Status>(BlobName name)>;

  Blobs(BlobStore& store, BlockingPool& pool, Signer signer, Clock clock = NowMs)
      : store_(store), pool_(pool), signer_(std::move(signer)), clock_(std::move(clock)) {}

  BlobStore& store() { return store_; }
  BlockingPool& pool() { return pool_; }

  // Also creates the folder of the blob's owner.
  Result<std::string> UploadUrl(const std::string& base_url, const BlobName& name);
  std::string DownloadUrl(const std::string& base_url, const BlobName& name) const;

  // For blobs of every owner with that leaf. Before the server runs.
  void OnUploaded(std::string leaf, OnUpload then) {
    on_uploaded_[std::move(leaf)] = std::move(then);
  }
  void AddTo(http::Router& router);  // this outlives its use

 private:
  Task<http::Response> Put(http::Request& request);
  Task<http::Response> PutPiece(http::Request& request, BlobName name);
  Task<http::Response> Get(http::Request& request);
  Task<http::Response> FinishUpload(BlobName name);
  Result<BlobName> CheckSignedUrl(const http::Request& request) const;

  class PieceLock;  // one writer of pieces at a time
  BlobStore& store_;
  BlockingPool& pool_;
  const Signer signer_;
  const Clock clock_;
  std::map<std::string, OnUpload> on_uploaded_;
  std::mutex mutex_;  // guards the one below
  std::set<std::string> in_pieces_;
};

// Whether the body of a request is handled while it arrives.
bool IsStreamedToBlobs(const http::Request& request);

}  // namespace viv::blobs
