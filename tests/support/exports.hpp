// SPDX-License-Identifier: MIT
// Sessions to export, and what is sent of them before and after.
#pragma once
#include "support/foreign_fixtures.hpp"

#include <sessionkit/export.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/profile_view.hpp>
#include <sessionkit/provider.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

using nlohmann::json;

/// A log in a store of its own, in native lines.
struct StoredSession {
  std::string name;
  std::shared_ptr<sessionkit::SessionStore> store;
  sessionkit::SessionId id;
  std::string program = {}; ///< from which it was imported; empty: native
};

inline StoredSession stored(std::string name, sessionkit::Log const& log, std::string program) {
  namespace sk = sessionkit;
  StoredSession out{std::move(name), sk::make_memory_store(), sk::SessionId::parse("s").value(),
                    std::move(program)};
  std::string lines;
  std::vector<std::size_t> ends;
  for (sk::Entry const& entry : log.entries) {
    auto const encoded = sk::native_dialect().encode(entry, lines);
    INFO(out.name << ' ' << entry.id.str() << ' ' << (encoded.ok() ? "" : encoded.error().message));
    REQUIRE(encoded.ok());
    ends.push_back(lines.size());
    lines += '\n';
  }
  sk::Append batch;
  std::deque<std::deque<std::string>> texts; // one for each record, because `head` empties its own
  for (std::size_t i = 0, begin = 0; i < ends.size(); begin = ends[i++] + 1) {
    sk::RecordView record;
    std::string_view const line = std::string_view(lines).substr(begin, ends[i] - begin);
    REQUIRE(sk::native_dialect().head(line, record, texts.emplace_back()));
    record.line = line;
    batch.records.push_back(record);
  }
  REQUIRE(out.store->append(out.id, batch).ok());
  return out;
}

/// The conversations of all programs' fixtures that are one file each, and those of opencode's files.
inline std::vector<StoredSession> imported_sessions() {
  namespace fs = std::filesystem;
  namespace sk = sessionkit;
  std::vector<StoredSession> out;
  auto const add = [&](std::string const& folder, std::string const& file) {
    auto files = sk::open_foreign_files(folder).value();
    auto const importer = sk::find_importer(sk::known_importers(), *files, file).value();
    if (!importer) return;
    for (sk::ForeignSession const& which : importer->list(*files, file).value())
      out.push_back(stored(folder.substr(folder.find("interchange") + 12) + '/' + file,
                           sk::import_log(*importer, *files, which).value(), std::string(importer->name)));
  };
  for (ForeignFixture const& fixture : foreign_fixtures()) add(fixture.folder, fixture.file);
  for (auto const& entry : fs::recursive_directory_iterator(data("interchange"))) {
    std::string const path = entry.path().generic_string();
    std::size_t const at = path.find("/storage/session/");
    if (at != std::string::npos && entry.is_regular_file()) add(path.substr(0, at), path.substr(at + 1));
  }
  std::sort(out.begin(), out.end(),
            [](StoredSession const& a, StoredSession const& b) { return a.name < b.name; });
  return out;
}

/// Transcripts of pi, claw0, ai-panel and OpenClaw in `tests/data`.
inline std::vector<StoredSession> native_sessions() {
  namespace fs = std::filesystem;
  namespace sk = sessionkit;
  std::vector<StoredSession> out;
  for (char const* const folder : {"pi", "flat", "flat-v2", "moving", "format"})
    for (auto const& entry : fs::recursive_directory_iterator(data(folder))) {
      if (!entry.is_regular_file() || entry.path().extension() != ".jsonl") continue;
      sk::FileStoreOptions options;
      options.read_only = true;
      auto store = sk::open_transcript(entry.path().generic_string(), options);
      if (!store) continue;
      auto const page = (*store)->list({});
      if (!page || page->sessions.empty()) continue;
      std::string const name = entry.path().generic_string().substr(data("").size());
      out.push_back({name, std::move(*store), page->sessions.front().id});
    }
  std::sort(out.begin(), out.end(),
            [](StoredSession const& a, StoredSession const& b) { return a.name < b.name; });
  return out;
}

/// Messages of one role in a row are one message, and contents are arrays.
inline json joined_messages(json const& messages) {
  json out = json::array();
  for (json message : messages) {
    if (message.contains("content") && message["content"].is_string())
      message["content"] = json::array({{{"type", "text"}, {"text", message["content"]}}});
    bool const same = !out.empty() && message.contains("role") && out.back().contains("role")
                      && out.back()["role"] == message["role"]
                      && out.back().value("phase", "") == message.value("phase", "");
    if (same)
      for (json& piece : message["content"]) out.back()["content"].push_back(piece);
    else
      out.push_back(std::move(message));
  }
  return out;
}

/// What is sent of a context. A summary in the system text goes to the beginning of the first message.
inline json request_of(sessionkit::Context const& context, sessionkit::Target const& target) {
  namespace sk = sessionkit;
  auto const history = sk::HistoryRebuilder(target).rebuild(context);
  json messages = json::parse(sk::encode(history, target).messages);
  auto const* const body = context.compaction ? context.compaction->as<sk::Compaction>() : nullptr;
  if (body && target.wording.summary == sk::Wording::Summary::provider) {
    std::string const introduced = "The conversation history before this point was compacted into the "
                                   "following summary:\n\n<summary>\n"
                                   + body->summary + "\n</summary>";
    bool const responses = target.provider == sk::Provider::openai_responses;
    json first = {{"role", "user"},
                  {"content", {{{"type", responses ? "input_text" : "text"}, {"text", introduced}}}}};
    if (responses) first["type"] = "message";
    messages.insert(messages.begin(), first);
    for (json& message : messages) {
      if (!message.contains("content")) continue;
      auto& parts = message["content"];
      if (parts.is_array())
        parts.erase(std::remove_if(parts.begin(), parts.end(),
                                   [](json const& part) {
                                     return part.value("text", "") == "[earlier conversation summarised]";
                                   }),
                    parts.end());
    }
  }
  return joined_messages(messages);
}

