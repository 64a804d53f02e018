// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/index_journal.hpp>
#include <sessionkit/detail/file_store/index_rows.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads the form
/// `{"sessions":{id:{id,agentId,filePath,title,messageCount,createdAt,lastAt,tokenEstimate,...}}}`, with
/// times in milliseconds since 1970. Fails with `corrupt` if the text is not in this form. A row without our
/// own members was written by another program. The `SessionInfo::end` of such a row is zero.
SESSIONKIT_API Result<IndexRows> parse_session_index(std::string_view text);
SESSIONKIT_API std::string write_session_index(IndexRows const& rows);
/// Writes the same form for an index that another program reads. Leaves out the first words of the user in
/// each session.
SESSIONKIT_API std::string write_shared_index(IndexRows const& rows);

/// Reads claw0's form: `{key:{session_key,session_id,created_at,updated_at,message_count,transcript_file}}`,
/// with times in RFC 3339. If a key has several sessions, the form has only the newest. A store finds the
/// older sessions by their files.
SESSIONKIT_API Result<IndexRows> parse_key_index(std::string_view text);
SESSIONKIT_API std::string write_key_index(IndexRows const& rows);

/// Reads OpenClaw's form, which is never written: `{key:{sessionId, updatedAt, sessionFile, ...}}`, with
/// times in milliseconds since 1970. Only the keys come from the rows; all else comes from the transcripts.
/// Fails with `corrupt` if the text is not in this form.
SESSIONKIT_API Result<IndexRows> parse_openclaw_index(std::string_view text);

/// Reads and writes one form of `sessions.json`.
struct IndexCodec {
  Result<IndexRows> (*parse)(std::string_view text);
  std::string (*write)(IndexRows const& rows);
  bool has_checksum; ///< a text in this form may have a checksum
};
/// Returns the codec of a layout. `shared` means that another program reads the index.
SESSIONKIT_API IndexCodec const& index_codec(StoreLayout layout, bool shared = false) noexcept;

/// Adds a checksum after the rows of a session index. If a reader finds the checksum correct, the text
/// is ours and complete, and need not be parsed.
SESSIONKIT_API void add_checksum(std::string& text);
/// Returns how many bytes the checksum of an index of this size covers, if the index has a checksum.
SESSIONKIT_API std::uint64_t checksummed_bytes(std::uint64_t size) noexcept;

/// Returns the fingerprint of an index of this size, if its checksum is right. `end` is the end of the index;
/// the other bytes are not needed. Absent if the index has no checksum.
SESSIONKIT_API std::optional<Fingerprint> fingerprint_at_end(std::string_view end, std::uint64_t size);

/// Returns the time by which lists order a row, from the row's text. Zero if the row has none.
SESSIONKIT_API std::int64_t updated_ms_in(std::string_view row);

/// Finds the rows of an index with a checksum without parsing them, because each row is one line. The text is
/// searched while it is read, because each piece is then in the processor's cache.
class SESSIONKIT_API ChecksummedRows {
 public:
  /// Searches the bytes that the checksum covers. `text` is the beginning of these bytes, as far as they were
  /// read. It begins at the same address in every call.
  void look(std::string_view text);
  /// Returns the rows, after the whole text was read. The rows then own the text. `crc` is the checksum of
  /// the searched bytes. Absent if the text has no checksum, or if the checksum does not match.
  std::optional<IndexRows> take(IndexText& text, std::uint32_t crc);

 private:
  bool take_first(std::string_view line);
  bool take_row(std::string_view line);

  IndexRows beside_; ///< members of the file beside the rows
  std::vector<IndexRows::Unread> rows_;
  std::size_t begin_ = 0, searched_ = 0; ///< begin of the unfinished line; where the search goes on
  bool as_written_ = true;
  bool newest_ = false; ///< the unfinished line has the newest rows again (`NewestRows`)
};

}}}
