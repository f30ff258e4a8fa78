#include "templates/system_files.h"

namespace viv::templates {
namespace {

constexpr std::string_view kBashStart = R"(# Of interactive shells.
case $- in *i*) ;; *) return ;; esac
HISTCONTROL=ignoreboth
shopt -s histappend checkwinsize
PS1='\u@\h:\w\$ '
alias ls='ls --color=auto' grep='grep --color=auto' ll='ls -alF'
)";

constexpr std::string_view kLoginStart = R"(# Of login shells.
if [ -n "$BASH_VERSION" ] && [ -f "$HOME/.bashrc" ]; then . "$HOME/.bashrc"; fi
for folder in "$HOME/bin" "$HOME/.local/bin"; do
  if [ -d "$folder" ]; then PATH="$folder:$PATH"; fi
done
unset folder
)";

}  // namespace

Status WriteNetworkFiles(const FolderWriter& tree) {
  const std::string name(kHostname);
  const std::string first = name.substr(0, name.find('.'));
  RETURN_IF_ERROR(tree.File("etc/hostname", name + "\n"));
  RETURN_IF_ERROR(tree.File("etc/hosts", "127.0.0.1\tlocalhost\n127.0.1.1\t" + name + " " + first +
                                             "\n::1\tlocalhost ip6-localhost ip6-loopback\n"));
  return tree.File("etc/resolv.conf", "nameserver " + std::string(kNameserverAddress) +
                                          "\noptions timeout:2 attempts:2\n");
}

Status WriteHome(const FolderWriter& tree, BoxUser user) {
  const Ownership text{.mode = 0644, .user = user.id, .group = user.group};
  RETURN_IF_ERROR(tree.Folder("home/user", {.mode = 0755, .user = user.id, .group = user.group}));
  RETURN_IF_ERROR(tree.File("home/user/.bashrc", kBashStart, text));
  RETURN_IF_ERROR(tree.File("home/user/.profile", kLoginStart, text));
  RETURN_IF_ERROR(tree.Folder("etc/sudoers.d", {.mode = 0750}));
  return tree.File("etc/sudoers.d/user", "user ALL=(ALL:ALL) NOPASSWD: ALL\n", {.mode = 0440});
}

Status WriteMarkers(const FolderWriter& tree, const std::string& template_id) {
  RETURN_IF_ERROR(tree.Folder("code", {.mode = 0777}));
  RETURN_IF_ERROR(
      tree.File(".e2b", "TEMPLATE_ID=" + template_id + "\nBUILD_ID=" + template_id + "\n"));
  return tree.File("run/e2b/.E2B_SANDBOX", "true\n");
}

Status WriteMountPoints(const FolderWriter& tree) {
  for (const char* folder : {"dev", "proc", "sys", "run"}) RETURN_IF_ERROR(tree.Folder(folder));
  return tree.Folder("tmp", {.mode = 01777});
}

}  // namespace viv::templates
