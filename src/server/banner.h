#pragma once
// The text that the server prints when it has started: its URL, the key, and first commands. The
// key itself is printed on a terminal only, because other output ends up in files and logs that
// others read.

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
  std::string no_boxes;        // why this server runs no boxes; empty: it does
  bool to_terminal = false;    // PrintBanner detects it
  std::string sudo_user = {};  // who started the server through sudo; likewise
};

std::string BannerText(const Banner& banner);
void PrintBanner(Banner banner);
void PrintFirstStart();  // before the seed images are made, which takes a few seconds
// When the server stops and boxes keep running.
void PrintBoxesKeptRunning(std::size_t count, const std::string& data);

}  // namespace viv::server
