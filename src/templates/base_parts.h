#pragma once
// The parts of `base`, each in its own file: what is written, what is copied from the host's /etc,
// and what is corrected in its /usr.

#include <string>
#include <vector>

#include "base/result.h"
#include "templates/folder_writer.h"

namespace viv::templates {

// base_etc.cc: accounts, name service, shells, PAM and sudo. Over what CopyHostEtc brought.
Status WriteEtc(const FolderWriter& root);

// base_copy.cc: files of an allow-list that everybody on the host may read. No keys, no passwords.
Status CopyHostEtc(const FolderWriter& root);
Status CopyPackageDatabase(const FolderWriter& root);  // so that apt and dpkg work in a box

// base_usr.cc: `python`, a writable /usr/local, pip and npm that install there; hides configuration
// of the host and links that lead out of /usr.
Status WriteUsrCorrections(const FolderWriter& usr);
std::vector<std::string> FindMissingPrograms();

}  // namespace viv::templates
