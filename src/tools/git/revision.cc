#include "tools/git/revision.h"

#include <optional>

#include "tools/kit/python_repr.h"

namespace viv::tools::git {
namespace {

constexpr std::size_t kRevisionMax = 4096;

std::optional<std::string> IdOf(const Repository& repository, const std::string& revision) {
  auto id = repository.Git({"rev-parse", "--verify", "--quiet", revision});
  if (!id) return std::nullopt;
  return *std::move(id);
}

std::string TypeOf(const Repository& repository, const std::string& id) {
  auto type = repository.Git({"cat-file", "-t", id});
  return type ? *type : "object";
}

tl::unexpected<Error> Invalid(std::string text) {
  return Fail(ErrorCode::kInvalidArgument, std::move(text));
}

tl::unexpected<Error> NoCommit(const Repository& repository, const std::string& id) {
  std::string type = TypeOf(repository, id);
  type[0] = static_cast<char>(type[0] - 'a' + 'A');
  return Invalid("Cannot convert object <git." + type + " \"" + id + "\"> to type commit");
}

// Where the name ends and its suffixes begin: "^", "~", ":" and "@{".
std::size_t NameEnd(const std::string& revision) {
  const std::size_t mark = revision.find_first_of("^~:");
  const std::size_t at = revision.find("@{");
  return std::min({mark, at, revision.size()});
}

tl::unexpected<Error> BadBraces(const Repository& repository,
                                const std::string& revision,
                                std::size_t begin) {
  const std::size_t open = revision.find('{', begin);
  const std::size_t close = revision.find('}', open);
  if (close == std::string::npos)
    return Invalid("Missing closing brace to define type in " + revision);
  const std::string content = revision.substr(open + 1, close - open - 1);
  if (revision[begin] == '@') return Invalid("Invalid revlog index: " + content);
  if (content.starts_with("/"))
    return BadName("No commit found matching message pattern " + PythonRepr(content.substr(1)));
  if (content == "commit" || content == "tree") {
    const auto id = IdOf(repository, revision.substr(0, begin));
    return NoCommit(repository, id.value_or(revision));
  }
  return Invalid("Invalid output type: " + content + " ( in " + revision + " )");
}

// Follows the suffixes one by one to the first that fails, and says how.
tl::unexpected<Error> WhyUnresolved(const Repository& repository, const std::string& revision) {
  std::size_t at = NameEnd(revision);
  if (at == revision.size() || revision.starts_with(":/")) return BadName(revision);
  if (at > 0 && !IdOf(repository, revision.substr(0, at))) return BadName(revision.substr(0, at));
  while (at < revision.size()) {
    const std::size_t begin = at;
    const char mark = revision[at++];
    if (mark == ':')
      return Invalid(
          PythonRepr("Blob or Tree named " + PythonRepr(revision.substr(at)) + " not found"));
    if (at < revision.size() && revision[at] == '{') {
      const std::size_t close = revision.find('}', at);
      if (close == std::string::npos || !IdOf(repository, revision.substr(0, close + 1)))
        return BadBraces(repository, revision, begin);
      at = close + 1;
      continue;
    }
    if (mark != '^' && mark != '~') return Invalid("Invalid token: '" + std::string(1, mark) + "'");
    while (at < revision.size() && revision[at] >= '0' && revision[at] <= '9') ++at;
    if (IdOf(repository, revision.substr(0, at))) continue;
    const auto before = IdOf(repository, revision.substr(0, begin));
    if (before && !IdOf(repository, *before + "^{commit}")) return NoCommit(repository, *before);
    const std::string count = at > begin + 1 ? revision.substr(begin + 1, at - begin - 1) : "1";
    return BadName("Invalid revision spec '" + revision +
                   "' - not enough parent commits to reach '" + mark + count + "'");
  }
  return BadName(revision);
}

}  // namespace

tl::unexpected<Error> BadName(const std::string& name) {
  return Fail(ErrorCode::kNotFound, "Ref '" + name + "' did not resolve to an object");
}

Status RefuseOption(const std::string& kind, const std::string& name) {
  if (!name.starts_with("-")) return {};
  return BadName("Invalid " + kind + ": '" + name + "' - cannot start with '-'");
}

Result<std::string> Resolve(const Repository& repository, const std::string& revision) {
  if (revision.size() > kRevisionMax ||
      revision.find_first_of(std::string_view("\0\n", 2)) != std::string::npos)
    return BadName(revision.substr(0, 100));
  if (revision.starts_with("^") || revision.starts_with("~"))
    return Invalid("Revision specifier must start with an object name: " + revision);
  if (auto id = IdOf(repository, revision)) return *id;
  return WhyUnresolved(repository, revision);
}

Result<std::string> ResolveCommit(const Repository& repository, const std::string& revision) {
  ASSIGN_OR_RETURN(const std::string id, Resolve(repository, revision));
  if (auto commit = IdOf(repository, id + "^{commit}")) return *commit;
  return NoCommit(repository, id);
}

Status CheckReferenceName(const std::string& reference) {
  const auto refuse = [&](const std::string& rule) {
    return Invalid("Invalid reference '" + reference + "': references cannot " + rule);
  };
  char previous = '\0';
  for (const char c : reference) {
    if (std::string_view(" ~^:?*[\\").find(c) != std::string_view::npos)
      return refuse(
          "contain spaces, tildes (~), carets (^), colons (:), question marks (?), asterisks (*), "
          "open brackets ([) or backslashes (\\)");
    if (c == '.' && (previous == '\0' || previous == '/'))
      return refuse("start with a period (.) or contain '/.'");
    if (c == '.' && previous == '.') return refuse("contain '..'");
    if (c == '/' && previous == '/') return refuse("contain '//'");
    if (c == '{' && previous == '@') return refuse("contain '@{'");
    if (static_cast<unsigned char>(c) < 32 || c == 127)
      return refuse("contain ASCII control characters");
    previous = c;
  }
  if (previous == '.') return refuse("end with a period (.)");
  if (previous == '/') return refuse("end with a forward slash (/)");
  if (reference.ends_with(".lock") || reference.find(".lock/") != std::string::npos)
    return refuse("have slash-separated components that end with '.lock'");
  return {};
}

}  // namespace viv::tools::git
