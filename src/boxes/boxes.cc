#include "boxes/boxes.h"

namespace viv::boxes {
namespace {

template <typename T>
void SetIfGiven(T& field, const std::optional<T>& given) {
  if (given) field = *given;
}

}  // namespace

BoxSpec ApplyBoxChange(BoxSpec spec, const BoxChange& change) {
  SetIfGiven(spec.name, change.name);
  for (const auto& [dialect, annotation] : change.annotations)
    spec.annotations[dialect] = annotation;
  SetIfGiven(spec.network, change.network);
  SetIfGiven(spec.variables, change.variables);
  SetIfGiven(spec.user, change.user);
  SetIfGiven(spec.workdir, change.workdir);
  SetIfGiven(spec.limits, change.limits);
  SetIfGiven(spec.disk_bytes, change.disk_bytes);
  SetIfGiven(spec.idle_seconds, change.idle_seconds);
  SetIfGiven(spec.keep_stopped_seconds, change.keep_stopped_seconds);
  return spec;
}

}  // namespace viv::boxes
