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

/// True if a file with this beginning is an SQLite file.
bool begins_sqlite(std::string_view begin) noexcept;

/// Returns the pages of a database that have its schema, and the beginning of its `-wal`, which may have a
/// newer schema. The function does not open the database. The result is empty for a file that is no database.
Result<std::string> schema_pages(ForeignFiles& files, std::string const& file);

/// A folder that only this user may use. The process that made the folder removes it together with its files.
class PrivateFolder {
 public:
  /// Makes the folder below an existing folder.
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
  int process_; // the process that made the folder; a forked child has a copy of this object
};

/// An open private copy of another program's database. The copy is used again as long as the files are open
/// and the database does not change. The size of the database limits the time of all queries, even if the
/// database was made to waste time.
class ForeignDatabase {
 public:
  /// `program` is the name of the program for messages, in static storage. Fails with `corrupt` if the file
  /// is no database, is damaged or is encrypted, and with `timed_out` if it keeps changing. Other errors are
  /// those of `files`.
  static Result<std::unique_ptr<ForeignDatabase>> open(ForeignFiles& files, std::string const& file,
                                                       std::string_view program);

  SqliteDatabase& database() noexcept { return *database_; }
  /// Makes a statement from a text that was made at run time. This object keeps the text, so the address of
  /// the text does not change.
  SqliteStatement statement(char const* doing, std::string sql);
  /// Returns the failure with a message that names the file and the program instead of the copy.
  Error failure(Error const& error) const;

  /// Returns the names of the tables, without views.
  Result<std::vector<std::string>> tables();
  /// Returns the names of a table's columns. The result is empty if there is no such table.
  Result<std::vector<std::string>> columns(std::string const& table);
  /// Fails with `unsupported` if the table or one of these columns is missing. `version` is the version of
  /// the program whose tables are known.
  Result<void> require(std::string const& table, std::vector<std::string_view> const& names,
                       std::string_view version);

 private:
  ForeignDatabase(std::shared_ptr<PrivateFolder> folder, std::string file, std::string_view program)
      : folder_(std::move(folder)), file_(std::move(file)), program_(program) {}
  Result<void> open_copy(std::uint64_t bytes);

  std::shared_ptr<PrivateFolder> folder_; // `ForeignFiles` keeps it too
  std::string file_;
  std::string_view program_;
  std::int64_t steps_left_ = 0;
  std::deque<std::string> texts_;
  std::optional<SqliteDatabase> database_; // closed before the folder is removed
};

/// Returns the name with quotes, for an SQL text.
std::string sql_name(std::string_view name);

}}}
