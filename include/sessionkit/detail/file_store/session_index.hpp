// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/json/json_write.hpp>
#include <sessionkit/detail/file_store/written_rows.hpp>
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
struct SESSIONKIT_API SessionIndex {
  std::map<std::string, IndexRow, std::less<>> rows = {};
  WrittenRows written = {};                                      ///< more rows, of other names
  std::map<std::string, std::string> foreign_rows = {};          ///< key to JSON: no session of ours
  std::vector<std::pair<std::string, std::string>> members = {}; ///< of the file, beside "sessions"

  std::size_t size() const noexcept { return rows.size() + written.left(); }
  bool has(std::string_view name) const { return written.find(name) != nullptr || rows.count(name) > 0; }
  /// Null: there is none.
  IndexRow* find(std::string_view name);
  /// The end of a row's log, as the row says; absent: there is no such row.
  std::optional<Position> end_of(std::string_view name) const;
  void put(std::string const& name, IndexRow row);
  void erase(std::string_view name);
  /// Makes `rows` of all that were only `written`.
  void read_all();
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
/// As it stands in an index: another program's stays word for word.
IndexRow read_index_row(SessionId id, std::string_view row);
void write_index_row(IndexRow const& row, JsonWriter& out, std::string& text);

/// Members by which rows are looked for without being read.
inline constexpr std::string_view updated_member = "lastAt", end_member = "end";

/// Puts a checksum behind the rows of such a text: who finds it right knows that the text is ours and whole.
SESSIONKIT_API void seal_index(std::string& text);
inline constexpr std::string_view seal_member = "sessionkitCrc";
/// How many bytes of an index of that size its seal covers, if it has one.
SESSIONKIT_API std::uint64_t sealed_bytes(std::uint64_t size) noexcept;

/// Finds the rows of a sealed index, and does not read them. The text is looked at while it comes in: each
/// piece is in the processor's cache then.
class SESSIONKIT_API SealedRows {
 public:
  /// `text`: what is sealed, as far as it came; it begins where it did before.
  void look(std::string_view text);
  /// When all has come: the rows, which then have the text. `crc`: of the sealed bytes. Absent: there is no
  /// seal, or it is broken.
  std::optional<SessionIndex> take(IndexText& text, std::uint32_t crc);

 private:
  bool take_first(std::string_view line);
  bool take_row(std::string_view line);

  SessionIndex index_;
  std::vector<WrittenRows::Row> rows_;
  std::size_t begin_ = 0, searched_ = 0; ///< of the line whose end is not found yet
  bool as_written_ = true;
};

/// claw0's shape: `{key:{session_key,session_id,created_at,updated_at,message_count,transcript_file}}`, times
/// in RFC 3339. Of several sessions of a key the newest is written; the others are found by their files.
SESSIONKIT_API Result<SessionIndex> parse_key_index(std::string_view text);
SESSIONKIT_API std::string write_key_index(SessionIndex const& index);

/// One shape of `sessions.json`.
struct IndexCodec {
  Result<SessionIndex> (*parse)(std::string_view text);
  std::string (*write)(SessionIndex const& index);
  bool sealed; ///< it may have a seal
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
