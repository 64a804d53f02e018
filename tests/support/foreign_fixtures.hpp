// SPDX-License-Identifier: MIT
// The files of other programs in tests/data/interchange, and their conversations as lines and as a context.
#pragma once
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/import.hpp>
#include <sessionkit/memory_store.hpp>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sessionkit_test {

struct ForeignFixture {
  sessionkit::Importer const* importer = nullptr;
  std::string folder = {}, file = {}; ///< the file's name below the folder

  std::string name() const { return folder.substr(folder.find("interchange")) + '/' + file; }
  std::string bytes() const { return read_file(folder + '/' + file); }
  bool is_log() const { return file.back() == 'l'; } ///< a line is a record; else it is one document
};

/// The conversations of all fixtures that are one file each, those that a kill left too. Those of opencode
/// are many files, each with one record, and those of blades one line each; they have tests of their own.
inline std::vector<ForeignFixture> foreign_fixtures() {
  namespace fs = std::filesystem;
  std::vector<ForeignFixture> found;
  for (auto const& entry : fs::recursive_directory_iterator(data("interchange"))) {
    if (!entry.is_regular_file()) continue;
    auto const relative = entry.path().lexically_relative(data("interchange"));
    auto const part = relative.begin();
    fs::path const scenario = *part / *std::next(part);
    std::string const folder = data("interchange") + "/" + scenario.generic_string();
    std::string const file = relative.lexically_relative(scenario).generic_string();
    auto files = sessionkit::open_foreign_files(folder).value();
    auto const importer = sessionkit::find_importer(sessionkit::known_importers(), *files, file).value();
    bool const has_own_tests =
        importer == &sessionkit::opencode_importer() || importer == &sessionkit::blades_importer();
    if (importer && !has_own_tests) found.push_back({importer, folder, file});
  }
  std::sort(found.begin(), found.end(), [](ForeignFixture const& a, ForeignFixture const& b) {
    return std::tie(a.folder, a.file) < std::tie(b.folder, b.file); // folders are listed in any order
  });
  return found;
}

/// All files of a scenario in memory, one of them with other bytes.
inline std::map<std::string, std::string> files_with(ForeignFixture const& fixture, std::string bytes) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  for (auto const& entry : fs::recursive_directory_iterator(fixture.folder))
    if (entry.is_regular_file() && entry.path().extension() == ".jsonl")
      files[entry.path().lexically_relative(fixture.folder).generic_string()] =
          read_file(entry.path().string());
  files[fixture.file] = std::move(bytes);
  return files;
}

/// Imports conversations of one file of a scenario, with other bytes each time.
class ForeignReader {
 public:
  explicit ForeignReader(ForeignFixture const& fixture)
      : fixture_(fixture), others_(files_with(fixture, {})) {}

  sessionkit::ImportOptions options = {};

  /// Checks what holds for every import: each entry follows its parent, and no id is there twice.
  sessionkit::Result<sessionkit::Log> log(std::string bytes, sessionkit::ImportReport* report = nullptr) {
    others_[fixture_.file] = std::move(bytes);
    auto files = sessionkit::make_foreign_files(others_);
    auto const sessions = fixture_.importer->list(*files, fixture_.file);
    if (!sessions) return sessions.error();
    auto made = sessionkit::import_log(*fixture_.importer, *files, sessions->front(), options, report);
    std::set<std::string> ids;
    if (made)
      for (sessionkit::Entry const& entry : made->entries) {
        bool const after_its_parent =
            entry.link != sessionkit::Parent::entry || ids.count(entry.parent.str()) == 1;
        bool const once = entry.as<sessionkit::Header>() != nullptr || ids.insert(entry.id.str()).second;
        if (after_its_parent && once) continue;
        CAPTURE(entry.id.str());
        CHECK(after_its_parent);
        CHECK(once);
      }
    return made;
  }

  /// The entries as lines of the native dialect.
  sessionkit::Result<std::vector<std::string>> lines(std::string bytes,
                                                     sessionkit::ImportReport* report = nullptr) {
    auto const made = log(std::move(bytes), report);
    if (!made) return made.error();
    std::vector<std::string> out;
    for (sessionkit::Entry const& entry : made->entries)
      if (auto const encoded = sessionkit::native_dialect().encode(entry, out.emplace_back()); !encoded)
        FAIL_CHECK(entry.id.str() << ' ' << encoded.error().message);
    return out;
  }

 private:
  ForeignFixture const& fixture_;
  std::map<std::string, std::string> others_;
};

/// A log in memory as a context: the path to the last entry, as `load_context` gives it of a store.
inline sessionkit::Context context_of(sessionkit::Log const& log) {
  namespace sk = sessionkit;
  auto const store = sk::make_memory_store();
  auto const id = sk::SessionId::parse("s").value();
  std::string lines;
  std::vector<std::size_t> ends;
  sk::Append batch;
  for (sk::Entry const& entry : log.entries) {
    auto const encoded = sk::native_dialect().encode(entry, lines);
    INFO(entry.id.str() << ' ' << (encoded.ok() ? "" : encoded.error().message));
    REQUIRE(encoded.ok());
    ends.push_back(lines.size());
    lines += '\n';
  }
  std::deque<std::deque<std::string>> texts; // one for each record, because `head` empties its own
  for (std::size_t i = 0, begin = 0; i < ends.size(); begin = ends[i++] + 1) {
    sk::RecordView record;
    std::string_view const line = std::string_view(lines).substr(begin, ends[i] - begin);
    REQUIRE(sk::native_dialect().head(line, record, texts.emplace_back()));
    record.line = line;
    batch.records.push_back(record);
  }
  auto const appended = store->append(id, batch);
  INFO((appended.ok() ? "" : appended.error().message));
  REQUIRE(appended.ok());
  auto context = sk::load_context(*store, id);
  REQUIRE(context.ok());
  CHECK(context->damage.empty());
  return std::move(context).value();
}

}
