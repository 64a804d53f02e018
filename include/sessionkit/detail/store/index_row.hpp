// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json_write.hpp>
#include <sessionkit/session_info.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A session's row: a cache of `fold`, and the members that only the index has.
struct SESSIONKIT_API IndexRow {
  SessionInfo info;        ///< as folded from the log; where `end` is zero, what another program says
  std::string extra = {};  ///< members that other programs put there: `"name":value,...`
  std::string file = {};   ///< the transcript's name, where the index says it
  std::string key = {};    ///< what the index calls the session; the log may not say
  std::string title = {};  ///< likewise: programs whose lines hold no titles keep them in the index
  std::string raw = {};    ///< another program's row, written as it is until ours has more to say
  bool overridden = false; ///< `title` was chosen by a person
  bool titled = false;     ///< we stored a title since the index was read: that on disk is older

  /// The summary with what only the index knows.
  SessionInfo summary() const;
  /// The agent of the log, or the one in the index's key, as OpenClaw writes it: `agent:<agent>:...`.
  std::string_view agent() const noexcept;
  /// The row has to be written again.
  void changed() { raw.clear(); }
  /// Keeps the members that another program put into the row on disk.
  void keep_foreign(IndexRow& disk);
};

SESSIONKIT_API IndexRow parse_index_row(SessionId id, std::string_view row);
/// Reads a row as it is in an index: another program's stays word for word.
SESSIONKIT_API IndexRow read_index_row(SessionId id, std::string_view row);
/// `with_text`: also the begin of what the user said first. Without, a reader takes the row's title for it.
SESSIONKIT_API void write_index_row(IndexRow const& row, JsonWriter& out, std::string& text,
                                    bool with_text = true);

/// Members that find rows without parsing them.
inline constexpr std::string_view updated_member = "lastAt", end_member = "end";

}}}
