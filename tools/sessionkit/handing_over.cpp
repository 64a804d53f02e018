// SPDX-License-Identifier: MIT
// export --to PROGRAM: a session as the files of another program, which resumes it.
#include "handing_over.hpp"
#include "losses.hpp"
#include "naming.hpp"
#include "new_file.hpp"
#include "watching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

/// The program's own folder, by its variable or below the home directory; for a document, this directory.
fs::path own_folder(sk::Exporter const& exporter) {
  if (exporter.root_variable.empty()) return ".";
  if (auto const named = environment(std::string(exporter.root_variable).c_str()); !named.empty())
    return named;
  auto const home = home_folder();
  if (home.empty())
    throw Failure{Exit::usage, "invalid_argument",
                  fmt::format("neither {} nor HOME is set, so {} has no folder", exporter.root_variable,
                              exporter.program),
                  "name a folder: -o DIR"};
  return fs::path(home) / exporter.root;
}

fs::path folder_of(Arguments const& args, sk::Exporter const& exporter) {
  if (!args.output) return own_folder(exporter);
  if (args.output->empty() || *args.output == "-")
    throw Failure{Exit::usage, "invalid_argument",
                  fmt::format("-o: an export to {} needs a folder", exporter.program),
                  "name a folder: -o DIR"};
  return *args.output;
}

sk::ExportOptions options_of(Arguments const& args, Named const& named) {
  sk::ExportOptions options;
  if (args.id) options.id = *args.id;
  std::error_code ignored; // without a current directory, that of the session or "/" stays
  if (args.cwd) options.cwd = fs::absolute(*args.cwd, ignored).string();
  if (!args.cwd && named.store->info(named.id).value().cwd.empty())
    options.cwd = fs::current_path(ignored).string();
  return options;
}

/// Before anything is written.
void refuse_existing(fs::path const& root, sk::Exported const& exported) {
  for (auto const& file : exported.files) {
    std::error_code ignored; // what cannot be looked at cannot be created either
    auto const path = root / file.name;
    if (fs::exists(fs::symlink_status(path, ignored)))
      throw Failure{Exit::conflict, "already_exists",
                    fmt::format("'{}' exists already", path.generic_string()),
                    "give the copy another id: --id ID"};
  }
}

std::vector<std::string> write_files(fs::path const& root, sk::Exported const& exported) {
  refuse_existing(root, exported);
  std::vector<std::string> paths;
  for (auto const& file : exported.files) {
    auto const path = root / file.name;
    std::error_code failed;
    if (path.has_parent_path()) fs::create_directories(path.parent_path(), failed);
    if (failed)
      throw system_failure(failed, fmt::format("cannot make '{}'", path.parent_path().generic_string()));
    NewFile made(path.generic_string());
    made.write(file.content);
    made.finish();
    paths.push_back(path.generic_string());
  }
  return paths;
}

/// The commands that resume the session, as a shell takes them.
std::vector<std::string> commands_of(sk::Exporter const& exporter, sk::Exported const& exported,
                                     fs::path const& root) {
  std::error_code ignored; // a folder that was just written to has an absolute path
  auto const folder = fs::absolute(root, ignored).lexically_normal();
  bool const elsewhere =
      !exporter.root_variable.empty() && folder != fs::absolute(own_folder(exporter)).lexically_normal();
  std::vector<std::string> commands;
  for (auto const& words : exported.resume) {
    std::string line = "cd " + shell_word(exported.cwd) + " &&";
    if (elsewhere) line += fmt::format(" {}={}", exporter.root_variable, shell_word(folder.generic_string()));
    for (auto const& word : words) {
      bool const is_file = std::any_of(exported.files.begin(), exported.files.end(),
                                       [&](auto const& file) { return file.name == word; });
      line += ' ' + shell_word(is_file ? (folder / word).generic_string() : word);
    }
    commands.push_back(std::move(line));
  }
  return commands;
}

}

Exit hand_over(Console& console, Arguments const& args, sk::Exporter const& exporter) {
  auto const root = folder_of(args, exporter);
  auto const named = find_session(console, args, *args.session);
  auto const exported = sk::export_session(exporter, *watched(console, named.store), named.id,
                                           options_of(args, named), leaf_of(named, args))
                            .value();
  auto const paths = write_files(root, exported);
  auto const commands = commands_of(exporter, exported, root);
  if (console.json()) {
    console.document("exported@1", {{"session", named.id.str()},
                                    {"program", exporter.name},
                                    {"id", exported.id},
                                    {"cwd", exported.cwd},
                                    {"files", paths},
                                    {"resume", commands},
                                    {"losses", exported.losses.size()}});
  } else {
    for (auto const* const list : {&paths, &commands})
      for (auto const& line : *list) console.content(line + "\n");
  }
  list_losses(console, exported.losses);
  return exported.losses.empty() ? Exit::ok : Exit::damage;
}

}
