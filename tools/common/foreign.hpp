// SPDX-License-Identifier: MIT
#pragma once
#include "stores.hpp"

#include <sessionkit/foreign_store.hpp>

#include <memory>
#include <optional>
#include <string>

namespace cli {

using ForeignPtr = std::shared_ptr<sessionkit::ForeignStore>;

/// All importers of this program: those of databases, too, if it was built with SQLite.
sessionkit::Importers all_importers();

/// The program whose files are at this path; absent if they are nobody's, or ours. Looks at the beginning of
/// some files, until one is recognised. A folder with a session of ours is ours.
std::optional<std::string> foreign_program(std::string const& path);
/// The same for files of which only these importers are asked.
std::optional<std::string> foreign_program(std::string const& path, sessionkit::Importers importers);

/// Opens them, read only. A link in the path itself is followed.
sessionkit::Result<ForeignPtr> open_foreign_store(std::string const& path,
                                                  sessionkit::ForeignStoreOptions options = {});

/// The error for a command that would change them.
sessionkit::Error refusal_to_write(std::string const& path, std::string const& program);

}
