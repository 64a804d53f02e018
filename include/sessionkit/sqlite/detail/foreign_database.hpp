// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/import.hpp>
#include <sessionkit/sqlite/detail/database.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True for the beginning of an SQLite file.
bool begins_sqlite(std::string_view begin) noexcept;

/// The pages of a database that have its schema, and the beginning of its `-wal`, which may have a newer one.
/// The database is not opened. Empty for a file that is no database.
Result<std::string> schema_pages(ForeignFiles& files, std::string const& file);

/// A folder that only we may use, and that is removed with its files by the process that made it.
class PrivateFolder {
 public:
  /// `below` is an existing folder.
  static Result<PrivateFolder> make(std::string const& below);
  PrivateFolder(PrivateFolder&& o) noexcept : path_(std::move(o.path_)), process_(o.process_) {
    o.path_.clear();
  }
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  PrivateFolder(PrivateFolder const&) = delete;
  PrivateFolder& operator=(PrivateFolder const&) = delete;
  ~PrivateFolder();

  std::string const& path() const noexcept { return path_; }

 private:
  explicit PrivateFolder(std::string path);
  std::string path_;
  int process_; // a child of fork has this object too
};

/// A private copy of another program's database, open. The copy is used again as long as the files are open
/// and the database does not change. Its time is limited by the size of the database, also if the database
/// was made to waste it.
class ForeignDatabase {
 public:
  /// `program` is named in messages; it is in static storage. `corrupt` for a file that is no database, is
  /// damaged or encrypted; `timed_out` for one that keeps changing; errors of `files`.
  static Result<std::unique_ptr<ForeignDatabase>> open(ForeignFiles& files, std::string const& file,
                                                       std::string_view program);

  SqliteDatabase& database() noexcept { return *database_; }
  /// A statement that was made at run time, with an address that stays.
  SqliteStatement statement(char const* doing, std::string sql);
  /// The failure, with the names of the file and the program in the place of the copy's.
  Error failure(Error const& error) const;

  /// The names of the tables, without views.
  Result<std::vector<std::string>> tables();
  /// The names of a table's columns; none if there is no such table.
  Result<std::vector<std::string>> columns(std::string const& table);
  /// `unsupported` if the table is missing, or lacks a column. `version` is that of the known tables.
  Result<void> require(std::string const& table, std::vector<std::string_view> const& names,
                       std::string_view version);

 private:
  ForeignDatabase(std::shared_ptr<PrivateFolder> folder, std::string file, std::string_view program)
      : folder_(std::move(folder)), file_(std::move(file)), program_(program) {}
  Result<void> open_copy(std::uint64_t bytes);

  std::shared_ptr<PrivateFolder> folder_; // the files keep it too
  std::string file_;
  std::string_view program_;
  std::int64_t steps_left_ = 0;
  std::deque<std::string> texts_;
  std::optional<SqliteDatabase> database_; // closed first
};

/// A name in an SQL text.
std::string sql_name(std::string_view name);

}}}
