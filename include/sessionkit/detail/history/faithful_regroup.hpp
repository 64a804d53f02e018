// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// How the program that writes a dialect puts its lines into messages: what `faithful` does. Appends to the
/// history's messages and sources, and what is not sent to its report; nothing is repaired.
using Regroup = void (*)(Context const& context, Provider provider, History& history);

/// Null: as pi does it.
Regroup regroup_of(std::string_view dialect) noexcept;

/// ZeroClaw's normalising: neighbours of one role are one text, a blank line between; of a later one the
/// white space around it goes. What it has no role for is passed over and parts its neighbours. A summary is
/// the caller's to put first.
void regroup_joined(Context const& context, History& history);

/// Reports what of an entry `faithful` does not send.
void note_unsent(History& history, Entry const& entry, std::string_view rule, std::string before);

/// Reports which parts the provider's encoder cannot represent.
void note_wordless(History& history, Provider provider);

/// Takes the parts and members that only their own program knows out of all messages.
void leave_out_strange(History& history);

}}}
