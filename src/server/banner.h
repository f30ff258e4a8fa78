#pragma once
// What a newcomer sees when the server has started: where it is, the key, and a first command. The
// key itself is shown on a terminal only: what is piped ends in files and logs that others read.

#include <cstddef>
#include <cstdint>
#include <string>

namespace viv::server {

struct Banner {
  std::string address;
  std::uint16_t port = 0;
  bool secure = false;
  std::string key;       // empty: the one in the file was revoked
  std::string key_file;  // empty: the key was given to the server
  std::string data;
  std::size_t apps = 0;
  std::string no_boxes;        // why there are none; empty: there are
  bool to_terminal = false;    // PrintBanner looks by itself
  std::string sudo_user = {};  // who started the server through sudo; likewise
};

std::string BannerText(const Banner& banner);
void PrintBanner(Banner banner);
void PrintFirstStart();  // before the seed images are made, which takes a few seconds
// When the server stops and boxes go on.
void PrintBoxesKeptRunning(std::size_t count, const std::string& data);

}  // namespace viv::server
