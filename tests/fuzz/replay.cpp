// SPDX-License-Identifier: MIT
// Runs a target once on each file of the given folders, as libFuzzer does.
#include "fuzz/fuzz.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

int main(int count, char** arguments) {
  std::size_t done = 0;
  for (int i = 1; i < count; ++i) {
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator(arguments[i])) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (auto const& file : files) {
      std::ifstream in(file, std::ios::binary);
      std::vector<char> const bytes{std::istreambuf_iterator<char>(in), {}};
      std::printf("%s\n", file.c_str());
      std::fflush(stdout); // the name must be printed before a crash
      LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size());
      ++done;
    }
  }
  std::printf("%zu inputs\n", done);
  return done == 0 ? 1 : 0;
}
