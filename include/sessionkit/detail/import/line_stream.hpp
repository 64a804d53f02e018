// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/import/foreign_lines.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// As `each_foreign_line`, for the lines of a file. It holds about a line at a time in memory, whatever the
/// size of the file. A file that grows meanwhile is read up to the size that it had. Errors of `files`, and
/// `unsupported` if the file is longer than `ImportLimits::max_file`; then lines may have been given.
Result<void> each_line_of(ForeignFiles& files, std::string const& file, ImportLimits const& limits,
                          std::vector<Damage>& damage, std::function<void(ForeignLine const&)> const& use);

/// Reads lines of a file again, by their places. Lines that come one after another cost one reading of the
/// file; a line before them costs a reading of its own.
class LinesAgain {
 public:
  LinesAgain(ForeignFiles& files, std::string file) : files_(files), file_(std::move(file)) {}

  /// The line, until the next call. `conflict` if it does not have this checksum (CRC-32C) any more: the file
  /// was changed. Errors of the files.
  Result<std::string_view> read(std::uint64_t offset, std::uint64_t size, std::uint32_t checksum);

 private:
  Result<std::string_view> bytes(std::uint64_t offset, std::uint64_t size);

  ForeignFiles& files_;
  std::string file_;
  std::string window_, apart_;
  std::uint64_t begin_ = 0; ///< of the window, in the file
};

}}}
