// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A message of opencode as it is stored: a JSON object, and its parts in the order of their ids. Files and
/// databases have the same objects.
struct OpencodeMessage {
  struct Piece {
    std::string id, data;
  };
  std::string id, data;
  std::vector<Piece> parts = {};

  bool by_assistant() const;
  /// True for an answer that has not ended. The program may still change such an answer.
  bool is_open() const;
  /// Returns the part that asks for a compaction, or an empty text.
  std::string_view compaction() const;
  /// True for the finished summary that `request` asked for.
  bool is_summary_of(std::string_view request) const;
  /// Returns the time of the message in milliseconds since 1970, or 0 if it is not known.
  std::int64_t created() const;
};

/// A piece of a message that becomes one entry here.
struct OpencodeUnit {
  std::string id;
  EntryBody body = Custom{};
  std::vector<std::string> origin = {}; ///< ids of the parts that the unit was made of
  std::int64_t at = 0;                  ///< in milliseconds since 1970; 0: the time of the message
  bool cleared = false;                 ///< a result that the program replaces with a note when it sends
};

/// The text that opencode sends in the place of a request for a compaction.
inline constexpr std::string_view opencode_question = "What did we do so far?";

/// Converts a message. Parts that become no entry are counted by type in `passed_over`.
std::vector<OpencodeUnit> read_opencode_message(OpencodeMessage const& message,
                                                std::map<std::string, std::uint64_t>& passed_over);

}}}
