#pragma once
// Boxes that wait for somebody: started ahead of time, per template, by a thread of its own that
// works when nobody is asking. A create is then a claim. Thread-safe.

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
  // `target` for each template; 0: none at all.
  ParkedBoxes(BoxHost& host, std::size_t target);
  ~ParkedBoxes();  // ends those that wait

  // Keeps boxes of that kind from now on. Asked for again with another request (the template
  // changed) it ends the old ones.
  void StartParking(const std::string& parked_key, BoxHost::StartRequest request);
  void StopParking(const std::string& parked_key);
  std::unique_ptr<LiveBox> Take(const std::string& parked_key);  // nullptr: none is ready
  std::size_t size() const;

 private:
  struct Pool {
    BoxHost::StartRequest request;
    std::deque<std::unique_ptr<LiveBox>> boxes;
    bool failing = false;  // the last start failed: not before somebody asks again
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
