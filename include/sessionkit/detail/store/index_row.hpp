// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json_write.hpp>
#include <sessionkit/session_info.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A session's row: the cached result of `fold`, and members that only the index has.
struct SESSIONKIT_API IndexRow {
  SessionInfo info;        ///< `fold` computed it; if `end` is zero, it was read from another program's row
  std::string extra = {};  ///< members of other programs: `"name":value,...`
  std::string file = {};   ///< the name of the transcript, if the index has it
  std::string key = {};    ///< the session's key in the index; the log may have none
  std::string title = {};  ///< the title in the index of a program whose lines have no titles
  std::string raw = {};    ///< another program's row, written unchanged until we change it
  bool overridden = false; ///< `title` was chosen by a person
  bool titled = false;     ///< we stored a title since the index was read; the one on the disk is older

  /// The summary, completed by the members that only the index has.
  SessionInfo summary() const;
  /// The agent that the log names. If it names none: the agent in `key`, if `key` has the form of OpenClaw's
  /// keys, `agent:<agent>:...`.
  std::string_view agent() const noexcept;
  /// Notes that the row must be written again.
  void changed() { raw.clear(); }
  /// Keeps the members that another program put into the row on disk.
  void keep_foreign(IndexRow& disk);
};

/// Reads a row. Unlike `read_index_row`, this function keeps no copy of the text.
SESSIONKIT_API IndexRow parse_index_row(SessionId id, std::string_view row);
/// Reads a row of an index. The text of another program's row is kept word for word.
SESSIONKIT_API IndexRow read_index_row(SessionId id, std::string_view row);
/// `with_text` means that the beginning of the first user text is written too. Without it, a reader uses the
/// row's title instead.
SESSIONKIT_API void write_index_row(IndexRow const& row, JsonWriter& out, std::string& text,
                                    bool with_text = true);

/// Names of members that are found in the text of a row without parsing the row.
inline constexpr std::string_view updated_member = "lastAt", end_member = "end";

}}}
