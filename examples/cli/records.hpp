// SPDX-License-Identifier: MIT
#pragma once
#include "naming.hpp"

#include <sessionkit/context.hpp>

#include <string>
#include <vector>

namespace cli {

/// A log with what its lines say beside their meaning. `types[i]` and `lines[i]` belong to `log.entries[i]`.
struct Records {
  sessionkit::Log log;
  std::vector<std::string> types;
  std::vector<std::string> lines;
};

/// All entries but the header, oldest first; what gives no entry is in `log.damage`.
Records read_records(Named const& named);

/// Tells the person that there is damage, and how to see it.
void notice_damage(Console& console, std::string const& name, std::size_t count);

/// What an entry says, in one line or many: for people.
std::string summary_of(sessionkit::Entry const& entry);

/// Text of a tool result, images and unknown parts as `[type]`.
std::string text_of(std::vector<sessionkit::ToolContent> const& content);

/// `user`, `assistant`, `tool` and `system` for messages, an extension's name for its own, else the type of
/// the line.
std::string speaker_of(sessionkit::Entry const& entry, std::string const& type);

/// Prints an entry as part of a talk: who speaks, and what. `thinking`: the model's reasoning too.
void show_entry(Console& console, sessionkit::Entry const& entry, std::string const& type, bool thinking);

}
