// SPDX-License-Identifier: MIT
// A directory of sessions that another program uses too.
#pragma once
#include "file_store.hpp"
#include "foreign_stores.hpp"

#include <sessionkit/session.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

/// The index as the other program reads it.
inline nlohmann::json snapshot_of(std::string const& root) {
  return nlohmann::json::parse(read_file(root + "/sessions.json"));
}
inline nlohmann::json row_of(std::string const& root, std::string const& id) {
  return snapshot_of(root)["sessions"][id];
}

inline sk::Session open_session(std::shared_ptr<sk::SessionStore> store, std::string const& id) {
  return sk::Session::open(std::move(store), id_of(id)).value();
}

inline void talk(sk::Session& session, std::string const& question, std::string const& answer) {
  auto turn = session.begin_turn();
  turn.append(sk::user(question)).value();
  turn.append(sk::assistant(answer)).value();
  turn.commit().value();
}

inline std::vector<std::string> types_in(std::string const& path) {
  std::vector<std::string> types;
  for (std::string const& line : split_lines(read_file(path)))
    types.push_back(nlohmann::json::parse(line)["type"]);
  return types;
}

inline void rename_row(std::string const& root, std::string const& id, std::string const& title) {
  nlohmann::json index = panel_rewrite(snapshot_of(root));
  index["sessions"][id]["title"] = title;
  write_file(root + "/sessions.json", index.dump());
}

inline std::string text_of(nlohmann::json const& row, char const* name) {
  return row[name].get<std::string>();
}

}