/// What is sent of a session before it is exported to `exporter`'s program.
inline json request_before(StoredSession const& session, sessionkit::Exporter const& exporter,
                           sessionkit::Provider provider) {
  namespace sk = sessionkit;
  sk::Target target;
  if (session.program == exporter.name || exporter.name == "opencode")
    target = sk::target_of(*exporter.profile);
  target.provider = provider;
  return request_of(sk::load_context(*session.store, session.id).value(), target);
}

/// What is sent of the files of an export, imported again.
/// The document that opencode imports as the files in which it kept sessions (measured: 1.1.53).
inline std::map<std::string, std::string> opencode_files(std::string const& document) {
  json const all = json::parse(document);
  std::string const session = all["info"]["id"];
  std::map<std::string, std::string> files;
  files["storage/session/global/" + session + ".json"] = all["info"].dump();
  for (json const& message : all["messages"]) {
    std::string const id = message["info"]["id"];
    files["storage/message/" + session + '/' + id + ".json"] = message["info"].dump();
    for (json const& part : message["parts"]) {
      REQUIRE(part["messageID"] == id);
      files["storage/part/" + id + '/' + part["id"].get<std::string>() + ".json"] = part.dump();
    }
  }
  return files;
}

inline sessionkit::Log log_after(sessionkit::Exported const& exported, sessionkit::Importer const& importer) {
  namespace sk = sessionkit;
  std::map<std::string, std::string> contents;
  for (auto const& file : exported.files) contents[file.name] = file.content;
  std::string file = exported.files.front().name;
  if (&importer == &sk::opencode_importer()) {
    contents = opencode_files(exported.files.front().content);
    file = "storage/session/global/" + exported.id + ".json";
  }
  auto files = sk::make_foreign_files(contents);
  REQUIRE(sk::find_importer(sk::known_importers(), *files, file).value() == &importer);
  auto const sessions = importer.list(*files, file).value();
  REQUIRE(sessions.size() == 1);
  CHECK(sessions.front().id == exported.id);
  sk::ImportReport report;
  auto const log = sk::import_log(importer, *files, sessions.front(), {}, &report);
  INFO((log.ok() ? "" : log.error().message));
  REQUIRE(log.ok());
  CHECK(report.damage.empty());
  CHECK(report.losses.empty());
  return *log;
}

inline json request_after(sessionkit::Exported const& exported, sessionkit::Importer const& importer,
                          sessionkit::Provider provider) {
  sessionkit::Target target = sessionkit::target_of(*importer.profile);
  target.provider = provider;
  return request_of(context_of(log_after(exported, importer)), target);
}

/// Everything that entries say, without their ids and times: a line for each part, usage, title and summary.
inline std::vector<std::string> said_by(std::vector<sessionkit::Entry> const& entries) {
  namespace sk = sessionkit;
  std::vector<std::string> said;
  for (sk::Entry const& entry : entries) {
    if (auto const* const title = entry.as<sk::TitleChange>()) said.push_back("title " + title->title);
    if (auto const* const body = entry.as<sk::Compaction>()) said.push_back("summary " + body->summary);
    auto const* const message = entry.as<sk::Message>();
    auto const* const text = entry.as<sk::CustomMessage>();
    if (!message && !text) {
      if (!entry.as<sk::Header>() && !entry.as<sk::TitleChange>() && !entry.as<sk::Compaction>())
        said.push_back("entry of kind " + std::to_string(entry.body.index()));
      continue;
    }
    sk::Entry one = entry;
    one.id = sk::EntryId("e");
    one.link = sk::Parent::root;
    one.at = {};
    one.extra = {};
    std::string line;
    if (!sk::native_dialect().encode(one, line)) {
      said.push_back("content that native lines cannot represent");
      continue;
    }
    json native = json::parse(line);
    json const& holder = native.contains("message") ? native["message"] : native;
    std::string const kind = message ? holder.value("role", "") : "added " + text->type;
    std::string const by = message && message->generation ? message->generation->model : "";
    json content = holder.value("content", json::array());
    if (content.is_string()) content = json::array({{{"type", "text"}, {"text", content}}});
    for (json const& part : content) said.push_back(kind + ' ' + by + ' ' + part.dump());
    if (message && message->generation && message->generation->usage)
      said.push_back("usage " + std::to_string(message->generation->usage->input) + ' '
                     + std::to_string(message->generation->usage->output));
  }
  return said;
}

/// The first place where two requests differ.
inline std::string first_difference(json const& before, json const& after) {
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    std::string const a = i < before.size() ? before[i].dump() : "(none)";
    std::string const b = i < after.size() ? after[i].dump() : "(none)";
    if (a != b) return "message " + std::to_string(i) + "\n  before " + a + "\n  after  " + b;
  }
  return {};
}

}
