#pragma once
// The name of a container image: "debian", "team/tool:1.2",
// "registry.example.com:5000/a/b@sha256:…". It comes from a request and goes into a program's
// command line, so only what the grammar of such names allows is accepted.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::boxes {

struct ImageReference {
  std::string registry;    // "docker.io", "registry.example.com:5000"
  std::string repository;  // "library/debian"
  std::string tag;         // "latest"; empty with a digest
  std::string digest;      // "sha256:" and 64 hexadecimal digits; may be empty

  std::string Text() const;  // in full
};

// Short names are Docker's: "debian" is docker.io/library/debian:latest. Where both a tag and a
// digest are given the digest counts.
Result<ImageReference> ParseImageReference(std::string_view text);

// "registry.example.com" or "10.0.0.5:5000": a host with an optional port and nothing else.
bool IsRegistryHost(std::string_view text);

}  // namespace viv::boxes
