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
  auto found = queues_.find(account);
  if (found != queues_.end() && found->second.reserved >= options_.account_waiting_max)
    return false;
  ++queues_[account].reserved;
  ++reserved_;
  return true;
}

void FairPool::Add(const std::string& account, std::unique_ptr<PoolJob> job) {
  {
    std::lock_guard lock(mutex_);
    AccountQueue& queue = queues_[account];
    if (queue.waiting.empty()) ready_accounts_.push_back(account);
    queue.waiting.push_back(std::move(job));
  }
  ready_.notify_one();
}

std::unique_ptr<PoolJob> FairPool::Next(std::string& account) {
  for (std::size_t left = ready_accounts_.size(); left > 0; --left) {
    account = std::move(ready_accounts_.front());
    ready_accounts_.pop_front();
    AccountQueue& queue = queues_[account];
    if (queue.running >= account_running_max_) {
      ready_accounts_.push_back(account);
      continue;
    }
    std::unique_ptr<PoolJob> job = std::move(queue.waiting.front());
    queue.waiting.pop_front();
    if (!queue.waiting.empty()) ready_accounts_.push_back(account);
    --queue.reserved;
    --reserved_;
    ++queue.running;
    return job;
  }
  return nullptr;
}

void FairPool::Serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::string account;
    std::unique_ptr<PoolJob> job = Next(account);
    if (job == nullptr) {
      if (stopping_ && ready_accounts_.empty()) return;
      ready_.wait(lock);
      continue;
    }
    lock.unlock();
    job->Run();
    job.reset();
    lock.lock();
    auto queue = queues_.find(account);
    if (--queue->second.running == 0 && queue->second.reserved == 0) queues_.erase(queue);
    ready_.notify_one();  // the account may have another turn
    if (stopping_) ready_.notify_all();
  }
}

}  // namespace viv
