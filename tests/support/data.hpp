// SPDX-License-Identifier: MIT
// Files the tests read (tests/data), and folders they may write to.
#pragma once
#include "give_up.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <unistd.h>

namespace sessionkit_test {

/// The path of a file under tests/data: `data("pi/simple_chat.jsonl")`.
std::string data(std::string const& name);

/// The bytes of a file; gives up if it cannot be read.
inline std::string read_file(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) give_up("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Writes exactly these bytes; gives up if it cannot.
inline void write_file(std::string const& path, std::string const& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) give_up("cannot write " + path);
}

/// A new folder, removed with its content at the end of the scope.
class TempDir {
 public:
  TempDir() {
    auto pattern = (std::filesystem::temp_directory_path() / "sessionkit-XXXXXX").generic_string();
    if (!make_unique_directory(pattern)) give_up("cannot make " + pattern);
    path_ = pattern;
  }
  TempDir(TempDir const&) = delete;
  TempDir& operator=(TempDir const&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string const& path() const noexcept { return path_; }
  std::string operator/(std::string const& name) const { return path_ + "/" + name; }

 private:
#if defined(_WIN32)
  static bool make_unique_directory(std::string& pattern) { // it has no mkdtemp
    std::random_device random;
    for (int tries = 0; tries < 100; ++tries) {
      std::string const name = pattern.substr(0, pattern.size() - 6) + std::to_string(random());
      std::error_code failed;
      if (!std::filesystem::create_directory(name, failed)) continue;
      pattern = name;
      return true;
    }
    return false;
  }
#else
  static bool make_unique_directory(std::string& pattern) { return ::mkdtemp(pattern.data()) != nullptr; }
#endif

  std::string path_;
};

}
