// SPDX-License-Identifier: MIT
// Copies a database of another program to a private folder, and opens the copy with limits.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/ids.hpp>
#include <sessionkit/sqlite/detail/foreign_database.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <sqlite3.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace foreign_database_inl { namespace {

constexpr std::string_view magic{"SQLite format 3\0", 16};
constexpr std::string_view copy_name = "copy.db";
// The files of a database that have data. The `-shm` is an index of the `-wal`, which SQLite makes again.
constexpr std::array<std::string_view, 3> suffixes{"", "-wal", "-journal"};

struct FileState {
  bool exists = false;
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  bool operator==(FileState const& o) const noexcept {
    return exists == o.exists && size == o.size && modified == o.modified;
  }
};
using States = std::array<FileState, suffixes.size()>;

// A copy, and the state of the files that it is of.
struct Copy {
  std::shared_ptr<PrivateFolder> folder;
  States states = {};

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (FileState const& state : states) sum += state.size;
    return sum;
  }
};

Result<States> states_of(ForeignFiles& files, std::string const& file) {
  States states;
  for (std::size_t i = 0; i < suffixes.size(); ++i) {
    std::string const name = file + std::string(suffixes[i]);
    Result<std::uint64_t> const size = files.size(name);
    if (!size && size.error().code == Errc::not_found && i > 0) continue;
    if (!size) return size.error();
    Result<std::int64_t> const modified = files.modified(name);
    if (!modified && modified.error().code == Errc::not_found && i > 0) continue;
    if (!modified) return modified.error();
    states[i] = {true, *size, *modified};
  }
  return states;
}

Result<void> write_all(FileOps& ops, int descriptor, std::string_view bytes, std::string const& path) {
  while (!bytes.empty()) {
    std::int64_t const n = uninterrupted([&] { return ops.write(descriptor, bytes.data(), bytes.size()); });
    if (n < 0) return file_error(static_cast<int>(-n), path, "cannot write the copy of the database");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> copy_file(ForeignFiles& files, std::string const& name, std::uint64_t size,
                       std::string const& to) {
  FileOps& ops = system_file_ops();
  int const descriptor = uninterrupted([&] {
    return ops.open(working_directory, to.c_str(),
                    OpenFlags::write | OpenFlags::create | OpenFlags::truncate);
  });
  if (descriptor < 0) return file_error(-descriptor, to, "cannot make the copy of the database");
  OpenFile const copy(ops, descriptor);
  constexpr std::size_t piece = std::size_t{1} << 20;
  for (std::uint64_t at = 0; at < size;) {
    Result<std::string> const bytes =
        files.read(name, at, static_cast<std::size_t>(std::min<std::uint64_t>(piece, size - at)));
    if (!bytes) return bytes.error();
    if (bytes->empty()) break; // it was cut meanwhile, which its size shows
    if (Result<void> written = write_all(ops, copy.get(), *bytes, to); !written) return written;
    at += bytes->size();
  }
  return {};
}

// One try. Files that are not there any more are removed from the copy.
Result<void> copy_once(ForeignFiles& files, std::string const& file, States const& states,
                       std::string const& to) {
  FileOps& ops = system_file_ops();
  for (std::size_t i = 0; i < suffixes.size(); ++i) {
    std::string const name = to + std::string(suffixes[i]);
    if (!states[i].exists) {
      ops.unlink(working_directory, name.c_str());
      continue;
    }
    Result<void> copied = copy_file(files, file + std::string(suffixes[i]), states[i].size, name);
    if (!copied && copied.error().code != Errc::not_found) return copied;
  }
  return {};
}

// The state of the files that were copied.
Result<States> copy_database(ForeignFiles& files, std::string const& file, std::string const& to,
                             std::string_view program) {
  constexpr int most_tries = 20;
  for (int tries = 0; tries < most_tries; ++tries) {
    if (tries > 0) system_file_ops().pause(std::chrono::milliseconds(10 * tries));
    Result<States> before = states_of(files, file);
    if (!before) return before.error();
    if (Result<void> const copied = copy_once(files, file, *before, to); !copied) return copied.error();
    Result<States> const after = states_of(files, file);
    if (!after) return after.error();
    if (*before == *after) return before;
  }
  return make_error(Errc::timed_out, "{}: {} does not stop writing to it; close the program, or try again",
                    file, program);
}

// The copy that the files keep, or a new one if the database has changed.
Result<std::shared_ptr<Copy>> copy_of(ForeignFiles& files, std::string const& file,
                                      std::string_view program) {
  auto const kept = std::static_pointer_cast<Copy>(files.kept(file));
  if (kept) {
    Result<States> const now = states_of(files, file);
    if (now && *now == kept->states) return kept;
    files.keep(file, nullptr);
  }
  Result<PrivateFolder> folder = PrivateFolder::make(files.limits().scratch);
  if (!folder) return folder.error();
  auto const made = std::make_shared<Copy>(Copy{std::make_shared<PrivateFolder>(std::move(*folder))});
  Result<States> const states =
      copy_database(files, file, made->folder->path() + '/' + std::string(copy_name), program);
  if (!states) return states.error();
  made->states = *states;
  files.keep(file, made);
  return made;
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + count; ++i)
    value = (value << 8U) | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  return value;
}

// The pages below one page of the tree of the schema, if it is not a leaf.
std::vector<std::uint32_t> children_of(std::string_view page, std::size_t head) {
  constexpr std::uint32_t interior = 0x05;
  std::vector<std::uint32_t> children;
  if (big_endian(page, head, 1) != interior) return children;
  std::uint32_t const cells = std::min<std::uint32_t>(big_endian(page, head + 3, 2), 0x10000);
  for (std::uint32_t i = 0; i < cells; ++i)
    children.push_back(big_endian(page, big_endian(page, head + 12 + 2 * std::size_t{i}, 2), 4));
  children.push_back(big_endian(page, head + 8, 4));
  return children;
}

int count_down(void* left) {
  auto& steps = *static_cast<std::int64_t*>(left);
  steps -= 1000;
  return steps < 0 ? 1 : 0;
}

}}

