// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/index_rows.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `{"sessions":{id:{id,agentId,filePath,title,messageCount,createdAt,lastAt,tokenEstimate,...}}}`, times in
/// milliseconds since 1970. `corrupt` if the text is no such file. A row without our own members is another
/// program's: its summary's `end` is zero.
SESSIONKIT_API Result<IndexRows> parse_session_index(std::string_view text);
SESSIONKIT_API std::string write_session_index(IndexRows const& rows);
/// The same without what users said first, for an index that another program reads.
SESSIONKIT_API std::string write_shared_index(IndexRows const& rows);

/// claw0's shape: `{key:{session_key,session_id,created_at,updated_at,message_count,transcript_file}}`, times
/// in RFC 3339. Of several sessions of a key the newest is written; the others are found by their files.
SESSIONKIT_API Result<IndexRows> parse_key_index(std::string_view text);
SESSIONKIT_API std::string write_key_index(IndexRows const& rows);

/// OpenClaw's shape, which is only read: `{key:{sessionId, updatedAt, sessionFile, ...}}`, times in
/// milliseconds since 1970. The rows have the keys; the transcripts say the rest. `corrupt` if the text is no
/// such file.
SESSIONKIT_API Result<IndexRows> parse_openclaw_index(std::string_view text);

/// One shape of `sessions.json`.
struct IndexCodec {
  Result<IndexRows> (*parse)(std::string_view text);
  std::string (*write)(IndexRows const& rows);
  bool sealed; ///< it may have a seal
};
/// `shared`: another program reads it.
SESSIONKIT_API IndexCodec const& index_codec(StoreLayout layout, bool shared = false) noexcept;

/// Adds a checksum after the rows of a session index: a reader that finds it correct knows that the text is
/// ours and whole, and need not parse it.
SESSIONKIT_API void seal_index(std::string& text);
/// How many bytes of an index of that size its seal covers, if it has one.
SESSIONKIT_API std::uint64_t sealed_bytes(std::uint64_t size) noexcept;

/// Finds the rows of a sealed index without parsing them: they are lines. The text is searched while it is
/// read, because each piece is in the processor's cache then.
class SESSIONKIT_API SealedRows {
 public:
  /// `text`: the part that the seal covers, as far as it was read; it begins where it did before.
  void look(std::string_view text);
  /// When all was read: the rows, which then own the text. `crc`: of the sealed bytes. Absent: there is no
  /// seal, or it is broken.
  std::optional<IndexRows> take(IndexText& text, std::uint32_t crc);

 private:
  bool take_first(std::string_view line);
  bool take_row(std::string_view line);

  IndexRows beside_; ///< what the file holds beside the rows
  std::vector<IndexRows::Unread> rows_;
  std::size_t begin_ = 0, searched_ = 0; ///< of the line whose end is not found yet
  bool as_written_ = true;
};

}}}
