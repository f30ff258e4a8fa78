#pragma once
// Entity tags (RFC 9110): which version of a file a response shows, and whether it is still the one
// that a client knows.

#include <sys/stat.h>

#include <string>
#include <string_view>

namespace viv::agent {

// A strong one, quotes included: another inode, size or time of change is another version.
std::string EtagOf(const struct stat& info);

// Whether an If-None-Match header names the tag; by the weak comparison, as the header demands. A
// malformed rest of it names nothing.
bool MatchesIfNoneMatch(std::string_view if_none_match, std::string_view etag);

// Whether an If-Range header says that the client knows this version: by its strong tag, or by the
// very text of Last-Modified. An empty header asks nothing.
bool MatchesIfRange(std::string_view if_range, std::string_view etag, std::string_view modified);

}  // namespace viv::agent
