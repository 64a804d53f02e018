// SPDX-License-Identifier: MIT
// Finds the importer of a file, and reads a conversation into memory.
#pragma once
#include <sessionkit/import.hpp>

namespace sessionkit { inline namespace v0 {

Importers known_importers() {
  return {&claude_code_importer(), &codex_importer(), &gemini_cli_importer(),
          &opencode_importer(),    &atif_importer(),  &blades_importer()};
}

Result<Importer const*> find_importer(Importers const& importers, ForeignFiles& files,
                                      std::string const& file) {
  constexpr std::size_t begin_bytes = std::size_t{64} << 10;
  Result<std::string> const begin = files.read(file, 0, begin_bytes);
  if (!begin) return begin.error();
  for (Importer const* importer : importers)
    if (importer->recognises(file, *begin)) return importer;
  for (Importer const* importer : importers) {
    if (importer->looks_into == nullptr) continue;
    Result<bool> const found = importer->looks_into(files, file);
    if (!found) return found.error();
    if (*found) return importer;
  }
  return static_cast<Importer const*>(nullptr);
}

Result<Log> import_log(Importer const& importer, ForeignFiles& files, ForeignSession const& which,
                       ImportOptions const& options, ImportReport* report) {
  Log log;
  auto const take = [&](Entry&& entry) -> Result<void> {
    log.entries.push_back(std::move(entry));
    return {};
  };
  Result<ImportReport> read = importer.read(files, which, options, take);
  if (!read) return read.error();
  log.damage = read->damage;
  if (report) *report = std::move(*read);
  return log;
}

}}
