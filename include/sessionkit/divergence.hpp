// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// The first place where a later request stops repeating an earlier one: from there on a provider's prompt
/// cache does not help.
struct Divergence {
  bool in_system = false;  ///< in the system text, which stands before all messages
  std::size_t message = 0; ///< index of the first message that differs: so many are shared
  std::size_t part = 0;    ///< index of the first part of it that differs
  EntryId earlier = {}; ///< the entry this message begins with, in each history; empty: a made one, or none
  EntryId later = {};
  std::string before = {}; ///< a few words of what each says there; empty: nothing
  std::string after = {};
  bool compacted = false; ///< they begin behind different compactions: that is why
  /// Why, where a report says so: a repair that only one of the histories has, one that reached back before
  /// others.
  std::optional<Repair> repair = {};
};

/// Where two histories of one target part. Nothing: one of them begins with all that the other says, as
/// requests of a growing log do (docs/history.md). `later` is the one whose report is asked first. Pure.
SESSIONKIT_API std::optional<Divergence> explain_divergence(History const& earlier, History const& later);

}}
