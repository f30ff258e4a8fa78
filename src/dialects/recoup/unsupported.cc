#include "dialects/recoup/context.h"
#include "dialects/recoup/errors.h"

namespace viv::recoup {

// Operations of other products of the vendor. The routes exist so that clients get an error message
// with what to do instead.

Task<http::Response> ExplainStagedFile(Context&, http::Request&) {
  co_return Failure(
      501,
      "Staged uploads are not available here: send the file's URL, or a data: URL, to "
      "POST /api/sandboxes/files, or push to the repository with git");
}

Task<http::Response> ExplainStatistics(Context&, http::Request&) {
  co_return Failure(501,
                    "Statistics are not available here: `viv account ls` and `viv org ls` on the "
                    "server list who there is, and GET /api/sandboxes what an account has");
}

}  // namespace viv::recoup
