// SPDX-License-Identifier: MIT
#include "store.hpp"

#include <sessionkit/memory_store.hpp>

#include <common/failure.hpp>
#include <common/stores.hpp>

namespace chat {

namespace sk = sessionkit;

std::string directory_of(std::string const& store_url) {
  auto const address = cli::parse_address(store_url);
  return address.is_files() ? address.place : "";
}

sk::Result<std::shared_ptr<sk::SessionStore>> open_chat_store(Options const& options) {
  if (options.profile.timing == sk::WriteTiming::never) return sk::make_memory_store(options.profile);
  cli::OpenOptions how;
  how.create = true;
  how.transcripts = options.transcripts;
  if (options.profile_given) how.profile = options.profile;
  try {
    return cli::open_store(cli::parse_address(options.store), how);
  } catch (cli::Failure const& no_store) {
    return sk::Error{sk::Errc::invalid_argument, 0, no_store.message + "; " + no_store.hint};
  }
}

}
