// SPDX-License-Identifier: MIT
// Opening a session again: finding the path, and making the request from it.
#include "cases.hpp"
#include "limits.hpp"

#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/sessionkit.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <memory>
#include <string>
#include <utility>

namespace sessionkit_bench {

namespace sk = sessionkit;
using nlohmann::json;

namespace {

std::shared_ptr<sk::SessionStore> open_file(std::string const& path) {
  return value_of(sk::open_transcript(path), "open");
}

/// Finds the records from the leaf to the first kept one, heads only, and returns their number.
std::size_t locate(sk::SessionStore& store, sk::SessionId const& id) {
  std::size_t records = 0;
  std::string first_kept;
  auto const walked = sk::detail::walk_path(
      store, id, {},
      [&](sk::RecordPage const& page, sk::RecordPage::Item const& item) {
        ++records;
        if (item.type == "compaction" && first_kept.empty()) {
          auto const entry = value_of(sk::decode(page, item), "decode");
          first_kept = entry.as<sk::Compaction>()->first_kept.str();
        }
        return item.id != first_kept;
      },
      {}, true);
  require(walked.ok(), "the path was not found");
  return records;
}

std::string request(std::shared_ptr<sk::SessionStore> const& store, sk::SessionId const& id) {
  auto session = value_of(sk::Session::open(store, id), "open");
  return value_of(session.request({sk::Provider::anthropic}), "request").messages;
}

/// The tail read once more by offset, parsed, built and dumped.
std::string nlohmann_request(std::string const& path, MadeTranscript const& made, std::string& buffer) {
  read_tail(path, made.bytes - made.kept, made.kept, buffer);
  json messages = json::array();
  bool results = false;
  for (std::string_view rest = buffer; !rest.empty();) {
    std::size_t const end = rest.find('\n');
    json entry = json::parse(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (entry["type"] != "message") continue;
    json& message = entry["message"];
    std::string const role = message["role"].get<std::string>();
    json content = json::array();
    if (role == "toolResult") {
      json block{{"type", "tool_result"},
                 {"tool_use_id", std::move(message["toolCallId"])},
                 {"content", std::move(message["content"])}};
      if (message["isError"] == true) block["is_error"] = true;
      if (!results) messages.push_back({{"role", "user"}, {"content", json::array()}});
      messages.back()["content"].push_back(std::move(block));
      results = true;
      continue;
    }
    for (json& part : message["content"]) {
      if (part["type"] == "thinking")
        part = {{"type", "thinking"},
                {"thinking", std::move(part["thinking"])},
                {"signature", std::move(part["thinkingSignature"])}};
      if (part["type"] == "toolCall")
        part = {{"type", "tool_use"},
                {"id", std::move(part["id"])},
                {"name", std::move(part["name"])},
                {"input", std::move(part["arguments"])}};
      content.push_back(std::move(part));
    }
    if (results && role == "user") {
      for (json& part : content) messages.back()["content"].push_back(std::move(part));
    } else {
      messages.push_back({{"role", role}, {"content", std::move(content)}});
    }
    results = false;
  }
  return messages.dump();
}

}

sk::SessionId const& made_id() {
  static sk::SessionId const id = value_of(sk::SessionId::parse(made_session_id), "id");
  return id;
}

void measure_resume(Workbench& bench) {
  MadeTranscript const& made = bench.transcript(10, true);
  auto const store = open_file(made.path);
  sk::SessionId const& id = made_id();
  std::string buffer, spliced;
  std::string const ours = request(store, id);
  std::string const theirs = nlohmann_request(made.path, made, buffer);
  require(json::parse(ours) == json::parse(theirs), "our request and nlohmann's differ");
  splice_request(made.path, made.bytes - made.kept, made.kept, buffer, spliced);
  require(json::parse(spliced) == json::parse(theirs), "the spliced request and nlohmann's differ");

  Contest contest;
  auto const limit = contest.add_one("pread of the kept tail", [&] {
    read_tail(made.path, made.bytes - made.kept, made.kept, buffer);
    keep(buffer);
  });
  auto const located = contest.add_one("path located", [&] { keep(locate(*store, id)); });
  auto const opened = contest.add_one("store and session opened, path located", [&] {
    auto const fresh = open_file(made.path);
    keep(locate(*fresh, id));
  });
  auto const body = contest.add_one("request body", [&] { keep(request(store, id)); });
  auto const raw = contest.add_one("raw slices", [&] {
    splice_request(made.path, made.bytes - made.kept, made.kept, buffer, spliced);
    keep(spliced);
  });
  auto const dom = contest.add_one("nlohmann", [&] { keep(nlohmann_request(made.path, made, buffer)); });
  contest.run();

  bench.reported("resume.located", "path found, over pread of the kept tail", contest, located, limit, 3);
  bench.reported("resume.opened", "the same with the file opened as a store first", contest, opened, limit);
  bench.reported("resume.body", "session opened and Anthropic body made, over pread of the kept tail",
                 contest, body, limit);
  bench.reported("resume.slices", "body of raw slices without any rule, over pread of the kept tail", contest,
                 raw, limit);
  bench.reported("resume.body_slices", "body, over that of raw slices", contest, body, raw);
  bench.report_speed("resume.body_nlohmann", "body, speed over nlohmann parse, build and dump", contest, body,
                     dom, 8);
}

void measure_resume_size(Workbench& bench) {
  MadeTranscript const& small = bench.transcript(10, true);
  MadeTranscript const& large = bench.transcript(bench.quick() ? 100 : 1000, true);
  auto const small_store = open_file(small.path), large_store = open_file(large.path);
  sk::SessionId const& id = made_id();
  Contest contest;
  auto const a = contest.add_one("small", [&] { keep(locate(*small_store, id)); });
  auto const b = contest.add_one("large", [&] { keep(locate(*large_store, id)); });
  auto const c = contest.add_one("small, body", [&] { keep(request(small_store, id)); });
  auto const d = contest.add_one("large, body", [&] { keep(request(large_store, id)); });
  contest.run();
  std::string const sizes = std::to_string(large.bytes / 1'000'000) + " MB over 10 MB, equal tail";
  bench.reported("resume.size", "path found, " + sizes, contest, b, a, 1.3);
  bench.reported("resume.size_body", "body made, " + sizes, contest, d, c, 1.3);
}

void measure_next_request(Workbench& bench) {
  MadeTranscript const& made = bench.transcript(10, true);
  MadeTranscript const& long_one = bench.transcript(10, false); // without a compaction
  sk::SessionId const& id = made_id();
  sk::Target const target{sk::Provider::anthropic};
  Contest contest;
  auto const compare = [&](MadeTranscript const& from, std::string const& name) {
    std::string const path = bench.memory_path(name + ".jsonl"); // the turns are appended to a copy
    std::ofstream(path, std::ios::binary) << read_from(from.path, 0);
    auto const session =
        std::make_shared<sk::Session>(value_of(sk::Session::open(open_file(path), id), "open"));
    value_of(session->request_pieces(target), "request");
    auto const next = contest.add(
        name + ", next",
        [=](std::size_t) { keep(value_of(session->request_pieces(target), "request").added); }, 1,
        [=] {
          value_of(session->append(sk::assistant(message_text())), "append");
          value_of(session->append(sk::user(message_text())), "append");
        });
    auto const store = open_file(from.path);
    auto const first = contest.add_one(name + ", first", [=] { keep(request(store, id)); });
    return std::pair(next, first);
  };
  auto const kept = compare(made, "compacted"), whole = compare(long_one, "whole");
  contest.run();
  bench.reported("resume.next", "request after one turn, over the first request of 172 kB", contest,
                 kept.first, kept.second);
  bench.reported("resume.next_whole", "the same over the first request of 10 MB", contest, whole.first,
                 whole.second);
  bench.report_time("resume.next_time", "request after one turn, 172 kB", contest, kept.first, 0.005);
  bench.report_time("resume.next_whole_time", "the same, 10 MB", contest, whole.first, 0.04);
}

void measure_whole_path(Workbench& bench) {
  MadeTranscript const& made = bench.transcript(100, false);
  auto const store = open_file(made.path);
  sk::SessionId const& id = made_id();
  require(locate(*store, id) == made.entries, "the whole path was not found");
  std::string buffer;
  Contest contest(15);
  auto const limit = contest.add_one("read()", [&] { keep(read_whole(made.path, buffer)); });
  auto const path = contest.add_one("path", [&] { keep(locate(*store, id)); });
  auto const context = contest.add_one(
      "context", [&] { keep(value_of(sk::load_context(*store, id), "context").entries.size()); });
  contest.run();
  bench.reported("path.whole", "100 MB without a compaction: whole path found, over read() of the file",
                 contest, path, limit, 1.5);
  bench.reported("path.whole_decoded", "the same with each entry decoded", contest, context, limit);
}

void measure_verify(Workbench& bench) {
  unsigned const megabytes = bench.quick() ? 100 : 1000;
  MadeTranscript const& made = bench.transcript(megabytes, true);
  std::string buffer;
  Contest contest(bench.quick() ? 15 : 7);
  auto const limit = contest.add_one("read()", [&] { keep(read_whole(made.path, buffer)); });
  auto const verify = contest.add_one("verify", [&] {
    auto reader = value_of(sk::TranscriptReader::open(made.path), "open");
    require(value_of(reader.verify(), "verify").empty(), "verify found damage");
  });
  contest.run();
  bench.report_speed("verify", std::to_string(made.bytes / 1'000'000) + " MB, speed over read() of the file",
                     contest, verify, limit, 0.4);
}

}
