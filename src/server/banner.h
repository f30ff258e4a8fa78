#pragma once
// What a newcomer sees when the server has started: where it is, the key, and a first command.

#include <cstddef>
#include <cstdint>
#include <string>

namespace viv::server {

struct Banner {
  std::string address;
  std::uint16_t port = 0;
  bool secure = false;
  std::string key;
  std::string data;
  std::size_t apps = 0;
  std::string no_boxes;  // why there are none; empty: there are
};

void PrintBanner(const Banner& banner);
void PrintFirstStart();  // before the seed images are made, which takes a few seconds

}  // namespace viv::server
