// SPDX-License-Identifier: MIT
// Any bytes as a file: the complete lines are entries, and every provider is sent a valid request.
#include "fuzz/fuzz.hpp"
#include "support/hostile_log.hpp"
#include "support/physical_lines.hpp"

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace sessionkit_test;
  using sessionkit_fuzz::require;
  std::string const bytes = sessionkit_fuzz::text_of(data, size);
  OneFile file(bytes);
  Journey journey;
  journey.go(file);
  require(file.bytes.compare(0, bytes.size(), bytes) == 0, "the content of a file stays", file.bytes);
  Travelled const& result = journey.result;
  for (std::string const& failure : result.failed) // reading never fails
    require(failure.rfind("encode", 0) == 0 || failure.rfind("convert", 0) == 0
                || failure.rfind("append", 0) == 0 || failure.rfind("compact", 0) == 0
                || failure.rfind("Session::open", 0) == 0,
            failure.c_str(), bytes);
  std::size_t found = 0;
  for (std::string const& line : whole_lines(bytes)) {
    while (found < result.lines.size() && result.lines[found] != line) ++found;
    require(found++ < result.lines.size() || result.lines.empty(), "each whole line is an entry", line);
  }
  for (std::string const& fault : refused(result.requests)) require(false, fault.c_str(), bytes);
  for (std::string const& fault : refused(result.later_requests)) require(false, fault.c_str(), file.bytes);
  for (std::string const& fault : refused(result.short_requests)) require(false, fault.c_str(), file.bytes);
  return 0;
}
