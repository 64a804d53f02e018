// SPDX-License-Identifier: MIT
#pragma once
#include "browser.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// The lines of a conversation that ends at `leaf` (empty: the last entry), as wide as the screen. At most
/// the last `most` entries.
std::vector<Row> talk_rows(sessionkit::SessionStore& store, sessionkit::SessionId const& id,
                           sessionkit::EntryId const& leaf, std::size_t most, std::size_t columns);

/// The entries of a session, indented where branches begin; the last one that is not is marked.
std::vector<Row> tree_rows(sessionkit::SessionStore& store, sessionkit::SessionId const& id);

/// The text in lines of at most `columns` columns; its own line ends stay.
std::vector<std::string> lines_of(std::string_view text, std::size_t columns);

}
