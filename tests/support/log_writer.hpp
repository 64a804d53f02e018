// SPDX-License-Identifier: MIT
// Writers of transcripts over system calls that tests can replace.
#pragma once
#include "transcript.hpp"

#include <sessionkit/detail/transcript/file_writer.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace sessionkit_test {

inline sk::WriterOptions creating() {
  sk::WriterOptions options;
  options.create = true;
  return options;
}
/// A writer of this file over these calls.
inline sk::detail::FileWriter open_log(sk::detail::FileOps& ops, std::string const& path,
                                       sk::WriterOptions options) {
  return sk::detail::FileWriter::open(ops, {sk::detail::working_directory, path, path}, std::move(options))
      .value();
}

/// The lines of the entries. A reader checks heads only, so terminated torn bytes may be a record and no
/// entry.
inline std::vector<std::string> stored_lines(std::string const& path) {
  if (::access(path.c_str(), F_OK) != 0) return {}; // a session that could not be begun
  auto reader = sk::TranscriptReader::open(path).value();
  std::vector<std::string> lines = read_all([&](sk::ReadRange const& r) { return reader.read(r); }).lines;
  lines.erase(std::remove_if(
                  lines.begin(), lines.end(),
                  [](auto const& line) { return !nlohmann::json::parse(line, nullptr, false).is_object(); }),
              lines.end());
  return lines;
}

}
