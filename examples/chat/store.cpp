// SPDX-License-Identifier: MIT
#include "store.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>

#include <filesystem>
#include <string_view>

namespace chat {

namespace sk = sessionkit;
namespace fs = std::filesystem;

std::string directory_of(std::string const& store_url) {
  constexpr std::string_view scheme = "file://";
  if (store_url.compare(0, scheme.size(), scheme) == 0) return store_url.substr(scheme.size());
  auto const colon = store_url.find(':');
  bool const is_path = colon == std::string::npos || store_url.find('/') < colon;
  return is_path ? store_url : "";
}

sk::Result<std::shared_ptr<sk::SessionStore>> open_chat_store(Options const& options) {
  if (options.profile.timing == sk::WriteTiming::never || options.store == "memory:")
    return sk::make_memory_store();
  auto const directory = directory_of(options.store);
  if (directory.empty())
    return sk::Error{sk::Errc::invalid_argument, 0,
                     "'" + options.store + "' is no store: a directory, file:///DIRECTORY or memory:"};
  std::error_code ignored; // the store says what is wrong
  fs::create_directories(fs::absolute(directory, ignored).parent_path(), ignored);
  sk::FileStoreOptions how;
  if (options.profile_given) how.profile = options.profile;
  return sk::open_file_store(directory, how);
}

}
