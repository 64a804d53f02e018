// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/record.hpp>
#include <sessionkit/time.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `quarantine/` in a directory: where bytes go that something else takes the place of. Made when the first
/// come. `directory` stays open as long as this.
class SESSIONKIT_API Quarantine {
 public:
  static constexpr char const* folder_name = "quarantine";

  Quarantine(FileOps& ops, int directory, std::string path, Timestamp now);

  /// Copies what an open file holds, and syncs the copy and its name. Answers the copy's path.
  Result<std::string> copy(int descriptor, std::string const& name);
  /// Moves a file here. Answers its new path.
  Result<std::string> take(int from, std::string const& name);

 private:
  Result<void> open();
  std::string name_of(std::string const& name, int tries) const;

  FileOps* ops_;
  int directory_;
  std::string path_, time_;
  OpenFile folder_;
};

/// Writes all bytes, in as many calls as it takes.
SESSIONKIT_API Result<void> write_fully(FileOps& ops, int descriptor, std::string_view bytes,
                                        std::string_view path);

/// True if bytes of this kind of damage give no entry, so that a rewritten transcript leaves them out.
bool gives_no_entry(DamageKind kind) noexcept;

struct RewriteOptions {
  std::chrono::milliseconds lock_wait{5000};
  std::uint64_t max_line = std::uint64_t{64} << 20;
};
/// Replaces a damaged transcript by one without the bytes that give no entry, under its lock. Answers where
/// the copy of the old one is; empty: it was not damaged, and was not touched. `unsafe_path` if it is not
/// ours to write, `corrupt` if nothing good is in it, `timed_out`, `io_error`, `no_space`.
SESSIONKIT_API Result<std::string> rewrite_transcript(FileOps& ops, int directory, std::string const& name,
                                                      std::string const& path, Quarantine& quarantine,
                                                      RewriteOptions const& options);

}}}
