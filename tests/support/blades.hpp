// SPDX-License-Identifier: MIT
// Lines and batches of blades' documents, and a reader of documents that is not the library's.
#pragma once
#include <sessionkit/session_store.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

inline std::string blades_header(std::string const& id) {
  return R"({"id":")" + id + R"(","created_at":"2025-11-04T08:00:00Z","version":1})";
}
inline std::string blades_message(std::string const& text, std::size_t padding = 0) {
  std::string const metadata =
      padding == 0 ? "" : R"(,"metadata":{"pad":")" + std::string(padding, 'x') + R"("})";
  return R"({"role":"user","text":")" + text + R"(","timestamp":"2025-11-04T08:00:01Z")" + metadata + '}';
}
inline std::string blades_state(int n) { return R"({"state":{"n":)" + std::to_string(n) + "}}"; }

/// A batch that owns its lines.
struct BladesBatch {
  std::vector<std::string> lines;
  sk::Append append;
  explicit BladesBatch(std::vector<std::string> all, sk::Position expected = {}, bool durable = false)
      : lines(std::move(all)) {
    for (std::string const& line : lines) {
      sk::RecordView record;
      record.line = line;
      append.records.push_back(record);
    }
    append.expected = expected;
    append.durable = durable;
  }
  BladesBatch(BladesBatch const&) = delete;
  BladesBatch& operator=(BladesBatch const&) = delete;
  operator sk::Append const&() const { return append; }
};

/// What a document says.
struct BladesFile {
  bool whole = false; // one JSON object with a history
  std::vector<std::string> texts = {};
  nlohmann::json state = {};
};
inline BladesFile read_blades(std::string const& text) {
  auto const document = nlohmann::json::parse(text, nullptr, false);
  BladesFile file;
  if (!document.is_object() || !document.contains("history") || !document["history"].is_array()) return file;
  file.whole = true;
  for (auto const& message : document["history"]) file.texts.push_back(message.value("text", std::string()));
  file.state = document.value("state", nlohmann::json());
  return file;
}

}
