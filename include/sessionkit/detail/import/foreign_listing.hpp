// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/foreign_store.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Where a path leads: the files below a root, and the one file that the path names. An empty `file` means
/// all of the files.
struct ForeignPlace {
  std::unique_ptr<ForeignFiles> files;
  std::string file = {};
};

/// Opens the folder of a path. If the path names a file, this is the folder in which the file's program keeps
/// its files, or, if there is no such folder near, the folder that contains the file.
Result<ForeignPlace> open_foreign_place(std::string const& path, ForeignStoreOptions const& options);

/// Returns the conversations of one file. Empty if no importer recognises the file.
Result<std::vector<ForeignConversation>> conversations_of(ForeignFiles& files, std::string const& file,
                                                          Importers const& importers);

/// Returns the conversations of all files below the root, in the order of the names of the files. Files and
/// folders that cannot be read are reported and left out. Fails with `unsupported` if there are more files
/// and folders than `ImportLimits::max_files`.
Result<std::vector<ForeignConversation>> conversations_below(ForeignFiles& files,
                                                             ForeignStoreOptions const& options);

/// Gives each conversation its id in the store.
Result<void> name_conversations(std::vector<ForeignConversation>& all, ForeignFiles& files);

/// Returns the row of a conversation for a list. Reads at most the beginning of the file.
SessionInfo listed_info(ForeignFiles& files, ForeignConversation const& which);

}}}
