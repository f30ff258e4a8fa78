#include "gateway/tls/origin_sessions.h"

#include <openssl/ssl.h>

#include <list>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.h"

namespace viv::gateway {
namespace {

class OriginSessions {
 public:
  void Keep(const std::string& host, SessionPtr session) {
    SessionPtr replaced;  // destroyed after the lock is released
    std::lock_guard lock(mutex_);
    if (const auto found = by_host_.find(host); found != by_host_.end()) {
      replaced = std::exchange(found->second->session, std::move(session));
      entries_.splice(entries_.begin(), entries_, found->second);
      return;
    }
    if (entries_.size() >= kOriginSessionsMax) {
      by_host_.erase(entries_.back().host);
      entries_.pop_back();
    }
    entries_.push_front({host, std::move(session)});
    by_host_[host] = entries_.begin();
  }

  SessionPtr Find(const std::string& host) {
    std::lock_guard lock(mutex_);
    const auto found = by_host_.find(host);
    if (found == by_host_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    SSL_SESSION* session = found->second->session.get();
    SSL_SESSION_up_ref(session);
    return SessionPtr(session);
  }

 private:
  struct Entry {
    std::string host;
    SessionPtr session;
  };
  std::mutex mutex_;  // guards the ones below
  std::list<Entry> entries_;
  std::unordered_map<std::string, std::list<Entry>::iterator> by_host_;
};

void FreeSessions(void*, void* sessions, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<OriginSessions*>(sessions);
}

// The index of the session cache in a context.
int SessionsIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, FreeSessions);
  return index;
}

OriginSessions* SessionsOf(SSL* ssl) {
  return static_cast<OriginSessions*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), SessionsIndex()));
}

// OpenSSL calls this for every ticket. 1: we keep the session.
int StoreSession(SSL* ssl, SSL_SESSION* session) {
  const char* host = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  OriginSessions* sessions = SessionsOf(ssl);
  if (host == nullptr || sessions == nullptr || SSL_SESSION_is_resumable(session) != 1 ||
      SSL_get_verify_result(ssl) != X509_V_OK)
    return 0;
  sessions->Keep(host, SessionPtr(session));
  return 1;
}

}  // namespace

void EnableSessionCache(SSL_CTX* context) {
  CHECK(SSL_CTX_set_ex_data(context, SessionsIndex(), new OriginSessions) == 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, StoreSession);
}

void ResumeSession(SSL* ssl) {
  const char* host = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  OriginSessions* sessions = SessionsOf(ssl);
  if (host == nullptr || sessions == nullptr) return;
  if (const SessionPtr session = sessions->Find(host)) SSL_set_session(ssl, session.get());
}

}  // namespace viv::gateway
