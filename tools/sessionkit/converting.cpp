// SPDX-License-Identifier: MIT
// convert: a session in the lines of another program, as a new file.
#include "losses.hpp"
#include "naming.hpp"
#include "new_file.hpp"
#include "watching.hpp"

#include <sessionkit/convert.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/profile.hpp>

#include <fmt/format.h>

#include <common/text.hpp>
#include <filesystem>
#include <utility>

namespace cli {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

struct Source {
  sk::Log log;
  sk::Dialect const* dialect;
  sk::SessionId id;
  std::string path; ///< its name, at least
  bool in_store;    ///< it is a session of the store, and its directory the store's
};

/// The title may be only in the index of the store.
void add_title(sk::Log& log, sk::SessionInfo const& info) {
  if (info.title.empty()) return;
  for (auto const& entry : log.entries)
    if (auto const* title = entry.as<sk::TitleChange>(); title && title->title == info.title) return;
  sk::Entry entry;
  entry.at = info.updated;
  entry.body = sk::TitleChange{info.title, info.title_by_person};
  log.entries.push_back(std::move(entry));
  log.lines.emplace_back();
}

Source open_source(Console& console, Arguments const& args) {
  auto const place = find_place(console, args, *args.session);
  auto const named = open_place(console, args, place);
  auto const& dialect = *sk::find_dialect(named.store->read(named.id, {}).value().dialect);
  auto log = sk::load_log(*watched(console, named.store), named.id, sk::LogLines::kept).value();
  add_title(log, named.store->info(named.id).value());
  std::error_code ignored; // a folder of another program names no file
  bool const has_file = !place.path.empty() && !fs::is_directory(place.path, ignored);
  auto const path = has_file ? place.path : named.id.str() + ".jsonl";
  return {std::move(log), &dialect, named.id, path, place.id.has_value()};
}

/// The format asked for, by its own name or by its program's.
std::string format_of(Arguments const& args) {
  if (args.to.has_value() == args.profile.has_value())
    throw Failure{Exit::usage, "invalid_argument",
                  args.to ? "--to and --profile both name a format" : "no format is given",
                  "give one: --to native, flat, panel or blades, or --profile"};
  if (args.to) return *args.to;
  if (*args.profile == sk::profiles::blades.name) return "blades";
  return std::string(sk::find_profile(*args.profile)->dialect);
}

/// Every file in the directory of a store is listed as one of its sessions.
bool is_of_a_store(Arguments const& args, Source const& source, fs::path const& directory) {
  std::error_code ignored; // a path that cannot be compared is another directory
  auto const is = [&](fs::path const& other) { return fs::equivalent(directory, other, ignored); };
  auto const has_index = [&](fs::path const& root) { return fs::exists(root / "sessions.json", ignored); };
  if (source.in_store && is(fs::path(source.path).parent_path())) return true;
  if (has_index(directory) || (directory.filename() == "transcripts" && has_index(directory.parent_path())))
    return true;
  auto const root = known_store_root(args);
  return root && (is(*root) || is(fs::path(*root) / "transcripts"));
}

/// The given path, or the source's name in the working directory; never among a store's sessions unless
/// asked.
std::string output_path(Arguments const& args, Source const& source, std::string const& format,
                        bool console_is_json) {
  if (args.output && args.output->empty())
    throw Failure{Exit::usage, "invalid_argument", "-o: the file's name is empty",
                  "name a file, or -: standard output"};
  if (args.output == "-" && console_is_json)
    throw Failure{Exit::usage, "invalid_argument", "-o -: standard output is used for the JSON document",
                  "name a file, or leave --json out"};
  if (args.output) return *args.output;
  std::error_code ignored; // on an error it is not a store
  if (auto const here = fs::current_path(ignored); is_of_a_store(args, source, here))
    throw Failure{
        Exit::usage, "invalid_argument",
        fmt::format("'{}' is the directory of a store: the new file would be listed as a session of it",
                    here.generic_string()),
        "name a file elsewhere: -o FILE"};
  fs::path path = fs::path(source.path).filename();
  path.replace_extension(format == "blades" ? ".blades.json" : "." + format + ".jsonl");
  return path.generic_string();
}

void write_new(std::string const& path, std::string const& text) {
  NewFile file(path);
  file.write(text);
  file.finish();
}

}

Exit convert(Console& console, Arguments const& args) {
  auto const format = format_of(args);
  auto const source = open_source(console, args);
  auto const path = output_path(args, source, format, console.json());
  auto const& to = *sk::find_dialect(format);
  auto const converted = sk::convert_log(source.log, *source.dialect, to, source.id).value();
  bool const to_stdout = path == "-";
  if (!to_stdout) write_new(path, converted.text);
  if (to_stdout)
    console.write(converted.text);
  else if (console.json())
    console.document("convert@1", {{"file", path}, {"losses", converted.losses.size()}});
  else
    console.write(path + "\n");
  list_losses(console, converted.losses);
  return converted.losses.empty() ? Exit::ok : Exit::damage;
}

}
