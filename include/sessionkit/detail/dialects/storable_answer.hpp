// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>
#include <sessionkit/message.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Removes from an answer of a model each part and each signature that no line of this dialect can represent:
/// reasoning, images, blocks of unknown types, and signatures of texts and calls. Texts and calls themselves
/// stay. Returns the names of what was removed, for example "reasoning". Each name occurs once, in the order
/// of the parts. The list is empty if the message was not changed.
SESSIONKIT_API std::vector<std::string> make_storable(Message& answer, Dialect const& dialect);

}}}
