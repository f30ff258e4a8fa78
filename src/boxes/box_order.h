#pragma once
// The boxes of one account in one order, with the number of each: a page deep in the list costs the
// same as the first one.

#include <functional>
#include <memory>

#include "boxes/boxes.h"

namespace viv::boxes {

class BoxOrder {
 public:
  explicit BoxOrder(BoxQuery::By by);
  ~BoxOrder();

  void Add(BoxPtr box);
  void Remove(const Box& box);  // as it was added

  BoxPage List(const BoxQuery& query) const;

 private:
  struct Tree;
  const BoxQuery::By by_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace viv::boxes
