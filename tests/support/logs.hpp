// SPDX-License-Identifier: MIT
// Logs written line by line, as another program would write them.
#pragma once
#include <sessionkit/dialect.hpp>
#include <sessionkit/memory_store.hpp>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

inline sk::SessionId sid(std::string const& text) { return sk::SessionId::parse(text).value(); }

inline std::string log_header(std::string const& id) {
  return R"({"type":"session","version":3,"id":")" + id
         + R"(","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"})";
}

/// A message line; an empty parent is null.
inline std::string message_line(std::string const& id, std::string const& parent, std::string const& role,
                                std::string const& text) {
  return R"({"type":"message","id":")" + id + R"(","parentId":)"
         + (parent.empty() ? "null" : '"' + parent + '"')
         + R"(,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":")" + role
         + R"(","content":[{"type":"text","text":")" + text + R"("}],"timestamp":1767225601000}})";
}

inline std::string compaction_line(std::string const& id, std::string const& parent,
                                   std::string const& summary, std::string const& first_kept) {
  return R"({"type":"compaction","id":")" + id + R"(","parentId":")" + parent
         + R"(","timestamp":"2026-01-01T00:00:02.000Z","summary":")" + summary + R"(","firstKeptEntryId":")"
         + first_kept + R"(","tokensBefore":10})";
}

/// A memory store that holds these lines as session `id`.
inline std::shared_ptr<sk::SessionStore> store_of(std::string const& id,
                                                  std::vector<std::string> const& lines) {
  auto store = sk::make_memory_store();
  std::deque<std::string> kept, scratch;
  sk::Append batch;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    sk::RecordView view;
    if (!sk::native_dialect().head(lines[i], view, scratch)) view.line = lines[i];
    std::string const derived = '@' + std::to_string(i + 1);
    view.id = kept.emplace_back(view.id.empty() ? derived : std::string(view.id));
    view.type = kept.emplace_back(view.type);
    view.parent = kept.emplace_back(view.parent);
    batch.records.push_back(view);
  }
  store->append(sid(id), batch).value();
  return store;
}

inline std::vector<std::string> ids_of(std::vector<sk::Entry> const& entries) {
  std::vector<std::string> ids;
  for (auto const& entry : entries) ids.push_back(entry.id.str());
  return ids;
}

}
