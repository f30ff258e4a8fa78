#pragma once
// The operations on boxes, each in the file of its name.

#include "dialects/langsmith/context.h"

namespace viv::langsmith {

using Operation = Task<http::Response>(Context& context, http::Request& request);

Operation CreateBox;         // box_create.cc
Operation ListBoxes;         // box_list.cc
Operation GetBox;            // box_get.cc
Operation GetBoxStatus;      // box_get.cc
Operation UpdateBox;         // box_update.cc
Operation DeleteBox;         // box_delete.cc
Operation BatchDeleteBoxes;  // box_delete.cc
Operation StartBox;          // box_start_stop.cc
Operation StopBox;           // box_start_stop.cc
Operation GetUsage;          // usage.cc
Operation GetUsageCosts;     // usage.cc
Operation ProbeAccess;       // auth_probe.cc

}  // namespace viv::langsmith
