// SPDX-License-Identifier: MIT
// chat: a conversation at the terminal that is there again tomorrow. With nobody to talk to (stdin closed or
// empty) it plays its script, restarts as a new process, and goes on.
#include "script.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

#include <unistd.h>

namespace {

constexpr char usage[] =
    "usage: chat [--store DIR] [--key KEY] [--folder DIR] [--window N] [--requests FILE] [--script]\n"
    "  --store   where sessions are kept (default: the user's data directory)\n"
    "  --key     which conversation (default: chat)\n"
    "  --folder  what the tool read_file may read\n"
    "  --window  of the model, in tokens (default: 200000, at least 500)\n"
    "  --requests  write each request to this file, one a line\n"
    "  --script  play the demonstration\n";

constexpr std::size_t smallest_window = 500; // a request for a summary has to fit

struct CommandLine {
  chat::Options options;
  bool script = false;
  bool restarted = false; ///< by itself, for the second half of the script
};

std::string default_store() {
  auto const variable = [](char const* name) {
    char const* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): there is one thread
    return std::string(value == nullptr ? "" : value);
  };
  if (auto store = variable("SESSIONKIT_STORE"); !store.empty()) return store;
  if (auto const data = variable("XDG_DATA_HOME"); !data.empty()) return data + "/sessionkit/sessions";
  if (auto const home = variable("HOME"); !home.empty()) return home + "/.local/share/sessionkit/sessions";
  return "sessions";
}

/// False: the command line makes no sense.
bool parse(int argc, char** argv, CommandLine& out) {
  out.options.store = default_store();
  for (int i = 1; i < argc; ++i) {
    std::string const flag = argv[i];
    std::string* const value = flag == "--store"      ? &out.options.store
                               : flag == "--key"      ? &out.options.key
                               : flag == "--folder"   ? &out.options.folder
                               : flag == "--requests" ? &out.options.requests
                                                      : nullptr;
    if (value != nullptr && i + 1 < argc)
      *value = argv[++i];
    else if (flag == "--window" && i + 1 < argc) {
      char* end = nullptr;
      out.options.window = std::strtoul(argv[++i], &end, 10);
      if (*end != '\0' || argv[i][0] == '-' || out.options.window < smallest_window) return false;
    } else if (flag == "--script")
      out.script = true;
    else if (flag == "--restarted")
      out.restarted = true;
    else
      return false;
  }
  return true;
}

/// Becomes a new process of this program that knows nothing but what is on disk.
void restart(CommandLine const& line, char const* program) {
  std::cout << "\n-- Restart: a new process opens the same store\n" << std::flush;
  auto const& store = line.options.store;
  auto const& key = line.options.key;
  auto const& folder = line.options.folder;
  execlp(program, program, "--store", store.c_str(), "--key", key.c_str(), "--folder", folder.c_str(),
         "--script", "--restarted", nullptr);
  throw std::system_error(errno, std::generic_category(), std::string("cannot restart ") + program);
}

int talk(chat::Chat& chat, std::string line, bool prompt) {
  int failures = 0;
  do {
    try {
      if (!chat.take(line)) break;
    } catch (std::exception const& error) {
      std::cerr << "chat: " << error.what() << '\n';
      ++failures;
    }
    if (prompt) std::cout << "you> " << std::flush;
  } while (std::getline(std::cin, line));
  return failures == 0 ? 0 : 1;
}

int run(CommandLine& line, char const* program) {
  std::filesystem::create_directories(std::filesystem::absolute(line.options.store).parent_path());
  bool const prompt = isatty(STDIN_FILENO) != 0;
  std::string first;
  if (line.script || (!prompt && !std::getline(std::cin, first))) {
    if (!line.restarted) {
      chat::play_beginning(line.options);
      restart(line, program);
    }
    chat::play_continuation(line.options);
    return 0;
  }
  line.options.slow = prompt;
  chat::Chat chat(line.options);
  chat.greet();
  return talk(chat, first, prompt);
}

}

int main(int argc, char** argv) {
  CommandLine line;
  if (!parse(argc, argv, line)) {
    std::cerr << usage;
    return 2;
  }
  try {
    int const status = run(line, argv[0]);
    return std::cout.flush() ? status : 1;
  } catch (std::exception const& error) {
    std::cerr << "chat: " << error.what() << '\n';
    return 1;
  }
}
