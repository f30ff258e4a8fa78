#pragma once
// The topmost layer of a root file system that others made: `user` with its home, name resolution,
// the folders a box needs. Reads the accounts that the layers below have, and writes none of them.

#include <string>
#include <vector>

#include "base/result.h"
#include "templates/templates.h"

namespace viv::templates {

struct FinishedLayer {
  std::string folder;
  std::string user;  // of processes: what the image asked for where that is an account, else "user"
};

// `layers` are the topmost first; `asked_user` is a name or number, with or without ":group".
Result<FinishedLayer> MakeTopLayer(const std::string& folder,
                                   const std::vector<std::string>& layers,
                                   const std::string& asked_user,
                                   const std::string& template_id,
                                   const Progress& progress);

// The text of a file as overlay would show it, empty when it is hidden, missing or no plain file.
std::string ReadThroughLayers(const std::vector<std::string>& layers, const std::string& path);

}  // namespace viv::templates
