#include "gateway/tls/certificate_authority.h"

#include <openssl/ssl.h>

#include <list>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/log.h"
#include "base/text.h"
#include "gateway/tls/alpn.h"
#include "gateway/tls/certificate.h"
#include "gateway/tls/certificate_authority_files.h"
#include "gateway/tls/key_file.h"

namespace viv::gateway {
namespace {

constexpr std::int64_t kAuthorityLeftSeconds = 365 * kDaySeconds;
constexpr std::int64_t kResumableSeconds = 60 * 60;

// Guests resume sessions by tickets, which take no memory here. Each context has its own ticket
// key, so the ticket of one host is invalid for another.
Result<ContextPtr> MakeServerContext(X509* certificate, EVP_PKEY* key) {
  ContextPtr context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* it = context.get();
  if (it == nullptr || SSL_CTX_set_min_proto_version(it, TLS1_2_VERSION) != 1 ||
      SSL_CTX_use_certificate(it, certificate) != 1 || SSL_CTX_use_PrivateKey(it, key) != 1)
    return Fail(ErrorCode::kInternal, "prepare TLS toward a guest: " + LastOpenSslError());
  SSL_CTX_set_options(it, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(it, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(it, SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_session_cache_mode(it, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(it, kResumableSeconds);
  EnableAlpnSelection(it);
  return context;
}

class DiskCertificateAuthority final : public CertificateAuthority {
 public:
  DiskCertificateAuthority(CertificateAuthorityPair pair, KeyPtr leaf_key, Clock clock)
      : pair_(std::move(pair)),
        leaf_key_(std::move(leaf_key)),
        clock_(std::move(clock)),
        pem_(PemOf(pair_.certificate.get())) {}

  const std::string& pem() const override { return pem_; }

  Result<std::shared_ptr<SSL_CTX>> ContextFor(const std::string& host) override {
    const std::string name = ToLower(host);
    const std::int64_t now_s = clock_() / 1000;
    {
      std::lock_guard lock(mutex_);
      if (auto found = FindLocked(name, now_s)) return found;
    }
    // Without the lock, so that a signature for one guest does not block the others. Two threads
    // may make the same certificate, and the later one is kept.
    const Issuer issuer{pair_.certificate.get(), pair_.key.get()};
    ASSIGN_OR_RETURN(const CertificatePtr leaf,
                     IssueLeafCertificate(name, leaf_key_.get(), issuer, now_s));
    ASSIGN_OR_RETURN(ContextPtr made, MakeServerContext(leaf.get(), leaf_key_.get()));
    std::shared_ptr<SSL_CTX> context = std::move(made);
    std::lock_guard lock(mutex_);
    KeepLocked(Entry{name, context, now_s + kLeafSeconds / 2});
    return context;
  }

 private:
  struct Entry {
    std::string host;
    // Shared with the connections that use it.
    std::shared_ptr<SSL_CTX> context;
    std::int64_t renew_at_s = 0;
  };
  using Entries = std::list<Entry>;

  std::shared_ptr<SSL_CTX> FindLocked(const std::string& host, std::int64_t now_s) {
    const auto found = by_host_.find(host);
    if (found == by_host_.end()) return nullptr;
    if (now_s >= found->second->renew_at_s) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->context;
  }

  void KeepLocked(Entry entry) {
    if (const auto found = by_host_.find(entry.host); found != by_host_.end()) {
      const auto old = found->second;
      by_host_.erase(found);
      entries_.erase(old);
    }
    if (entries_.size() >= kContextsMax) {
      by_host_.erase(entries_.back().host);
      entries_.pop_back();
    }
    entries_.push_front(std::move(entry));
    by_host_[entries_.front().host] = entries_.begin();
  }

  const CertificateAuthorityPair pair_;
  const KeyPtr leaf_key_;  // for all hosts, during the life of this process
  const Clock clock_;
  const std::string pem_;
  std::mutex mutex_;  // guards the ones below
  Entries entries_;   // the most recently used first
  // The keys point into the entries.
  std::unordered_map<std::string_view, Entries::iterator> by_host_;
};

Result<CertificateAuthorityPair> MakeCertificateAuthority(const std::string& folder,
                                                          std::int64_t now_s) {
  CertificateAuthorityPair pair;
  ASSIGN_OR_RETURN(pair.key, MakeKey());
  ASSIGN_OR_RETURN(pair.certificate, MakeAuthorityCertificate(pair.key.get(), now_s));
  RETURN_IF_ERROR(WriteCertificateAuthority(folder, pair));
  log::Info("egress.authority_made", {{"folder", folder}});
  return pair;
}

}  // namespace

Result<std::unique_ptr<CertificateAuthority>> CertificateAuthority::Open(const std::string& folder,
                                                                         Clock clock) {
  const std::int64_t now_s = clock() / 1000;
  RETURN_IF_ERROR(MakeKeyFolder(folder), "egress authority");
  ASSIGN_OR_RETURN(std::optional<CertificateAuthorityPair> pair, ReadCertificateAuthority(folder),
                   "egress authority");
  if (pair && NotAfterOf(pair->certificate.get()) < now_s + kAuthorityLeftSeconds) pair.reset();
  if (!pair) {
    ASSIGN_OR_RETURN(pair, MakeCertificateAuthority(folder, now_s), "egress authority");
  }
  ASSIGN_OR_RETURN(KeyPtr leaf_key, MakeKey());
  return std::unique_ptr<CertificateAuthority>(std::make_unique<DiskCertificateAuthority>(
      *std::move(pair), std::move(leaf_key), std::move(clock)));
}

}  // namespace viv::gateway
