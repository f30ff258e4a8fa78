#pragma once
// The callbacks of nghttp2. Only for http2_*.cc, because it needs nghttp2's header.

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <string_view>

#include "gateway/http/http2_session.h"

namespace viv::gateway {

// nghttp2 takes non-const pointers although it only reads.
inline std::uint8_t* BytesOf(std::string_view text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
}

struct Http2Callbacks {
  enum class Role { kServer, kClient };
  static nghttp2_session* MakeSession(Http2Session& session, Role role);
  static nghttp2_data_provider Provider();  // reads a body from its stream

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int OnHeader(nghttp2_session*,
                      const nghttp2_frame* frame,
                      const std::uint8_t* name,
                      std::size_t name_bytes,
                      const std::uint8_t* value,
                      std::size_t value_bytes,
                      std::uint8_t flags,
                      void* user);
  static void ReportMalformed(Http2Session& session, const nghttp2_frame& frame);
  static int OnInvalidHeader(nghttp2_session*,
                             const nghttp2_frame* frame,
                             const std::uint8_t* name,
                             std::size_t name_bytes,
                             const std::uint8_t* value,
                             std::size_t value_bytes,
                             std::uint8_t flags,
                             void* user);
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int OnInvalidFrame(nghttp2_session*, const nghttp2_frame* frame, int error, void* user);
  static int OnBeginFrame(nghttp2_session*, const nghttp2_frame_hd* header, void* user);
  static int OnData(nghttp2_session*,
                    std::uint8_t flags,
                    std::int32_t id,
                    const std::uint8_t* bytes,
                    std::size_t size,
                    void* user);
  static int OnClose(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user);
  static int OnSent(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int OnNotSent(nghttp2_session*, const nghttp2_frame* frame, int error, void* user);
  static ssize_t ReadBody(nghttp2_session*,
                          std::int32_t id,
                          std::uint8_t* into,
                          std::size_t size,
                          std::uint32_t* flags,
                          nghttp2_data_source* source,
                          void* user);
};

}  // namespace viv::gateway
