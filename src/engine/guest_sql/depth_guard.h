#pragma once
// Counts how deep a statement nests while a scope lives, over all texts of the statement.

#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {

class DepthGuard {
 public:
  explicit DepthGuard(Context& context) : context_(context) { ++context_.depth; }
  ~DepthGuard() { --context_.depth; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

  bool ok() const { return context_.depth <= kDepthMax; }

 private:
  Context& context_;
};

}  // namespace viv::engine::guest_sql
