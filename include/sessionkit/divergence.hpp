// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// The relation between an earlier and a later request.
enum class RequestRelation {
  same,            ///< equal, byte for byte
  later_extends,   ///< the later request begins with the complete earlier one
  earlier_extends, ///< the earlier request begins with the complete later one
  differ,          ///< neither request extends the other one
};

/// Compares two requests that `encode` made. A longer request extends a shorter one if their system texts are
/// equal, and if the messages of the longer one begin with the bytes of the messages of the shorter one. The
/// brackets and quotes that close the last content, the last message and the array of the shorter one are not
/// compared, because the longer one continues at this place. Pure.
SESSIONKIT_API RequestRelation compare_requests(RequestParts const& earlier, RequestParts const& later);

/// The first place at which a later request differs from an earlier one. After this place, a provider cannot
/// use its prompt cache.
struct Divergence {
  bool in_system = false; ///< true: the place is in the system text, which comes before all messages
  /// The index of the first message that differs. It is also the number of equal messages.
  std::size_t message = 0;
  std::size_t part = 0; ///< the index of the first part of this message that differs
  /// The entry from which this part comes in the earlier history. Empty if the part comes from no entry, or
  /// if the history has no such part.
  EntryId earlier = {};
  EntryId later = {}; ///< the same in the later history
  /// A few words of this part in the earlier request. If `in_system` is true, these words are from the system
  /// text instead, and begin where the texts differ. Empty if the request has no such part.
  std::string before = {};
  std::string after = {}; ///< the same in the later request
  bool compacted =
      false; ///< true: the requests differ because their histories begin after different compactions
  /// The repair that caused the difference. It was made at this place, and is in the `History::report` of one
  /// history more often than in that of the other. If there are several such repairs, a retroactive one is
  /// preferred. Absent if there is no such repair, or if `compacted` is true.
  std::optional<Repair> repair = {};
};

/// Finds the first place at which the requests of two histories differ. Absent if one request extends the
/// other, as in a growing log (docs/history.md). Both histories must be rebuilt for `target`. Pure. The
/// function encodes both histories. If they differ, it encodes parts of them again in each step of a binary
/// search.
SESSIONKIT_API std::optional<Divergence> explain_divergence(History const& earlier, History const& later,
                                                            Target const& target);

}}
