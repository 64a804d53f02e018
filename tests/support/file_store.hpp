// SPDX-License-Identifier: MIT
// A directory of sessions for tests: it is created and listed, and its index is read in a simple way.
#pragma once
#include "data.hpp"
#include "transcript.hpp"

#include <sessionkit/file_store.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace sessionkit_test {

using Ids = std::vector<std::string>;

inline sk::SessionId id_of(std::string const& text) { return sk::SessionId::parse(text).value(); }

inline std::shared_ptr<sk::SessionStore> open_store(std::string const& root,
                                                    sk::FileStoreOptions options = {}) {
  return sk::open_file_store(root, std::move(options)).value();
}

inline sk::Position start(sk::SessionStore& store, std::string const& id, std::string const& text = "hello") {
  return store.append(id_of(id), Batch({header_line(id), message_line("m1", "", text)}, {}, true)).value();
}

inline std::vector<std::string> lines_of(sk::SessionStore& store, std::string const& id) {
  return read_all([&](sk::ReadRange const& r) { return store.read(id_of(id), r); }).lines;
}

inline std::vector<std::string> listed(sk::SessionStore& store) {
  std::vector<std::string> ids;
  sk::SessionPage const page = store.list({}).value();
  for (auto const& info : page.sessions) ids.push_back(info.id.str());
  std::sort(ids.begin(), ids.end());
  return ids;
}

// The snapshot with the journal's lines applied, read the simple way.
inline nlohmann::json index_of(std::string const& root) {
  auto index = nlohmann::json::parse(read_file(root + "/sessions.json"));
  if (::access((root + "/sessions.journal").c_str(), F_OK) != 0) return index;
  for (std::string const& line : split_lines(read_file(root + "/sessions.journal"))) {
    auto const change = nlohmann::json::parse(line.substr(9));
    if (change.contains("put")) index["sessions"][change["put"].get<std::string>()] = change["row"];
    if (change.contains("removed")) index["sessions"].erase(change["removed"].get<std::string>());
  }
  return index;
}

}
