#pragma once
// The files every root file system of ours has, whatever it was made from: who `user` is, how names
// are resolved, what marks a sandbox.

#include <string>

#include "base/result.h"
#include "templates/folder_writer.h"

namespace viv::templates {

// Where the network's own nameserver answers inside a box. It is kNameserver of the network module,
// which must not be included from here.
constexpr std::string_view kNameserverAddress = "10.255.0.53";
constexpr std::string_view kHostname = "e2b.local";
constexpr std::string_view kSearchPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr uid_t kUserId = 1000;

struct BoxUser {
  uid_t id = kUserId;
  gid_t group = kUserId;
};

// hosts, hostname and resolv.conf.
Status WriteNetworkFiles(const FolderWriter& tree);
// /home/user with its start files, and leave to use sudo without a password.
Status WriteHome(const FolderWriter& tree, BoxUser user);
// /code, and the files by which programs know that they run in a sandbox.
Status WriteMarkers(const FolderWriter& tree, const std::string& template_id);
// The folders the kernel's file systems are mounted on, and those programs write to.
Status WriteMountPoints(const FolderWriter& tree);

}  // namespace viv::templates
