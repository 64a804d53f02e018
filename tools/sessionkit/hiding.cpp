// SPDX-License-Identifier: MIT
// Recognises entries that nobody said: those of importers, and marks of branches.
#include "hiding.hpp"

#include <algorithm>
#include <common/foreign.hpp>
#include <string_view>

namespace cli {

namespace sk = sessionkit;

namespace {

/// The types of such entries begin with the name of the importer: "codex.context".
bool is_imported(std::string_view type) {
  static sk::Importers const importers = all_importers();
  auto const dot = type.substr(0, type.find('.'));
  return dot != type && std::any_of(importers.begin(), importers.end(), [&](auto const* importer) {
           return importer->name == dot;
         });
}

/// The entry after which the conversation continues is chosen by an entry without content.
bool is_mark(std::string_view type) { return type == "sessionkit.rewind" || type == "sessionkit.leaf"; }

}

bool is_hidden(sk::Entry const& entry) {
  if (auto const* const custom = entry.as<sk::Custom>())
    return is_mark(custom->type) || is_imported(custom->type);
  auto const* const message = entry.as<sk::CustomMessage>();
  return message != nullptr && !message->is_shown() && is_imported(message->type);
}

}
