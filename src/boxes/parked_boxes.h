#pragma once
// Pools of boxes that are started ahead of time, one pool for each way to start a box. A thread
// fills the pools while no requests come in; creating a box then only takes one from its pool.
// Thread-safe.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "boxes/box_host.h"

namespace viv::boxes {

class ParkedBoxes {
 public:
  // `target` is the size of each pool; 0: no box is parked.
  ParkedBoxes(BoxHost& host, std::size_t target);
  ~ParkedBoxes();  // ends the parked boxes

  // Fills the pool `parked_key` from now on. A call with another request, after the template has
  // changed, ends the boxes of the earlier one.
  void StartParking(const std::string& parked_key, BoxHost::StartRequest request);
  void StopParking(const std::string& parked_key);
  std::unique_ptr<LiveBox> Take(const std::string& parked_key);  // nullptr: none is ready
  std::size_t size() const;

 private:
  struct Pool {
    BoxHost::StartRequest request;
    std::deque<std::unique_ptr<LiveBox>> boxes;
    bool failing = false;  // the last start failed; the next one waits until a box is requested
  };

  void Run();
  Pool* NextToFill();
  void End(std::deque<std::unique_ptr<LiveBox>> boxes);

  BoxHost& host_;
  const std::size_t target_;
  mutable std::mutex mutex_;  // guards all below
  std::map<std::string, Pool> pools_;
  std::chrono::steady_clock::time_point last_taken_{};
  bool stopping_ = false;
  std::condition_variable wake_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace viv::boxes
