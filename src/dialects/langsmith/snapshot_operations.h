#pragma once
// The operations on snapshots, each in the file of its name.

#include "dialects/langsmith/snapshot_writer.h"

namespace viv::langsmith {

using SnapshotOperation = Task<http::Response>(SnapshotWriter& writer, http::Request& request);

SnapshotOperation CaptureSnapshot;    // snapshot_capture.cc
SnapshotOperation CreateSnapshot;     // snapshot_build.cc
SnapshotOperation ListSnapshots;      // snapshot_list.cc
SnapshotOperation GetSnapshot;        // snapshots.cc
SnapshotOperation DeleteSnapshot;     // snapshots.cc
SnapshotOperation GetSnapshotByName;  // snapshots.cc

// All of them, mounted as the tables of context.h that want a key.
http::RouteTable<SnapshotWriter> SnapshotRoutes();

}  // namespace viv::langsmith
