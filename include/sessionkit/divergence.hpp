// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// How two requests relate to each other.
enum class RequestRelation {
  same,            ///< equal, byte for byte
  later_extends,   ///< the later request begins with the complete earlier one
  earlier_extends, ///< the earlier request begins with the complete later one
  differ
};

/// Compares two requests, as `encode` makes them. One request extends another if the system texts are equal
/// and its messages begin with the bytes of the other's messages, without the brackets that close the other's
/// array, last message and last content. Pure.
SESSIONKIT_API RequestRelation compare_requests(RequestParts const& earlier, RequestParts const& later);

/// The first place where a later request differs from an earlier one. A provider's prompt cache does not help
/// after this place.
struct Divergence {
  bool in_system = false; ///< in the system text, which comes before all messages
  std::size_t message =
      0; ///< index of the first message that differs, which is also the number of equal messages
  std::size_t part = 0; ///< index of the first part of it that differs
  EntryId earlier =
      {}; ///< the entry of this part in each history; empty: no entry is its source, or there is no such part
  EntryId later = {};
  std::string before = {}; ///< a few words of this part in each request; empty: there is no such part
  std::string after = {};
  bool compacted = false; ///< true if the cause is that they begin after different compactions
  /// The cause, if a report names it: a repair of these entries that only one of the histories has. A
  /// retroactive repair is preferred.
  std::optional<Repair> repair = {};
};

/// Finds where the requests of two histories diverge. Absent if one extends the other, as in a growing log
/// (docs/history.md). Both histories must be rebuilt for `target`. The report of `later` is searched first.
/// Pure. It encodes both histories, and if they differ, parts of them again for each step of a search.
SESSIONKIT_API std::optional<Divergence> explain_divergence(History const& earlier, History const& later,
                                                            Target const& target);

}}
