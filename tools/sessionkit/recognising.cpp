// SPDX-License-Identifier: MIT
// Recognises a file: a transcript, a conversation of another program, or neither.
#include "recognising.hpp"

#include <sessionkit/transcript_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/foreign.hpp>
#include <common/text.hpp>
#include <filesystem>
#include <fstream>
#include <vector>

namespace cli {

namespace sk = sessionkit;

namespace {

std::string begin_of(std::string const& path) {
  std::ifstream file(std::filesystem::path(path), std::ios::binary);
  std::string text(200, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// The findings before the first entry.
struct Survey {
  std::size_t damaged = 0, unknown = 0; ///< places and lines
  bool has_entry = false;
};

void look_at(sk::RecordPage const& page, Survey& survey) {
  for (auto const& damage : page.damage)
    if (is_damage(damage.kind)) ++survey.damaged;
  for (auto const& item : page.items()) {
    auto const entry = sk::decode(page, item);
    survey.has_entry = survey.has_entry || (entry && !entry->as<sk::Unknown>());
    if (survey.has_entry) return;
    ++(entry ? survey.unknown : survey.damaged);
  }
}

Survey survey_of(std::string const& path) {
  auto reader = sk::TranscriptReader::open(path).value();
  Survey survey;
  sk::ReadRange range;
  range.max_records = 64; // an entry is among the first, in nearly all files
  for (;;) {
    auto const page = reader.read(range).value();
    look_at(page, survey);
    if (survey.has_entry || !page.more) return survey;
    range.from = page.next;
  }
}

std::string words_of(Survey const& found) {
  auto const unknown = fmt::format("{} line(s) of no known type", found.unknown);
  auto const damaged = fmt::format("{} damaged place(s)", found.damaged);
  return found.unknown == 0 ? damaged : found.damaged == 0 ? unknown : unknown + " and " + damaged;
}

}

void refuse_foreign(std::string const& path) {
  if (auto const program = foreign_program(path))
    throw Failure{Exit::usage, "unsupported",
                  fmt::format("'{}' belongs to {}; it is not a transcript of this store", path, *program),
                  fmt::format("read it by its path, or copy it into a store: sessionkit import {}", path)};
}

void require_transcript(Console& console, std::string const& path) {
  auto const found = survey_of(path);
  if (found.has_entry) return;
  refuse_foreign(path);
  if (found.damaged + found.unknown == 0) return console.notice(fmt::format("'{}' is empty", path));
  throw Failure{Exit::damage, "corrupt",
                fmt::format("'{}' contains no session: {}, no entry; it begins with: {}", path,
                            words_of(found), cut(one_line(neutral(begin_of(path))), 40)),
                "see what is wrong with each line: sessionkit verify " + path};
}

}
