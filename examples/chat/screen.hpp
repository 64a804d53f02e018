// SPDX-License-Identifier: MIT
// How a conversation looks: pure functions from entries to text. What is stored may hold anything; `print`
// makes it harmless.
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/entry.hpp>
#include <sessionkit/session_info.hpp>

#include <set>
#include <string>
#include <vector>

namespace chat {

/// To the terminal, with nothing in it that a terminal would act on.
void print(std::string const& text);

/// It is a message of the user's.
bool is_said(sessionkit::Entry const& entry);

/// The messages of a path, one or more lines each.
std::string as_talk(std::vector<sessionkit::Entry> const& path);

/// The same as Markdown.
std::string as_markdown(sessionkit::SessionInfo const& info, std::vector<sessionkit::Entry> const& path);

/// All branches, indented where they part; `*` before what leads to the leaf.
std::string as_tree(sessionkit::Log const& log, std::vector<sessionkit::Entry> const& path);

}
