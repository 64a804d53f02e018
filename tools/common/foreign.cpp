// SPDX-License-Identifier: MIT
// Recognises the files of other programs, so that no command writes to them.
#include "foreign.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/transcript_reader.hpp>
#ifdef CLI_HAS_SQLITE
#include <sessionkit/sqlite/sqlite_import.hpp>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

/// A link that a person named is followed; links below it are not.
std::string resolved(std::string const& path) {
  std::error_code error;
  auto const real = fs::canonical(path, error);
  return error ? path : real.generic_string();
}

bool is_ours(fs::path const& file) {
  auto reader = sk::TranscriptReader::open(file.generic_string());
  if (!reader) return false;
  sk::ReadRange range;
  range.max_records = 16; // an entry is among the first, in nearly all files
  auto const page = reader->read(range);
  if (!page) return false;
  return std::any_of(page->items().begin(), page->items().end(), [&](auto const& item) {
    auto const entry = sk::decode(*page, item);
    return entry && !entry->template as<sk::Unknown>();
  });
}

/// Looks into folders until a file shows whose they are.
class Look {
 public:
  explicit Look(sk::Importers importers) : importers_(std::move(importers)) {}

  /// Absent: nothing was found. Null: it is ours.
  std::optional<sk::Importer const*> at_file(fs::path const& file) {
    auto files = sk::open_foreign_files(file.has_parent_path() ? file.parent_path().generic_string() : ".");
    return files ? claim(**files, file) : std::nullopt;
  }

  std::optional<sk::Importer const*> at_folder(fs::path const& folder, int depth) {
    std::error_code error;
    std::vector<fs::path> below;
    std::optional<sk::Importer const*> theirs;
    auto const opened = sk::open_foreign_files(folder.generic_string());
    int looked = 0;
    for (fs::directory_iterator it(folder, error), end; opened && !error && it != end; it.increment(error)) {
      auto const kind = it->symlink_status(error).type();
      if (kind == fs::file_type::directory) below.push_back(it->path());
      auto const name = it->path().filename().generic_string();
      if (kind != fs::file_type::regular || !sk::may_be_conversation(name) || ++looked > most_of_folder
          || --left_ < 0)
        continue;
      auto const found = claim(**opened, it->path());
      if (found && *found == nullptr) return found;
      if (found) theirs = found;
    }
    if (theirs || depth == 0) return theirs;
    // The folder with the conversations first: others may have many small files.
    std::stable_partition(below.begin(), below.end(), [&](fs::path const& path) { return is_known(path); });
    for (auto const& path : below)
      if (auto const found = at_folder(path, depth - 1)) return found;
    return std::nullopt;
  }

 private:
  static constexpr int most_of_folder = 64;

  std::optional<sk::Importer const*> claim(sk::ForeignFiles& files, fs::path const& file) const {
    auto const importer = sk::find_importer(importers_, files, file.filename().generic_string());
    if (importer && *importer != nullptr) return *importer;
    if (file.extension() == ".jsonl" && is_ours(file)) return nullptr;
    return std::nullopt;
  }
  bool is_known(fs::path const& folder) const {
    auto const name = folder.filename().generic_string();
    return name == "session" || std::any_of(importers_.begin(), importers_.end(), [&](auto const* importer) {
             return importer->folder == name;
           });
  }

  sk::Importers importers_;
  int left_ = 1000; ///< files that may still be looked at
};

}

sk::Importers all_importers() {
  auto all = sk::known_importers();
#ifdef CLI_HAS_SQLITE
  for (auto const* importer : sk::known_sqlite_importers()) all.push_back(importer);
#endif
  return all;
}

std::optional<std::string> foreign_program(std::string const& path) {
  return foreign_program(path, all_importers());
}

std::optional<std::string> foreign_program(std::string const& path, sk::Importers importers) {
  std::error_code error;
  fs::path const real = resolved(path);
  auto const kind = fs::status(real, error).type();
  constexpr int deepest = 6;
  std::optional<sk::Importer const*> found;
  if (kind == fs::file_type::regular)
    found = Look(std::move(importers)).at_file(real);
  else if (kind == fs::file_type::directory)
    found = Look(std::move(importers)).at_folder(real, deepest);
  if (!found || *found == nullptr) return std::nullopt;
  return std::string((*found)->program);
}

sk::Result<ForeignPtr> open_foreign_store(std::string const& path, sk::ForeignStoreOptions options) {
  if (options.importers.empty()) options.importers = all_importers();
  if (options.import.limits.scratch.empty()) {
    std::error_code error;
    auto const scratch = fs::temp_directory_path(error);
    if (!error) options.import.limits.scratch = scratch.generic_string();
  }
  return sk::open_foreign(resolved(path), options);
}

sk::Error refusal_to_write(std::string const& path, std::string const& program) {
  return {sk::Errc::unsupported, 0,
          fmt::format("{} belongs to {}, and its files are never changed; copy it into a store of your own: "
                      "sessionkit import {}",
                      path, program, path)};
}

}
