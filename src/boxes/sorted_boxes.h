#pragma once
// The boxes of one account in one sort order, in a tree with order statistics: a page deep in the
// list costs the same as the first one.

#include <functional>
#include <memory>

#include "boxes/boxes.h"

namespace viv::boxes {

class SortedBoxes {
 public:
  explicit SortedBoxes(BoxQuery::SortBy by);
  ~SortedBoxes();

  void Add(BoxPtr box);
  void Remove(const Box& box);  // as it was added

  BoxPage List(const BoxQuery& query) const;

 private:
  struct Index;
  const BoxQuery::SortBy by_;
  std::unique_ptr<Index> index_;
};

}  // namespace viv::boxes
