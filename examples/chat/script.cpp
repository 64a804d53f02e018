// SPDX-License-Identifier: MIT
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

/// A copy of a session that pi wrote; the same one again in later runs.
std::string pi_session(Options const& options) {
  auto const folder = fs::path(directory_of(options.store)) / "pi";
  auto const copy = folder / "simple_chat.jsonl";
  fs::create_directories(folder);
  if (!fs::exists(copy)) fs::copy_file(CHAT_PI_SESSION, copy);
  return copy.string();
}

}

void play_beginning(Options const& options) {
  Chat chat(options, false);
  chat.greet();
  type(chat, "What is in config.json?");
  type(chat, "Thank you.");
  type(chat, "/explain");
}

void play_continuation(Options const& options) {
  Chat chat(options, false);
  chat.greet();
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
