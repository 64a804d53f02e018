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
  later_extends,   ///< the later one begins with all that the earlier one says
  earlier_extends, ///< and the other way round
  differ
};

/// Compares what is sent. One extends another if their system texts are equal and its messages begin with the
/// bytes of the other's, except for the brackets that close the other's array, last message and last content.
/// Pure; both as `encode` makes them.
SESSIONKIT_API RequestRelation compare_requests(RequestParts const& earlier, RequestParts const& later);

/// The first place where a later request stops repeating an earlier one: from there on a provider's prompt
/// cache does not help.
struct Divergence {
  bool in_system = false;  ///< in the system text, which comes before all messages
  std::size_t message = 0; ///< index of the first message that differs: so many are shared
  std::size_t part = 0;    ///< index of the first part of it that differs
  EntryId earlier = {};    ///< the entry that says this part, in each history; empty: a made one, or none
  EntryId later = {};
  std::string before = {}; ///< a few words of what each says there; empty: nothing
  std::string after = {};
  bool compacted = false; ///< they begin after different compactions: that is why
  /// Why, where a report says so: a repair of these entries that only one of the histories has, one that
  /// reached back before others.
  std::optional<Repair> repair = {};
};

/// Finds where the requests of two histories diverge. Absent: they do not `differ`, as those of a growing log
/// do not (docs/history.md). Both were rebuilt for `target`; the report of `later` is read first. Pure. It
/// encodes both; if they differ, it does so again for each step of a search.
SESSIONKIT_API std::optional<Divergence> explain_divergence(History const& earlier, History const& later,
                                                            Target const& target);

}}