bool begins_sqlite(std::string_view begin) noexcept {
  return begin.substr(0, foreign_database_inl::magic.size()) == foreign_database_inl::magic;
}

Result<std::string> schema_pages(ForeignFiles& files, std::string const& file) {
  using namespace foreign_database_inl;
  constexpr std::size_t header = 100, most_pages = 500, most_log = std::size_t{1} << 20;
  Result<std::string> const begin = files.read(file, 0, header);
  if (!begin) return begin.error();
  if (!begins_sqlite(*begin)) return std::string{};
  std::uint32_t const stored = big_endian(*begin, 16, 2), page_size = stored == 1 ? 65536 : stored;
  std::string found;
  std::vector<std::uint32_t> pages{1};
  for (std::size_t i = 0; i < pages.size() && i < most_pages; ++i) {
    if (pages[i] == 0) continue;
    Result<std::string> const page = files.read(file, std::uint64_t{pages[i] - 1} * page_size, page_size);
    if (!page) return page.error();
    for (std::uint32_t const child : children_of(*page, pages[i] == 1 ? header : 0))
      if (pages.size() < most_pages) pages.push_back(child);
    found += *page;
  }
  Result<std::string> const log = files.read(file + "-wal", 0, most_log);
  if (!log && log.error().code != Errc::not_found) return log.error();
  if (log) found += *log;
  return found;
}

