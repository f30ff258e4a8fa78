// Any text may stand in a list's query, a cursor or a note; what can be read can be written again
// and means the same.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/base64.h"
#include "base/check.h"
#include "dialects/langsmith/box_annotation.h"
#include "dialects/langsmith/box_name.h"
#include "dialects/langsmith/box_query.h"
#include "fuzz_target.h"

FUZZ_TARGET(langsmith_query)(const std::uint8_t* data, std::size_t size) {
  using viv::langsmith::BoxSort;
  std::string text(reinterpret_cast<const char*>(data), size);

  viv::http::Request request;
  request.query = text;
  auto query = viv::langsmith::ReadBoxQuery(request, "mine");
  if (query) {
    CHECK(query->limit >= 1 && query->limit <= viv::langsmith::kPageSizeMax);
    viv::boxes::Box box;
    box.id = "i0";
    query->filter.Fits(box);
  }

  // The text as a cursor, and as what a cursor holds.
  for (const std::string& cursor : {text, viv::EncodeBase64Url(text)}) {
    for (auto sort : {BoxSort::kCreation, BoxSort::kName}) {
      viv::langsmith::BoxListQuery list;
      list.sort = sort;
      auto sort_key = viv::langsmith::DecodeCursor(list, cursor);
      if (!sort_key) continue;
      const std::string again = viv::langsmith::EncodeCursor(list, *sort_key);
      if (again.size() <= cursor.size())
        CHECK(*viv::langsmith::DecodeCursor(list, again) == *sort_key);
    }
  }

  viv::boxes::Box box;
  box.spec.annotations["langsmith"] = text;
  const std::string annotation = viv::langsmith::WriteAnnotation(viv::langsmith::AnnotationOf(box));
  box.spec.annotations["langsmith"] = annotation;
  CHECK(viv::langsmith::WriteAnnotation(viv::langsmith::AnnotationOf(box)) == annotation);
  viv::langsmith::BoxNameError(text);
  return 0;
}
