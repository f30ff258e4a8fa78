#include "base/blocking_pool.h"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace viv {

BlockingPool::BlockingPool(std::size_t threads)
    : threads_(std::make_unique<asio::thread_pool>(threads)),
      submit_([this](std::unique_ptr<PoolJob> job) {
        asio::post(*threads_, [job = std::move(job)] { job->Run(); });
      }) {}

BlockingPool::~BlockingPool() {
  threads_->join();
}

}  // namespace viv
