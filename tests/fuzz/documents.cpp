// SPDX-License-Identifier: MIT
// Whole documents and small grammars: blades sessions, the index, ids, times, providers' names.
#include "fuzz/fuzz.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/detail/file_store/index_codec.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/json.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/time.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace {

namespace sk = sessionkit;
using sessionkit_fuzz::require;

std::size_t messages_of(sk::Log const& log) {
  return static_cast<std::size_t>(
      std::count_if(log.entries.begin(), log.entries.end(),
                    [](auto const& entry) { return entry.template as<sk::Message>() != nullptr; }));
}

void blades(std::string const& text) {
  bool const recognised = sk::is_blades(text);
  auto const log = sk::import_blades(text);
  if (!log) return;
  bool const has_type = text.find("type") != std::string::npos || text.find('\\') != std::string::npos;
  require(recognised || has_type, "what is imported is recognised", text);
  auto const id = sk::SessionId::parse("s").value();
  sk::Converted const written = sk::export_blades(*log, id);
  auto const again = sk::import_blades(written.text);
  require(again.ok(), "an exported document is imported", text + '\n' + written.text);
  if (!written.losses.empty()) return;
  require(messages_of(*again) == messages_of(*log), "it has the same messages", text + '\n' + written.text);
  require(sk::export_blades(*again, id).text == written.text, "and is exported to the same bytes",
          written.text + sk::export_blades(*again, id).text);
}

void change_all(sk::detail::IndexRows& rows) {
  rows.each([&](std::string_view name, sk::detail::IndexRow const*, std::string_view) {
    rows.find(name)->changed();
  });
}

void index(sk::detail::IndexCodec const& codec, std::string const& text) {
  auto parsed = codec.parse(text);
  if (!parsed) return;
  for (bool const changed : {false, true}) { // as other programs wrote the rows, and as we do
    if (changed) change_all(*parsed);
    std::string const written = codec.write(*parsed);
    auto again = codec.parse(written);
    require(again.ok(), "a written index is read", text + '\n' + written);
    if (changed) change_all(*again);
    require(codec.write(*again) == written, "and is written to the same bytes",
            text + '\n' + written + '\n' + codec.write(*again));
  }
}

void small_grammars(std::string const& text) {
  if (auto const id = sk::SessionId::parse(text))
    require(id->str() == text && text.find('/') == std::string::npos && text.front() != '.'
                && text.size() <= 128,
            "an id is a file's name", text);
  if (auto const at = sk::parse_rfc3339(text)) {
    auto const again = sk::parse_rfc3339(sk::to_rfc3339(*at));
    require(again.ok() && *again == *at, "a time is written and read", text);
  }
  (void)sk::parse_provider(text);
  if (auto const json = sk::RawJson::parse(text)) {
    auto const tree = sk::to_nlohmann(*json);
    require(!tree.is_discarded(), "nlohmann is given what it can read", text);
    require(sk::detail::check_json(sk::to_raw_json(tree).str()).fault == sk::detail::JsonCheck::none,
            "and back", text);
  }
}

}

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text = sessionkit_fuzz::text_of(data, size);
  blades(text);
  index(sk::detail::index_codec(sk::StoreLayout::by_id), text);
  index(sk::detail::index_codec(sk::StoreLayout::transcripts_folder), text);
  small_grammars(text);
  return 0;
}
