// SPDX-License-Identifier: MIT
#include "samples.hpp"
#include "script.hpp"
#include "store.hpp"

#include <filesystem>
#include <iostream>

namespace chat {

namespace fs = std::filesystem;

namespace {

void type(Chat& chat, std::string const& line) {
  std::cout << "you> " << line << '\n';
  chat.take(line);
}

/// The same file in later runs.
std::string pi_session(Options const& options) {
  auto copy = (fs::path(directory_of(options.store)) / "pi" / "simple_chat.jsonl").string();
  make_pi_session(copy);
  return copy;
}

}

void play_beginning(Options const& options) {
  Chat chat(options, false);
  chat.greet(false);
  type(chat, "What is in config.json?");
  type(chat, "Thank you.");
  type(chat, "/explain");
}

void play_continuation(Options const& options) {
  Chat chat(options, false);
  chat.greet(false);
  type(chat, "/history");
  type(chat, "What did I say first?");
  type(chat, "And what then?");
  type(chat, "/explain");
  type(chat, "/sessions");

  std::cout << "\n-- A session that pi wrote\n";
  chat.open_file(pi_session(options));
  type(chat, "/history");
  type(chat, "And the newest one first?");
}

}
