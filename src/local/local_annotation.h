#pragma once
// What a local sandbox has beside its box: the servers it was acquired with, and the benchmark. It
// is stored as the box's annotation "klavis"; a box without it is no local sandbox.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "boxes/boxes.h"

namespace viv::local {

inline constexpr const char* kLocalAnnotation = "klavis";

struct LocalAnnotation {
  struct Server {
    std::string name;
    std::string id;  // a UUID of its own, as the vendor's items have
  };
  std::vector<Server> servers;
  std::string benchmark;      // empty: none
  json::object dialect_data;  // what else the dialect stores

  bool Has(std::string_view server) const;
};

std::string WriteLocalAnnotation(const LocalAnnotation& annotation);
Result<LocalAnnotation> ReadLocalAnnotation(std::string_view text);

// Nothing when the box is no local sandbox.
std::optional<LocalAnnotation> LocalAnnotationOf(const boxes::Box& box);

}  // namespace viv::local