std::string sql_name(std::string_view name) {
  std::string quoted = "\"";
  for (char const c : name) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

Result<PrivateFolder> PrivateFolder::make(std::string const& below) {
  std::string path =
      (below.empty() ? std::string("/tmp") : below) + "/sessionkit-import-" + random_entry_id();
  if (int const failed = system_file_ops().make_directory(working_directory, path.c_str()); failed < 0)
    return file_error(-failed, path, "cannot make a private folder; set ImportLimits::scratch");
  return PrivateFolder(std::move(path));
}

PrivateFolder::PrivateFolder(std::string path)
    : path_(std::move(path)), process_(system_file_ops().process()) {}

PrivateFolder::~PrivateFolder() {
  FileOps& ops = system_file_ops();
  if (path_.empty() || process_ != ops.process()) return;
  for (char const* suffix : {"", "-wal", "-shm", "-journal"})
    ops.unlink(working_directory,
               (path_ + '/' + std::string(foreign_database_inl::copy_name) + suffix).c_str());
  remove_directory(path_.c_str());
}

Result<std::unique_ptr<ForeignDatabase>> ForeignDatabase::open(ForeignFiles& files, std::string const& file,
                                                               std::string_view program) {
  using namespace foreign_database_inl;
  Result<std::string> const begin = files.read(file, 0, magic.size());
  if (!begin) return begin.error();
  if (!begins_sqlite(*begin))
    return make_error(
        Errc::corrupt,
        "{}: no SQLite database, or an encrypted one, so {} cannot be read from it; decrypt it, or "
        "name another file",
        file, program);
  Result<std::shared_ptr<Copy>> const copy = copy_of(files, file, program);
  if (!copy) return copy.error();
  std::unique_ptr<ForeignDatabase> database(new ForeignDatabase((*copy)->folder, file, program));
  if (Result<void> const opened = database->open_copy((*copy)->bytes()); !opened)
    return database->failure(opened.error());
  return database;
}

Result<void> ForeignDatabase::open_copy(std::uint64_t bytes) {
  SqliteDatabase::Options options;
  options.wait = {};
  Result<SqliteDatabase> opened =
      SqliteDatabase::open(folder_->path() + '/' + std::string(foreign_database_inl::copy_name), options);
  if (!opened) return opened.error();
  database_.emplace(std::move(*opened));
  sqlite3* const handle = database_->handle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  // A row takes less than 100 steps and at least some bytes.
  steps_left_ = 10'000'000 + static_cast<std::int64_t>(bytes) * 16;
  sqlite3_progress_handler(handle, 1000, foreign_database_inl::count_down, &steps_left_);
  Result<void> checks = database_->run({"check cells", "PRAGMA cell_size_check=1"});
  if (!checks) return checks;
  return database_->run({"read its schema", "SELECT count(*) FROM sqlite_master"});
}

SqliteStatement ForeignDatabase::statement(char const* doing, std::string sql) {
  auto const same = std::find(texts_.begin(), texts_.end(), sql);
  std::string const& kept = same != texts_.end() ? *same : texts_.emplace_back(std::move(sql));
  return {doing, kept.c_str()};
}

Error ForeignDatabase::failure(Error const& error) const {
  Error own = error;
  std::string const copy = folder_->path() + '/' + std::string(foreign_database_inl::copy_name);
  std::size_t const at = own.message.find(copy);
  if (at != std::string::npos)
    own.message.replace(at, copy.size(), file_ + ": the database of " + std::string(program_));
  if (steps_left_ < 0) own.code = Errc::corrupt;
  return own;
}

Result<std::vector<std::string>> ForeignDatabase::tables() {
  std::vector<std::string> names;
  SqliteQuery query(*database_,
                    {"list the tables", "SELECT name FROM sqlite_master WHERE type='table' ORDER BY name"});
  while (query.row()) names.emplace_back(query.text(0));
  if (Result<void> const done = query.done(); !done) return failure(done.error());
  return names;
}

Result<std::vector<std::string>> ForeignDatabase::columns(std::string const& table) {
  std::vector<std::string> names;
  SqliteQuery query(*database_,
                    {"list the columns",
                     "SELECT c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE "
                     "t.type='table' AND t.name=?1"});
  query.with(table);
  while (query.row()) names.emplace_back(query.text(0));
  if (Result<void> const done = query.done(); !done) return failure(done.error());
  return names;
}

Result<void> ForeignDatabase::require(std::string const& table, std::vector<std::string_view> const& names,
                                      std::string_view version) {
  Result<std::vector<std::string>> const found = columns(table);
  if (!found) return found.error();
  for (std::string_view const name : names)
    if (std::find(found->begin(), found->end(), name) == found->end())
      return make_error(
          Errc::unsupported,
          "{}: the tables of {} are not those of {} ({}.{} is missing); use a newer version of this "
          "library, or let the program export the session",
          file_, program_, version, table, name);
  return {};
}

}}}
