// SPDX-License-Identifier: MIT
// Recognises a file: a transcript, a document of another program, or neither.
#include "recognising.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

std::size_t const looked_at = 1 << 16; ///< bytes that distinguish a document from lines

std::string begin_of(std::istream& file) {
  std::string text(looked_at, '\0');
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

std::optional<std::string> blades_document(std::string const& path) {
  std::error_code ignored; // an unreadable file is not a document: opening it as a transcript reports why
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text = begin_of(file);
  if (!sk::is_blades(text)) return std::nullopt;
  file.clear();
  text.append(std::istreambuf_iterator<char>(file), {});
  if (!sk::is_blades(text)) return std::nullopt;
  return text;
}

sk::Log import_document(std::string const& path, std::string const& document) {
  auto log = sk::import_blades(document);
  if (log) return std::move(log).value();
  auto failure = failure_of({log.error().code, 0, path + ": " + log.error().message});
  if (log.error().code == sk::Errc::unsupported_version) {
    failure.hint = "let the program that wrote it save it in version 1, or look for a newer sessionkit";
  } else if (log.error().code == sk::Errc::corrupt) {
    std::string const& why = log.error().message; // the advice for programs follows the semicolon
    std::size_t const begin = why.find(": ") + 2;
    failure.message = fmt::format("'{}' is a session document of blades that cannot be read: {}", path,
                                  why.substr(begin, why.find(';') - begin));
    failure.hint = "get the whole file: it is one JSON document, and a part of it cannot be read";
  }
  throw failure;
}

void notice_unknown_roles(Console& console, std::string const& path, sk::Log const& log) {
  for (auto const& entry : log.entries) {
    auto const* item = entry.as<sk::Custom>();
    if (!item || item->type != "blades.item") continue;
    auto const data = Json::parse(item->data.str(), nullptr, false);
    std::string what = "is no message";
    if (data.is_object() && data.contains("role"))
      what = "has the unknown role "
             + data["role"].dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 80);
    console.notice(fmt::format("{}: entry {} {}; it is kept, and not sent", path, entry.id.str(), what));
  }
}

namespace {

template <class Read> UnknownLines unknown_among(Read read) {
  UnknownLines found;
  std::vector<std::string> types;
  sk::ReadRange range;
  for (;;) {
    sk::RecordPage const page = read(range);
    for (auto const& item : page.items()) {
      auto const entry = sk::decode(page, item);
      if (!entry || !entry->template as<sk::Unknown>()) continue;
      ++found.count;
      auto const type = item.type.empty() ? "none" : cut(one_line(neutral(std::string(item.type))), 40);
      if (types.size() < 3 && std::find(types.begin(), types.end(), type) == types.end())
        types.push_back(type);
    }
    if (!page.more) break;
    range.from = page.next;
  }
  found.types = fmt::format("{}", fmt::join(types, ", "));
  return found;
}

}

UnknownLines unknown_lines(std::string const& path) {
  auto reader = sk::TranscriptReader::open(path).value();
  return unknown_among([&](sk::ReadRange const& range) { return reader.read(range).value(); });
}

UnknownLines unknown_lines(sk::SessionStore& store, sk::SessionId const& id) {
  return unknown_among([&](sk::ReadRange const& range) { return store.read(id, range).value(); });
}

void require_transcript(Console& console, std::string const& path) {
  if (auto const document = blades_document(path)) {
    try {
      import_document(path, *document);
    } catch (Failure& failure) { // converting it does not help
      failure.exit = Exit::usage;
      throw;
    }
    throw Failure{
        Exit::usage, "unsupported",
        fmt::format("'{}' is a session document of blades: one JSON object, not a transcript", path),
        fmt::format("make a transcript of it: sessionkit convert {} --to native -o NEW.jsonl", path)};
  }
  auto const found = survey_of(path);
  if (found.has_entry) return;
  if (found.damaged + found.unknown == 0) return console.notice(fmt::format("'{}' is empty", path));
  std::ifstream file(path, std::ios::binary);
  throw Failure{Exit::damage, "corrupt",
                fmt::format("'{}' contains no session: {}, no entry; it begins with: {}", path,
                            words_of(found), cut(one_line(neutral(begin_of(file).substr(0, 200))), 40)),
                "see what is wrong with each line: sessionkit verify " + path};
}

}
