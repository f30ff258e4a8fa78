#include "templates/base_parts.h"
#include "templates/system_files.h"

namespace viv::templates {
namespace {

// Debian's fixed accounts (base-passwd), and `user`.
constexpr std::string_view kPasswd = R"(root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
bin:x:2:2:bin:/bin:/usr/sbin/nologin
sys:x:3:3:sys:/dev:/usr/sbin/nologin
sync:x:4:65534:sync:/bin:/bin/sync
games:x:5:60:games:/usr/games:/usr/sbin/nologin
man:x:6:12:man:/var/cache/man:/usr/sbin/nologin
lp:x:7:7:lp:/var/spool/lpd:/usr/sbin/nologin
mail:x:8:8:mail:/var/mail:/usr/sbin/nologin
news:x:9:9:news:/var/spool/news:/usr/sbin/nologin
uucp:x:10:10:uucp:/var/spool/uucp:/usr/sbin/nologin
proxy:x:13:13:proxy:/bin:/usr/sbin/nologin
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
backup:x:34:34:backup:/var/backups:/usr/sbin/nologin
list:x:38:38:list:/var/list:/usr/sbin/nologin
irc:x:39:39:irc:/run/ircd:/usr/sbin/nologin
_apt:x:42:65534::/nonexistent:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
user:x:1000:1000:user:/home/user:/bin/bash
)";

constexpr std::string_view kGroups = R"(root:x:0:
daemon:x:1:
bin:x:2:
sys:x:3:
adm:x:4:
tty:x:5:
disk:x:6:
lp:x:7:
mail:x:8:
news:x:9:
uucp:x:10:
man:x:12:
proxy:x:13:
kmem:x:15:
dialout:x:20:
fax:x:21:
voice:x:22:
cdrom:x:24:
floppy:x:25:
tape:x:26:
sudo:x:27:user
audio:x:29:
dip:x:30:
www-data:x:33:
backup:x:34:
operator:x:37:
list:x:38:
irc:x:39:
src:x:40:
shadow:x:42:
utmp:x:43:
video:x:44:
sasl:x:45:
plugdev:x:46:
staff:x:50:
games:x:60:
users:x:100:
nogroup:x:65534:
user:x:1000:
)";

