// SPDX-License-Identifier: MIT
#pragma once
// The requests of the real programs in tests/data/interchange, and ours for the same files.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/foreign_fixtures.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/import.hpp>
#include <sessionkit/profile_view.hpp>
#include <sessionkit/provider.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace import_goldens {

using namespace sessionkit_test;
using nlohmann::json;
namespace fs = std::filesystem;
namespace sk = sessionkit;

inline json request_of(sk::Importer const& importer, sk::Log const& log, sk::Provider provider) {
  sk::Target target = sk::target_of(*importer.profile);
  target.provider = provider;
  auto const history = sk::HistoryRebuilder(target).rebuild(context_of(log));
  return json::parse(sk::encode(history, target).messages);
}

// One thing in which a request may differ, and why. Each is needed by a golden: without it the test fails.
struct Forgiven {
  std::string_view name, reason;
  void (*apply)(json& request);
};

struct Golden {
  std::string program, scenario, kind;
  fs::path folder;
};

inline std::vector<Golden> goldens(std::string const& program) {
  std::vector<Golden> found;
  for (auto const& file : fs::recursive_directory_iterator(data("interchange")))
    if (std::string const name = file.path().filename().string(); name.rfind("resume", 0) == 0) {
      fs::path const folder = file.path().parent_path();
      std::string const version = folder.parent_path().filename().string();
      if (version.rfind(program, 0) == 0)
        found.push_back({version, folder.filename().string(), name, folder});
    }
  std::sort(found.begin(), found.end(), [](Golden const& a, Golden const& b) {
    return std::tie(a.program, a.scenario, a.kind) < std::tie(b.program, b.scenario, b.kind);
  });
  return found;
}

struct Compared {
  json ours, theirs;
  bool equal() const { return ours == theirs; }
};

// `session` names one of several conversations of a file.
inline sk::Log imported(Golden const& golden, std::string const& file, sk::Importer const& importer,
                        std::string const& session = {}) {
  auto files = sk::open_foreign_files(golden.folder.string()).value();
  sk::Importers all = sk::known_importers();
  if (std::find(all.begin(), all.end(), &importer) == all.end()) all.push_back(&importer);
  auto const found = sk::find_importer(all, *files, file);
  REQUIRE(found.ok());
  REQUIRE(*found == &importer);
  INFO(golden.folder);
  auto const listed = importer.list(*files, file);
  INFO((listed.ok() ? "" : listed.error().message));
  REQUIRE(listed.ok());
  auto const named = [&](sk::ForeignSession const& one) { return session.empty() || one.id == session; };
  REQUIRE(std::count_if(listed->begin(), listed->end(), named) == 1);
  auto log = sk::import_log(importer, *files, *std::find_if(listed->begin(), listed->end(), named));
  INFO((log.ok() ? "" : log.error().message));
  REQUIRE(log.ok());
  CHECK(log->damage.empty());
  return std::move(log).value();
}

// The first place where two requests differ.
inline std::string difference(Compared const& both) {
  for (std::size_t i = 0; i < std::max(both.ours.size(), both.theirs.size()); ++i) {
    std::string const ours = i < both.ours.size() ? both.ours[i].dump() : "(none)";
    std::string const theirs = i < both.theirs.size() ? both.theirs[i].dump() : "(none)";
    if (ours != theirs) return "message " + std::to_string(i) + "\n  ours   " + ours + "\n  golden " + theirs;
  }
  return {};
}

}
