// SPDX-License-Identifier: MIT
// import: reads files of any program, and stdin, into the store.
#include "importing.hpp"
#include "new_file.hpp"
#include "platform.hpp"
#include "recognising.hpp"
#include "watching.hpp"

#include <fmt/format.h>

#include <common/text.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

/// A temporary folder for input that is not a file; it is removed with this object.
class Workshop {
 public:
  Workshop() : path_(make_temporary_folder()) {}
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workshop(Workshop const&) = delete;
  Workshop& operator=(Workshop const&) = delete;

  /// A session whose lines contain no id gets its file's name.
  std::string file_for(sk::SessionId const& id) const { return (path_ / (id.str() + ".jsonl")).string(); }

 private:
  fs::path path_;
};

std::string take_stdin(Workshop const& workshop) {
  auto path = workshop.file_for(sk::make_session_id(sk::system_now()));
  NewFile file(path);
  std::string piece(std::size_t{1} << 16, '\0');
  while (std::size_t const n = read_stdin(piece.data(), piece.size()))
    file.write(std::string_view(piece).substr(0, n));
  file.finish();
  return path;
}

Import import_one(Console& console, Arguments const& args, ImportSource const& source, Side const& to) {
  refuse_database(source.path);
  require_transcript(console, source.path);
  Side const from{watched(console, open_transcript(open_options(console, args), source.path)), source.name};
  auto const page = from.store->list({}).value();
  if (page.sessions.empty())
    throw Failure{Exit::damage, "corrupt", fmt::format("'{}' contains no session", source.name),
                  "see why: sessionkit verify " + source.name};
  Import done{source.name, copy_one(args, from, to, page.sessions.front().id)};
  notice(console, *done.copy, to);
  done.exit = exit_of({*done.copy});
  return done;
}

void refuse_directory(std::string const& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw Failure{Exit::forbidden, "unsafe_path", fmt::format("'{}' is a directory, not a session", path),
                  fmt::format("if it is a store: sessionkit cp {} STORE; else name files in it", path)};
}

/// False if nothing more is to be imported. A file that cannot be imported does not stop the others.
bool import_any(Console& console, Arguments const& args, Workshop const& workshop, std::string const& name,
                Side const& to, std::vector<Import>& imports) {
  auto const fail = [&](Failure const& failure) {
    console.show(failure);
    imports.push_back({name, {}, 0, failure.exit});
    return true;
  };
  try {
    ImportSource const source{name, name == "-" ? take_stdin(workshop) : name};
    if (is_foreign_source(args, source.path)) return import_conversations(console, args, source, to, imports);
    refuse_directory(source.path);
    imports.push_back(import_one(console, args, source, to));
    return true;
  } catch (Failure const& failure) { return fail(failure); } catch (sk::Exception const& exception) {
    return fail(failure_of(exception.error()));
  }
}

/// Files of other programs may have many sessions, so they are counted, together with the others.
void summarise(Console& console, Arguments const& args, std::vector<Import> const& imports) {
  std::vector<Copy> copies;
  bool foreign = false;
  for (auto const& one : imports) {
    foreign = foreign || (one.foreign && one.copy);
    if (one.copy) copies.push_back(*one.copy);
  }
  if (foreign) console.notice(summary_of(copies, args.dry_run));
}

Json json_of(ForeignResult const& foreign) {
  Json passed_over = Json::object(), losses = Json::array();
  for (auto const& [type, count] : foreign.report.passed_over) passed_over[type] = count;
  for (auto const& loss : foreign.report.losses) losses.push_back(loss.what);
  return {{"program", foreign.program},
          {"conflict", foreign.conflict},
          {"held_back", foreign.report.held_back},
          {"passed_over", std::move(passed_over)},
          {"losses", std::move(losses)}};
}

void write(Console& console, Arguments const& args, Side const& to, std::vector<Import> const& imports) {
  if (!console.json()) {
    std::vector<std::vector<std::string>> rows;
    for (auto const& one : imports)
      if (one.copy) rows.push_back(row_of(*one.copy));
    return console.table({"SESSION", "RESULT", "LINES", "WRITTEN"}, rows);
  }
  Json list = Json::array();
  for (auto const& one : imports) {
    Json row{{"file", one.file}};
    if (one.copy)
      row.update(json_of(*one.copy));
    else
      row["result"] = "failed";
    row["left_out"] = one.left_out;
    if (one.foreign) row["report"] = json_of(*one.foreign);
    list.push_back(std::move(row));
  }
  console.document("import@1", {{"to", to.name}, {"dry_run", args.dry_run}, {"sessions", std::move(list)}});
}

}

Exit import_files(Console& console, Arguments const& args) {
  std::error_code ignored;
  for (auto const& name : args.files)
    if (name != "-" && fs::symlink_status(name, ignored).type() == fs::file_type::not_found)
      throw Failure{Exit::not_found, "not_found", fmt::format("there is no file '{}'", name),
                    "name files, or - for stdin"};
  Workshop const workshop;
  auto const to = open_target(console, args, store_address(args));
  std::vector<Import> imports;
  std::size_t done = 0;
  for (auto const& name : args.files) {
    console.progress(done++, args.files.size(), "files");
    if (!import_any(console, args, workshop, name, to, imports)) break;
  }
  console.progress(args.files.size(), args.files.size(), "files");
  write(console, args, to, imports);
  summarise(console, args, imports);
  for (auto const& one : imports)
    if (one.exit != Exit::ok) return one.exit; // the first failure is reported
  return Exit::ok;
}

}
