// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session_store.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace cli {

using StorePtr = std::shared_ptr<sessionkit::SessionStore>;

/// Where sessions are kept: a directory (`DIR`, `file:DIR`), `sqlite:FILE`, `memory:`, or a server's URL.
struct StoreAddress {
  std::string engine; ///< "file", "sqlite": what the URL begins with
  std::string place;  ///< a path; of a server the whole URL
  bool chosen = true; ///< somebody named it

  bool is_files() const { return engine == "file"; }
  /// What becomes of sessions that are removed: files go to a trash.
  std::string removal(std::string const& what) const {
    return is_files() ? "move " + what + " to the trash?" : "remove " + what + " for good?";
  }
};

/// The command ends if no engine is called so, or this program was built without it.
StoreAddress parse_address(std::string const& text);

/// A store as people are told of it: a directory by its path, others by their URL, without a password.
std::string shown(StoreAddress const& address);

/// The command ends if that file is a database: its URL is to be given.
void refuse_database(std::string const& path);

struct OpenOptions {
  bool create = false; ///< make it if it does not exist
  bool adopt = true;   ///< add what is ours to another program's database
  std::chrono::milliseconds lock_wait{5000};
  std::optional<sessionkit::Profile> profile = {};
  sessionkit::OnEvent on_event = {};
};
sessionkit::Result<StorePtr> open_store(StoreAddress const& address, OpenOptions const& options);

/// Makes its lists anew and answers how many sessions there are. The command ends where they need no making.
sessionkit::Result<std::size_t> reindex_store(StoreAddress const& address, OpenOptions const& options,
                                              sessionkit::StoreProgress const& progress);

}
