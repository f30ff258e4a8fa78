#include "base/fair_pool.h"

#include <algorithm>

namespace viv {

FairPool::FairPool(Options options)
    : options_(options),
      account_running_max_(std::max<std::size_t>(1, options.threads - (options.threads > 0))) {
  for (std::size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { Serve(); });
}

FairPool::~FairPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool FairPool::Reserve(const std::string& account) {
  std::lock_guard lock(mutex_);
  if (reserved_ >= options_.waiting_max) return false;
  auto found = lanes_.find(account);
  if (found != lanes_.end() && found->second.reserved >= options_.account_waiting_max) return false;
  ++lanes_[account].reserved;
  ++reserved_;
  return true;
}

void FairPool::Add(const std::string& account, std::unique_ptr<Job> job) {
  {
    std::lock_guard lock(mutex_);
    Lane& lane = lanes_[account];
    if (lane.waiting.empty()) turns_.push_back(account);
    lane.waiting.push_back(std::move(job));
  }
  ready_.notify_one();
}

std::unique_ptr<FairPool::Job> FairPool::Next(std::string& account) {
  for (std::size_t left = turns_.size(); left > 0; --left) {
    account = std::move(turns_.front());
    turns_.pop_front();
    Lane& lane = lanes_[account];
    if (lane.running >= account_running_max_) {
      turns_.push_back(account);
      continue;
    }
    std::unique_ptr<Job> job = std::move(lane.waiting.front());
    lane.waiting.pop_front();
    if (!lane.waiting.empty()) turns_.push_back(account);
    --lane.reserved;
    --reserved_;
    ++lane.running;
    return job;
  }
  return nullptr;
}

void FairPool::Serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::string account;
    std::unique_ptr<Job> job = Next(account);
    if (job == nullptr) {
      if (stopping_ && turns_.empty()) return;
      ready_.wait(lock);
      continue;
    }
    lock.unlock();
    job->Run();
    job.reset();
    lock.lock();
    auto lane = lanes_.find(account);
    if (--lane->second.running == 0 && lane->second.reserved == 0) lanes_.erase(lane);
    ready_.notify_one();  // the account may have another turn
    if (stopping_) ready_.notify_all();
  }
}

}  // namespace viv
