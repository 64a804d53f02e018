// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Groups the lines of a dialect into messages as the program of the dialect does, for mode `faithful`.
/// Appends to the history's messages and sources, and reports content that is not sent. Repairs nothing.
using Regroup = void (*)(Context const& context, Provider provider, History& history);

/// Returns the function for a dialect. Null if lines of the dialect are grouped as pi groups its lines.
Regroup regroup_of(std::string_view dialect) noexcept;

/// Groups messages as ZeroClaw does. Neighbouring messages of one role become one text, with a blank line
/// between them. White space around the second and later messages is removed. An entry for which ZeroClaw has
/// no role is left out, and the messages around it are not joined. The caller has already put a summary at
/// the beginning.
void regroup_joined(Context const& context, History& history);

/// Reports content of an entry that mode `faithful` does not send.
void note_unsent(History& history, Entry const& entry, std::string_view rule, std::string before);

/// Reports the parts that the provider's encoder cannot represent.
void note_wordless(History& history, Provider provider);

/// Removes from all messages the parts and members that only the program that wrote them knows. Reports them.
void leave_out_strange(History& history);

}}}