constexpr std::string_view kProfile = R"(# Of all login shells.
PATH="@PATH@"
export PATH
if [ -n "$PS1" ] && [ -n "$BASH" ] && [ -f /etc/bash.bashrc ]; then . /etc/bash.bashrc; fi
if [ -d /etc/profile.d ]; then
  for script in /etc/profile.d/*.sh; do
    if [ -r "$script" ]; then . "$script"; fi
  done
  unset script
fi
)";

constexpr std::string_view kBashrc = R"(# Of all interactive shells.
[ -z "$PS1" ] && return
shopt -s checkwinsize
PS1='\u@\h:\w\$ '
)";

constexpr std::string_view kSudoers = R"(Defaults env_reset
Defaults !fqdn
Defaults secure_path="@PATH@"
Defaults env_keep += "E2B_SANDBOX E2B_SANDBOX_ID E2B_TEMPLATE_ID"
root ALL=(ALL:ALL) ALL
%sudo ALL=(ALL:ALL) ALL
user ALL=(ALL:ALL) NOPASSWD: ALL
@includedir /etc/sudoers.d
)";

// No account here has a password: PAM permits those who may use the service, and denies all others.
constexpr std::string_view kPamSudo =
    "auth required pam_deny.so\naccount required pam_permit.so\nsession required pam_permit.so\n";
constexpr std::string_view kPamSu =
    "auth sufficient pam_rootok.so\nauth required pam_unix.so\naccount required pam_permit.so\n"
    "session required pam_permit.so\n";
constexpr std::string_view kPamRoot =
    "auth sufficient pam_rootok.so\nauth required pam_unix.so\naccount required pam_unix.so\n"
    "password required pam_unix.so sha512\nsession required pam_permit.so\n";
constexpr std::string_view kPamOther =
    "auth required pam_deny.so\naccount required pam_deny.so\npassword required pam_deny.so\n"
    "session required pam_deny.so\n";

std::string WithSearchPath(std::string_view text) {
  std::string out(text);
  const std::size_t at = out.find("@PATH@");
  if (at != std::string::npos) out.replace(at, 6, kSearchPath);
  return out;
}

// One locked entry for each account.
std::string ShadowOf(std::string_view passwd, std::string_view entry_end) {
  std::string out;
  while (!passwd.empty()) {
    out.append(passwd.substr(0, passwd.find(':'))).append(entry_end);
    passwd.remove_prefix(passwd.find('\n') + 1);
  }
  return out;
}

Status WriteAccounts(const FolderWriter& root) {
  constexpr gid_t kShadowGroup = 42;
  const Ownership secret{.mode = 0640, .user = 0, .group = kShadowGroup};
  RETURN_IF_ERROR(root.File("etc/passwd", kPasswd));
  RETURN_IF_ERROR(root.File("etc/group", kGroups));
  RETURN_IF_ERROR(root.File("etc/shadow", ShadowOf(kPasswd, ":*:19000:0:99999:7:::\n"), secret));
  RETURN_IF_ERROR(root.File("etc/gshadow", ShadowOf(kGroups, ":*::\n"), secret));
  RETURN_IF_ERROR(root.File("etc/subuid", ""));
  RETURN_IF_ERROR(root.File("etc/subgid", ""));
  RETURN_IF_ERROR(root.File("etc/shells", "/bin/sh\n/bin/bash\n/usr/bin/bash\n/bin/dash\n"));
  return root.File("etc/sudoers", WithSearchPath(kSudoers), {.mode = 0440});
}

Status WritePam(const FolderWriter& root) {
  for (const char* service : {"sudo", "sudo-i"})
    RETURN_IF_ERROR(root.File(std::string("etc/pam.d/") + service, kPamSudo));
  for (const char* service : {"su", "su-l", "runuser", "runuser-l"})
    RETURN_IF_ERROR(root.File(std::string("etc/pam.d/") + service, kPamSu));
  for (const char* service : {"passwd", "chpasswd", "newusers", "chsh", "chfn", "login", "cron"})
    RETURN_IF_ERROR(root.File(std::string("etc/pam.d/") + service, kPamRoot));
  RETURN_IF_ERROR(root.File("etc/pam.d/common-auth", "auth required pam_unix.so nullok\n"));
  RETURN_IF_ERROR(root.File("etc/pam.d/common-account", "account required pam_unix.so\n"));
  RETURN_IF_ERROR(root.File("etc/pam.d/common-password", "password required pam_unix.so sha512\n"));
  RETURN_IF_ERROR(root.File("etc/pam.d/common-session", "session required pam_permit.so\n"));
  RETURN_IF_ERROR(
      root.File("etc/pam.d/common-session-noninteractive", "session required pam_permit.so\n"));
  return root.File("etc/pam.d/other", kPamOther);
}

}  // namespace

Status WriteEtc(const FolderWriter& root) {
  RETURN_IF_ERROR(WriteAccounts(root));
  RETURN_IF_ERROR(WritePam(root));
  RETURN_IF_ERROR(root.File("etc/nsswitch.conf",
                            "passwd: files\ngroup: files\nshadow: files\ngshadow: files\n"
                            "hosts: files dns\nnetworks: files\nprotocols: files\n"
                            "services: files\nethers: files\nrpc: files\n"));
  RETURN_IF_ERROR(root.File("etc/host.conf", "multi on\n"));
  RETURN_IF_ERROR(root.File("etc/profile", WithSearchPath(kProfile)));
  RETURN_IF_ERROR(root.Folder("etc/profile.d"));
  RETURN_IF_ERROR(root.File("etc/bash.bashrc", kBashrc));
  RETURN_IF_ERROR(root.File("etc/environment", "PATH=\"" + std::string(kSearchPath) + "\"\n"));
  RETURN_IF_ERROR(root.File("etc/timezone", "Etc/UTC\n"));
  RETURN_IF_ERROR(root.Link("etc/localtime", "/usr/share/zoneinfo/Etc/UTC"));
  RETURN_IF_ERROR(root.Link("etc/os-release", "../usr/lib/os-release"));
  RETURN_IF_ERROR(root.Link("etc/mtab", "../proc/self/mounts"));
  RETURN_IF_ERROR(root.File("etc/fstab", "# Nothing here: the sandbox mounts what it needs.\n"));
  RETURN_IF_ERROR(root.File("etc/machine-id", ""));
  // Packages fetched in a box are of no use after it; a sandbox has no init that could start
  // services.
  RETURN_IF_ERROR(root.File("etc/apt/apt.conf.d/90sandbox",
                            "APT::Install-Recommends \"false\";\nDpkg::Use-Pty \"false\";\n"
                            "APT::Sandbox::User \"root\";\n"));
  RETURN_IF_ERROR(root.File("root/.bashrc", kBashrc));
  return root.File("root/.profile", "[ -f ~/.bashrc ] && . ~/.bashrc\n");
}

}  // namespace viv::templates
