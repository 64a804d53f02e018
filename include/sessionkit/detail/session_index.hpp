// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_ops.hpp>
#include <sessionkit/session_info.hpp>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A session's row: a cache of `fold`. `extra` are members that other programs put there: `"name":value,...`.
struct IndexRow {
  SessionInfo info;
  std::string extra = {};
};

/// What `sessions.json` holds: `{"sessions":{id:{id,agentId,filePath,title,messageCount,createdAt,lastAt,
/// tokenEstimate,...}}}`, times in milliseconds since 1970.
struct SessionIndex {
  std::map<std::string, IndexRow> rows = {};
  std::map<std::string, std::string> foreign_rows = {};          ///< key to JSON: no session of ours
  std::vector<std::pair<std::string, std::string>> members = {}; ///< of the file, beside "sessions"
};

/// `corrupt` if the text is not such a file. Rows without our own members give a summary whose `end` is zero.
SESSIONKIT_API Result<SessionIndex> parse_session_index(std::string_view text);
SESSIONKIT_API std::string write_session_index(SessionIndex const& index);

/// `<root>/sessions.json`: replaced as a whole, under a lock between processes, never written in place.
class SESSIONKIT_API IndexFile {
 public:
  /// unreadable: it is no index of ours; unavailable: the system did not let us read it.
  enum State { missing, good, unreadable, unavailable };

  /// `directory` stays open as long as this. Not `synced`: a power loss may leave an unreadable file.
  IndexFile(FileOps& ops, int directory, std::string root, bool synced);

  /// No failure but for memory: the index is a cache, and one that cannot be read is none.
  State load(SessionIndex& out);
  /// Writes what `make` makes of the index on disk; `changed` tells it that somebody wrote since we last
  /// loaded or replaced it (else `disk` is empty). A file that is none of ours is moved aside, not lost.
  Result<void> replace(std::function<std::string(bool changed, SessionIndex disk)> const& make,
                       std::chrono::milliseconds lock_wait);

  std::string const& path() const noexcept { return path_; }

 private:
  State read(SessionIndex& out);
  Result<OpenFile> lock(std::chrono::milliseconds wait);
  Result<void> write_new(std::string const& name, std::string const& text);
  Result<void> move_aside();

  FileOps* ops_;
  int directory_;
  std::string root_, path_;
  bool synced_;
  FileStatus seen_ = {};          ///< the version in memory; inode 0: none
  Error failure_{Errc::io_error}; ///< why it is unavailable
};

}}}
