// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Groups the lines of a dialect into messages as its program does, for mode `faithful`. Appends to the
/// history's messages and sources, and reports content that is not sent. Repairs nothing.
using Regroup = void (*)(Context const& context, Provider provider, History& history);

/// The function for a dialect. Null if its lines are grouped as pi does.
Regroup regroup_of(std::string_view dialect) noexcept;

/// Groups messages as ZeroClaw does. Neighbouring messages of one role become one text, with a blank line
/// between them. White space around the second and later messages is removed. An entry for which ZeroClaw has
/// no role is left out, and the messages around it are not joined. The caller puts a summary first.
void regroup_joined(Context const& context, History& history);

/// Reports content of an entry that mode `faithful` does not send.
void note_unsent(History& history, Entry const& entry, std::string_view rule, std::string before);

/// Reports which parts the provider's encoder cannot represent.
void note_wordless(History& history, Provider provider);

/// Removes from all messages the parts and members that only their own program knows.
void leave_out_strange(History& history);

}}}
