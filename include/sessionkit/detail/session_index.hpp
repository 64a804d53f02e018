// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_ops.hpp>
#include <sessionkit/detail/json_write.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/session_info.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A session's row: a cache of `fold`, and what only the index knows.
struct SESSIONKIT_API IndexRow {
  SessionInfo info;        ///< as folded from the log; where `end` is zero, what another program says
  std::string extra = {};  ///< members that other programs put there: `"name":value,...`
  std::string file = {};   ///< the transcript's name, where the index says it
  std::string key = {};    ///< what the index calls the session; the log may not say
  std::string title = {};  ///< likewise: programs whose lines hold no titles keep them in the index
  std::string raw = {};    ///< another program's row, written as it is until ours has more to say
  bool overridden = false; ///< `title` was chosen by a person
  bool titled = false;     ///< we stored a title since the index was read: that on disk is older

  /// The summary to tell: with what only the index knows.
  SessionInfo told() const;
  /// The row has to be written anew.
  void changed() { raw.clear(); }
  /// Takes over what another program put into the row as it is on disk.
  void keep_foreign(IndexRow& disk);
};

/// What `sessions.json` holds: `{"sessions":{id:{id,agentId,filePath,title,messageCount,createdAt,lastAt,
/// tokenEstimate,...}}}`, times in milliseconds since 1970.
struct SessionIndex {
  std::map<std::string, IndexRow, std::less<>> rows = {};
  std::map<std::string, std::string> foreign_rows = {};          ///< key to JSON: no session of ours
  std::vector<std::pair<std::string, std::string>> members = {}; ///< of the file, beside "sessions"
};

/// What a store knows better than the index on disk.
struct IndexNews {
  std::set<std::string> const& touched; ///< rows it changed
  std::set<std::string> const& removed;
  bool rebuilt; ///< all rows are its own
  bool by_key;  ///< sessions may be there that the index does not name
};
/// Ours with what others wrote since: their rows stay, but for the sessions we know more of.
SessionIndex merge_index(SessionIndex&& ours, SessionIndex disk, IndexNews const& news);

/// `corrupt` if the text is not such a file. A row without our own members is another program's: its
/// summary's `end` is zero.
SESSIONKIT_API Result<SessionIndex> parse_session_index(std::string_view text);
SESSIONKIT_API std::string write_session_index(SessionIndex const& index);
IndexRow parse_index_row(SessionId id, std::string_view row);
void write_index_row(IndexRow const& row, JsonWriter& out, std::string& text);

/// claw0's shape: `{key:{session_key,session_id,created_at,updated_at,message_count,transcript_file}}`, times
/// in RFC 3339. Of several sessions of a key the newest is written; the others are found by their files.
SESSIONKIT_API Result<SessionIndex> parse_key_index(std::string_view text);
SESSIONKIT_API std::string write_key_index(SessionIndex const& index);

/// One shape of `sessions.json`.
struct IndexCodec {
  Result<SessionIndex> (*parse)(std::string_view text);
  std::string (*write)(SessionIndex const& index);
};
SESSIONKIT_API IndexCodec const& index_codec(StoreLayout layout) noexcept;

/// `<root>/sessions.json`: replaced as a whole, under a lock between processes, never written in place.
class SESSIONKIT_API IndexFile {
 public:
  /// unreadable: it is no index of ours; unavailable: the system did not let us read it.
  enum State { missing, good, unreadable, unavailable };

  /// `directory` stays open as long as this. Not `synced`: a power loss may leave an unreadable file.
  IndexFile(FileOps& ops, int directory, std::string root, bool synced,
            IndexCodec const& codec = index_codec(StoreLayout::by_id));

  /// No failure but for memory: the index is a cache, and one that cannot be read is none.
  State load(SessionIndex& out);
  /// Writes what `make` makes of the index on disk; `changed` tells it that somebody wrote since we last
  /// loaded or replaced it (else `disk` is empty). A file that is none of ours is moved aside, not lost.
  /// `done` is called when the new one stands, with the lock still held.
  Result<void> replace(std::function<std::string(bool changed, SessionIndex disk)> const& make,
                       std::chrono::milliseconds lock_wait, std::function<void()> const& done = {});

  /// The lock that writers of the index hold; it is given back when the file is closed.
  Result<OpenFile> lock(std::chrono::milliseconds wait);

  std::string const& path() const noexcept { return path_; }

  /// Of the bytes last read or written: by these a journal names what it extends.
  struct Print {
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;
    friend bool operator==(Print a, Print b) noexcept { return a.bytes == b.bytes && a.crc == b.crc; }
  };
  Print print() const noexcept { return print_; }
  /// False if it cannot be told.
  bool is_missing();
  /// Is the file still the one last read or written? Absent: it cannot be told.
  std::optional<bool> unchanged();

 private:
  State read(SessionIndex& out);
  State look(SessionIndex& out);
  Result<void> write_new(std::string const& name, std::string const& text);
  Result<void> move_aside();

  FileOps* ops_;
  int directory_;
  std::string root_, path_;
  bool synced_;
  IndexCodec codec_;
  FileStatus seen_ = {}; ///< the version in memory; inode 0: none
  Print print_ = {};
  Error failure_{Errc::io_error}; ///< why it is unavailable
};

}}}
