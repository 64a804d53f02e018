// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json_write.hpp>
#include <sessionkit/session_info.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A session's row: the cached result of `fold`, and members that only the index has.
struct SESSIONKIT_API IndexRow {
  SessionInfo info;       ///< the result of `fold`; if `end` is zero, it is from another program's row
  std::string extra = {}; ///< members of other programs: `"name":value,...`
  std::string file = {};  ///< the name of the transcript, if the index has it
  std::string key = {};   ///< the session's key in the index; the log may have none
  std::string title = {}; ///< the title in the index of a program whose lines have no titles
  std::string raw = {};   ///< the text of another program's row, written unchanged until we change the row
  /// Identifies the state of the transcript that the row describes (`TimeProof::version`). Zero: not known.
  std::uint64_t file_version = 0;
  bool overridden = false; ///< `title` was chosen by a person
  bool titled = false;     ///< we stored a title since the index was read; the title on the disk is older

  /// Returns the summary, completed by the members that only the index has.
  SessionInfo summary() const;
  /// Returns the agent that the log names. If the log names none, returns the agent in `key`, provided that
  /// `key` has the form of OpenClaw's keys, `agent:<agent>:...`.
  std::string_view agent() const noexcept;
  /// Notes that the row must be written again.
  void changed() {
    raw.clear();
    file_version = 0;
  }
  /// Takes over the members that another program put into `disk`, the row on the disk.
  void keep_foreign(IndexRow& disk);
};

/// Reads a row. Unlike `read_index_row`, this function keeps no copy of the text.
SESSIONKIT_API IndexRow parse_index_row(SessionId id, std::string_view row);
/// Reads a row of an index. The text of another program's row is kept word for word.
SESSIONKIT_API IndexRow read_index_row(SessionId id, std::string_view row);
/// Writes a row. `out` must write to `text`. If `with_text` is true, the beginning of the first user text is
/// written too. If it is false, a reader uses the row's title instead.
SESSIONKIT_API void write_index_row(IndexRow const& row, JsonWriter& out, std::string& text,
                                    bool with_text = true);

/// Names of members that are found in the text of a row without parsing the row.
inline constexpr std::string_view updated_member = "lastAt", end_member = "end",
                                  file_version_member = "fileVersion";
/// Returns a version of a file as text: sixteen hexadecimal digits.
SESSIONKIT_API std::string format_file_version(std::uint64_t version);
/// Reads such a text in quotes, as a member has it. Zero if the value has another form.
SESSIONKIT_API std::uint64_t parse_file_version(std::string_view value) noexcept;

}}}
