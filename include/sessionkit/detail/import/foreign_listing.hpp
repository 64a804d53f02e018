// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/foreign_store.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Where a path leads: the files below a root, and the one file that was meant; empty: all of them.
struct ForeignPlace {
  std::unique_ptr<ForeignFiles> files;
  std::string file = {};
};

/// Opens the folder of a path: the folder itself, or the one that a file's program keeps its files in.
Result<ForeignPlace> open_foreign_place(std::string const& path, ForeignStoreOptions const& options);

/// The conversations of one file. Empty: no importer recognises it.
Result<std::vector<ForeignConversation>> conversations_of(ForeignFiles& files, std::string const& file,
                                                          Importers const& importers);

/// The conversations of all files below the root, in the order of their names. Files that cannot be looked
/// at are reported and left out. Fails with `unsupported` if there are more than `ImportLimits::max_files`.
Result<std::vector<ForeignConversation>> conversations_below(ForeignFiles& files,
                                                             ForeignStoreOptions const& options);

/// Gives each conversation its id in the store.
Result<void> name_conversations(std::vector<ForeignConversation>& all, ForeignFiles& files);

/// The summary for a list, from the beginning of the file alone.
SessionInfo listed_info(ForeignFiles& files, ForeignConversation const& which);

}}}
