// SPDX-License-Identifier: MIT
#pragma once
#include "copying.hpp"

#include <sessionkit/import.hpp>

#include <common/foreign.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// The result for a conversation of another program, beside that of the copy.
struct ForeignResult {
  std::string program;
  sessionkit::ImportReport report = {};
  bool conflict = false; ///< the store, or another file, has another conversation of its id
};

/// The result for a file.
struct Import {
  std::string file;
  std::optional<Copy> copy = {};
  std::size_t left_out = 0; ///< data that lines cannot represent
  Exit exit = Exit::ok;
  std::optional<ForeignResult> foreign = {};
};

/// What the command line names, and where it is: stdin (`-`) is in a temporary file.
struct ImportSource {
  std::string name, path;

  bool is_stdin() const { return name == "-"; }
};

/// True if the file or folder has conversations of another program: of the one that `--from` names.
bool is_foreign_source(Arguments const& args, std::string const& path);

/// Copies them. Adds a result for each; returns false after a conflict that ends the command.
bool import_conversations(Console& console, Arguments const& args, ImportSource const& source, Side const& to,
                          std::vector<Import>& imports);

}
