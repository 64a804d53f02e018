// SPDX-License-Identifier: MIT
// Joins what was imported with what a program has saved since, if only states at the end differ.
#include "continued_log.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/memory_store.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;

namespace {

/// A whole log in memory. The pages own the bytes of its records.
struct WholeLog {
  std::deque<sk::RecordPage> pages = {};
  std::vector<sk::RecordView> records = {};
  bool native = true;

  bool has(std::string_view id) const {
    return std::any_of(records.begin(), records.end(), [&](auto const& one) { return one.id == id; });
  }
};

WholeLog whole_log(sk::SessionStore& store, sk::SessionId const& id) {
  WholeLog log;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const& page = log.pages.emplace_back(store.read(id, range).value());
    log.native = log.native && page.dialect == sk::native_dialect().name;
    for (auto const& item : page.items()) log.records.push_back(item);
    more = page.more;
    range.from = page.next;
  }
  return log;
}

/// The state with which an import ends. Its id names the state, so that another state has another id.
std::optional<sk::Entry> end_state(sk::RecordView const& record) {
  constexpr std::string_view begin = "state-";
  if (record.id.substr(0, begin.size()) != begin) return std::nullopt;
  auto entry = sk::native_dialect().decode(record);
  if (!entry || !entry->as<sk::StateChange>()) return std::nullopt;
  return *std::move(entry);
}

/// The line of a state that takes the place of earlier ones.
std::string replacing(sk::Entry entry, std::set<std::string> names) {
  auto& change = std::get<sk::StateChange>(entry.body);
  for (auto const& [name, value] : change.set) names.erase(name);
  change.removed.assign(names.begin(), names.end());
  std::string line;
  sk::native_dialect().encode(entry, line).value();
  return line;
}

}

StorePtr continued_log(sk::SessionStore& theirs, sk::SessionStore& ours, sk::SessionId const& id) {
  WholeLog const stored = whole_log(ours, id), now = whole_log(theirs, id);
  if (!stored.native || !now.native) return nullptr;
  std::size_t same = 0; // of the conversation's lines now
  std::set<std::string> names;
  for (auto const& record : stored.records) {
    if (same < now.records.size() && record.line == now.records[same].line) {
      ++same;
      continue;
    }
    auto const state = end_state(record);
    if (!state) return nullptr;
    for (auto const& [name, value] : state->as<sk::StateChange>()->set) names.insert(name);
  }
  sk::Append batch;
  batch.dialect = sk::native_dialect().name;
  batch.records = stored.records;
  std::deque<std::string> lines;
  std::deque<std::deque<std::string>> texts;
  for (; same < now.records.size(); ++same) {
    auto record = now.records[same];
    if (auto const state = end_state(record)) {
      if (stored.has(record.id)) continue;
      auto const& line = lines.emplace_back(replacing(*state, names));
      sk::native_dialect().head(line, record, texts.emplace_back());
      record.line = line;
    }
    batch.records.push_back(record);
  }
  auto joined = sk::make_memory_store();
  joined->append(id, batch).value();
  return joined;
}

}
