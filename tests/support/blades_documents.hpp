// SPDX-License-Identifier: MIT
#pragma once
// Documents of blades for the tests of their importer, and what is read of them.
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/import.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace sessionkit_test {

/// A document that the Go functions of `tests/data/seeds/blades` saved, and the folder with it.
struct BladesDocumentFixture {
  std::string folder, name, bytes;
};

inline std::vector<BladesDocumentFixture> blades_documents() {
  namespace fs = std::filesystem;
  std::vector<BladesDocumentFixture> all;
  for (auto const& entry : fs::recursive_directory_iterator(data("interchange/blades-1"))) {
    std::string const name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "resume.json") continue;
    all.push_back({entry.path().parent_path().string(), name, read_file(entry.path().string())});
  }
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
  REQUIRE(all.size() >= 3);
  return all;
}

/// A document with each member that blades declares, with members of a host, and with times of other forms.
inline nlohmann::ordered_json full_blades_document() {
  return nlohmann::ordered_json::parse(R"({
    "id": "full-1",
    "state": {"__summary_offset__": 2, "ratio": 0.5, "none": null, "list": [1, {"a": 2}]},
    "history": [
      {"role": "system", "text": "Be brief.", "timestamp": "2026-01-01T00:00:00Z"},
      {"role": "user", "text": "look", "timestamp": "2026-01-01T08:00:01.123456789+08:00", "metadata": {"trace": "t"}},
      {"role": "assistant", "text": "So.", "tool_calls": [{"id": "c1", "name": "read", "args": {"p": 1}, "odd": [1]}],
       "timestamp": "2026-01-01T00:00:02Z"},
      {"role": "tool", "text": "", "tool_result": {"tool_call_id": "c1", "content": {"rows": [1, 2]}, "ms": 7},
       "timestamp": "2026-01-01T00:00:03Z", "metadata": {"is_error": true}},
      {"role": "narrator", "text": "meanwhile", "timestamp": "2026-01-01T00:00:03Z"},
      {"role": "tool", "text": "said beside it", "tool_result": {"tool_call_id": "c1", "content": "again"},
       "timestamp": "2026-01-01T00:00:04Z"},
      {"role": "assistant", "text": "done", "timestamp": "2026-01-01T00:00:05Z", "odd": 1}
    ],
    "created_at": "2026-01-01T00:00:00.000001Z",
    "updated_at": "2026-01-01T00:00:06.5Z",
    "version": 1,
    "key": "main:cli:user",
    "tenant": "acme",
    "metadata": {"host": "h"}
  })");
}

/// Imports a document as the file `talk.json`.
inline sessionkit::Result<sessionkit::Log> blades_log(std::string const& document, bool finished = true,
                                                      sessionkit::ImportReport* report = nullptr,
                                                      sessionkit::ImportLimits const& limits = {}) {
  auto files = sessionkit::make_foreign_files({{"talk.json", document}}, limits);
  auto const sessions = sessionkit::blades_importer().list(*files, "talk.json");
  if (!sessions) return sessions.error();
  sessionkit::ImportOptions options;
  options.finished = finished;
  options.limits = limits;
  return sessionkit::import_log(sessionkit::blades_importer(), *files, sessions->front(), options, report);
}

/// The entries as lines of the native dialect.
inline std::vector<std::string> native_lines(sessionkit::Log const& log) {
  std::vector<std::string> lines;
  for (sessionkit::Entry const& entry : log.entries) {
    auto const encoded = sessionkit::native_dialect().encode(entry, lines.emplace_back());
    INFO(entry.id.str() << ' ' << (encoded.ok() ? "" : encoded.error().message));
    REQUIRE(encoded.ok());
  }
  return lines;
}

inline bool begins(std::vector<std::string> const& many, std::vector<std::string> const& few) {
  return few.size() <= many.size() && std::equal(few.begin(), few.end(), many.begin());
}

}
