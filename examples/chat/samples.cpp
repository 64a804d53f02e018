// SPDX-License-Identifier: MIT
#include "samples.hpp"

#include <chat/sample_texts.hpp> // made by CMake: the program runs wherever it is put
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace chat {

namespace fs = std::filesystem;

namespace {

/// Makes a directory and what is missing above it, for us alone. False: it exists.
bool make_private(fs::path const& path) {
  if (path.empty() || fs::exists(path)) return false;
  make_private(path.parent_path());
  return fs::create_directory(path) && (fs::permissions(path, fs::perms::owner_all), true);
}

}

void make_own_folder(std::string const& path) {
  if (!make_private(path)) return;
  write_file(path + "/config.json", sample_config);
}

void make_pi_session(std::string const& path) {
  if (fs::exists(path)) return;
  make_private(fs::path(path).parent_path());
  write_file(path, sample_of_pi);
}

void write_file(std::string const& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text << std::flush)) throw std::runtime_error("cannot write " + path);
}

}
