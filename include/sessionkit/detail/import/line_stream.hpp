// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/import/foreign_lines.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// As `each_foreign_line`, for the lines of a file. Needs memory for about 1 MiB of the file and one line,
/// whatever the size of the file. A file that grows meanwhile is read up to the size that it had at the
/// beginning. Fails with `unsupported` if the file is longer than `ImportLimits::max_file`, and with the
/// errors of `files`. When reading fails, `use` may already have been called for some lines.
Result<void> each_line_of(ForeignFiles& files, std::string const& file, ImportLimits const& limits,
                          std::vector<Damage>& damage, std::function<void(ForeignLine const&)> const& use);

/// Reads lines of a file again, by their places. If lines are read in the order of the file, all of them
/// together cost one reading of the file. An earlier line may cost a read of its own.
class LinesAgain {
 public:
  LinesAgain(ForeignFiles& files, std::string file) : files_(files), file_(std::move(file)) {}

  /// Returns the line, which is valid until the next call. Fails with `conflict` if the line no longer has
  /// this checksum (CRC-32C), because the file was changed. Also fails with the errors of the files.
  Result<std::string_view> read(std::uint64_t offset, std::uint64_t size, std::uint32_t checksum);

 private:
  Result<std::string_view> bytes(std::uint64_t offset, std::uint64_t size);

  ForeignFiles& files_;
  std::string file_;
  std::string window_, apart_;
  std::uint64_t begin_ = 0; ///< where the window begins in the file
};

}}}
