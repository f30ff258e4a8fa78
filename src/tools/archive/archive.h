#pragma once
// A folder as tar.gz, and back. Both run inside the box as an ordinary user; an archive is hostile
// all the same: it may not name anything outside the folder, nor fill the disk.

namespace viv::tools {

// `viv-tools pack FOLDER`: members are ".", "./a", "./b/c" and so on. 0, or 1 with a sentence on
// standard error.
int RunPack(int count, char** words);

// `viv-tools unpack FOLDER`: all or nothing. Prints {"files":N,"bytes":N} at its end, or 1 with a
// sentence on standard error, and the folder is as it was.
int RunUnpack(int count, char** words);

}  // namespace viv::tools
