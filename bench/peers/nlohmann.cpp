// SPDX-License-Identifier: MIT
// The operations of run.py as a C++ host writes them by hand with nlohmann's library: lines of JSON in one
// file for each session, each line dumped and written to a kept descriptor, all lines parsed for a history.
#include "peer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace sessionkit_bench;
using nlohmann::json;

std::vector<json> parse_lines(std::string const& path) {
  std::ifstream file(path);
  require(file.good(), path + ": cannot read");
  std::vector<json> entries;
  for (std::string line; std::getline(file, line);) entries.push_back(json::parse(line));
  return entries;
}

json content_of(std::string const& text) { return json::array({{{"type", "text"}, {"text", text}}}); }

/// From the leaf to the first kept entry, and then in the order of the conversation.
json messages_of(std::vector<json> entries) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < entries.size(); ++i) places[entries[i]["id"].get<std::string>()] = i;
  std::vector<std::size_t> path;
  std::string first_kept;
  for (std::size_t at = entries.size() - 1;;) {
    path.push_back(at);
    json const& entry = entries[at];
    if (entry["type"] == "compaction" && first_kept.empty())
      first_kept = entry["firstKeptEntryId"].get<std::string>();
    if (entry["id"] == first_kept || !entry.contains("parentId") || entry["parentId"].is_null()) break;
    at = places.at(entry["parentId"].get<std::string>());
  }
  json messages = json::array();
  for (auto at = path.rbegin(); at != path.rend(); ++at)
    if (json& entry = entries[*at]; entry["type"] == "message") {
      json& message = entry["message"];
      messages.push_back({{"role", std::move(message["role"])}, {"content", std::move(message["content"])}});
    }
  return messages;
}

int history(PeerRequest const& request) {
  auto const begin = PeerClock::now();
  std::string const body = messages_of(parse_lines(request.target)).dump();
  keep(body);
  return print_result(begin, body.size());
}

int next(PeerRequest const& request) {
  json messages = messages_of(parse_lines(request.target));
  messages.push_back({{"role", "user"}, {"content", content_of(message_text())}});
  auto const begin = PeerClock::now();
  std::string const body = messages.dump();
  keep(body);
  return print_result(begin, body.size());
}

int append_as(PeerRequest const& request, bool durable) {
  std::string const path = request.target + "/by-hand.jsonl", text = message_text();
  int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  require(file >= 0, path + ": cannot make the file");
  json parent;
  auto const begin = PeerClock::now();
  for (std::size_t i = 0; i < request.count; ++i) {
    std::string const id = entry_id(static_cast<std::uint32_t>(i + 1));
    json const entry{{"type", "message"},
                     {"id", id},
                     {"parentId", parent},
                     {"timestamp", std::chrono::system_clock::now().time_since_epoch().count()},
                     {"message", {{"role", "user"}, {"content", content_of(text)}}}};
    std::string const line = entry.dump() + '\n';
    require(::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()), "cannot write");
    if (durable) require(::fdatasync(file) == 0, "cannot sync");
    parent = id;
  }
  int const printed = print_result(begin, request.count);
  ::close(file);
  return printed;
}

int append(PeerRequest const& request) { return append_as(request, false); }
int append_durable(PeerRequest const& request) { return append_as(request, true); }

/// Sorts the files by their times, and parses as many as are shown. 0: all.
int list(PeerRequest const& request) {
  auto const begin = PeerClock::now();
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (auto const& file : fs::directory_iterator(request.target))
    if (file.path().extension() == ".jsonl") files.emplace_back(file.last_write_time(), file.path());
  std::sort(files.rbegin(), files.rend());
  if (request.count != 0) files.resize(std::min(files.size(), request.count));
  std::vector<json> rows;
  rows.reserve(files.size());
  for (auto const& [time, path] : files) {
    std::vector<json> const entries = parse_lines(path.string());
    rows.push_back({{"id", entries.front()["id"]},
                    {"updated", entries.back()["timestamp"]},
                    {"first", entries[1]["message"]["content"]},
                    {"messages", entries.size() - 1}});
  }
  return print_result(begin, rows.size());
}

constexpr std::array<PeerOperation, 5> operations{{{"append", append},
                                                   {"append_durable", append_durable},
                                                   {"history", history},
                                                   {"next", next},
                                                   {"list", list}}};

}

int main(int count, char** words) { return run_peer(operations, count, words); }
