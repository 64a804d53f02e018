// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace cli {

using StorePtr = std::shared_ptr<sessionkit::SessionStore>;

/// Where sessions are kept: a directory (`DIR`, `file:DIR`; `blades:DIR` for documents), `sqlite:FILE`,
/// `memory:`, or a server's URL.
struct StoreAddress {
  std::string engine; ///< "file", "sqlite": the scheme of the URL
  std::string place;  ///< a path; for a server the whole URL
  bool chosen = true; ///< named on the command line or in the environment

  bool is_files() const { return engine == "file"; }
  bool has_trash() const { return is_files() || engine == "blades"; }
  /// The question before sessions are removed.
  std::string removal(std::string const& what, bool permanent = false) const {
    return has_trash() && !permanent ? "move " + what + " to the trash?" : "remove " + what + " permanently?";
  }
};

/// Ends the command if there is no such engine, or this program was built without it.
StoreAddress parse_address(std::string const& text);

/// The name of a store for people: a directory's path, or a URL without its password.
std::string shown(StoreAddress const& address);

/// The same name for a store, whatever the working directory and the links on the way to it; without a
/// password.
std::string full_name(StoreAddress const& address);

/// The program whose files are there, if they are not ours: such a store is opened read only.
std::optional<std::string> program_of_store(StoreAddress const& address);

/// Ends the command if that file is a database: the user must give its URL.
void refuse_database(std::string const& path);

struct OpenOptions {
  bool create = false;    ///< create it if it does not exist
  bool read_only = false; ///< change nothing in it, not even an index
  bool allow_shared_directory = false;
  std::string transcripts = {}; ///< the directory of claw0's transcripts, if it lies apart from its index
  bool adopt = true;            ///< add our columns to another program's database
  std::chrono::milliseconds lock_wait{5000};
  std::optional<sessionkit::Profile> profile = {};
  sessionkit::OnEvent on_event = {};
  std::function<void(std::uint64_t, std::uint64_t)> on_summary_progress = {}; ///< of stores of files
};
sessionkit::Result<StorePtr> open_store(StoreAddress const& address, OpenOptions const& options);

/// Rebuilds the lists and returns the number of sessions. Ends the command if the engine has no lists to
/// rebuild.
sessionkit::Result<std::size_t> reindex_store(StoreAddress const& address, OpenOptions const& options,
                                              sessionkit::StoreProgress const& progress);

}
