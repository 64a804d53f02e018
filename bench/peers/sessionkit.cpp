// SPDX-License-Identifier: MIT
// sessionkit_peer: the operations of run.py with the library. It links the same as a host with files, and no
// database. It also makes the files that other programs read with it.
#include "peer.hpp"

#include <sessionkit/search.hpp>
#include <sessionkit/sessionkit.hpp>

#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <vector>

#include <sys/resource.h>

namespace {

namespace sk = sessionkit;
using namespace sessionkit_bench;

constexpr sk::Provider provider = sk::Provider::anthropic;
constexpr char const* rare_word = "velvetcandle";

sk::Session open_session(std::string const& file) {
  auto const store = value_of(sk::open_transcript(file), "open");
  return value_of(sk::Session::open(store, value_of(sk::SessionId::parse(made_session_id), "id")), "open");
}

int history(PeerRequest const& request) {
  auto const begin = PeerClock::now();
  auto session = open_session(request.target);
  auto const parts = value_of(session.request({provider}), "request");
  keep(parts.messages);
  return print_result(begin, parts.messages.size());
}

/// A turn of a host that has made requests before: the request after one more question.
template <class Request> int next_request(PeerRequest const& asked, Request request) {
  auto session = open_session(asked.target);
  for (int before = 0; before < 2; ++before) {
    request(session);
    value_of(session.append(sk::assistant("ok")), "append");
    value_of(session.append(sk::user(message_text())), "append");
  }
  auto const begin = PeerClock::now();
  std::size_t const bytes = request(session);
  return print_result(begin, bytes);
}

int next(PeerRequest const& request) {
  return next_request(request, [](sk::Session const& session) {
    auto const parts = value_of(session.request({provider}), "request");
    keep(parts.messages);
    return parts.messages.size();
  });
}

int next_pieces(PeerRequest const& request) {
  return next_request(request, [](sk::Session const& session) {
    auto const pieces = value_of(session.request_pieces({provider}), "request");
    keep(pieces.added);
    return pieces.kept.size() + pieces.added.size();
  });
}

int list(PeerRequest const& request) {
  auto const begin = PeerClock::now();
  auto const store = value_of(sk::open_file_store(request.target), "open");
  sk::ListQuery query;
  query.limit = request.count != 0 ? request.count : std::numeric_limits<std::size_t>::max();
  return print_result(begin, value_of(store->list(query), "list").sessions.size());
}

int append_as(PeerRequest const& request, sk::Durability durability) {
  sk::FileStoreOptions options;
  options.durability = durability;
  auto const store = value_of(sk::open_file_store(request.target, options), "open");
  auto session = value_of(sk::Session::create(store), "create");
  sk::Message const message = sk::user(message_text());
  auto const begin = PeerClock::now();
  for (std::size_t i = 0; i < request.count; ++i) value_of(session.append(message), "append");
  return print_result(begin, request.count);
}

int append(PeerRequest const& request) { return append_as(request, sk::Durability::turn); }
int append_durable(PeerRequest const& request) { return append_as(request, sk::Durability::entry); }

int search(PeerRequest const& request) {
  auto const begin = PeerClock::now();
  auto const store = value_of(sk::open_file_store(request.target), "open");
  sk::ListQuery query;
  query.limit = std::numeric_limits<std::size_t>::max();
  std::vector<sk::SessionId> ids;
  for (auto const& info : value_of(store->list(query), "list").sessions) ids.push_back(info.id);
  return print_result(begin, value_of(sk::search(*store, ids, {rare_word}), "search").hits.size());
}

int verify(PeerRequest const& request) {
  auto const begin = PeerClock::now();
  auto reader = value_of(sk::TranscriptReader::open(request.target), "open");
  return print_result(begin, value_of(reader.verify(), "verify").size());
}

/// Messages of one line each in the native dialect, with a time of their own.
class Writer {
 public:
  Writer(std::string const& path, std::string const& id, sk::Timestamp start) : file_(path), at_(start) {
    file_ << R"({"type":"session","version":3,"id":")" << id << R"(","timestamp":")" << sk::to_rfc3339(start)
          << R"(","cwd":"/home/u/proj"})"
          << "\n";
  }
  void add(sk::EntryBody body) {
    sk::Entry entry;
    entry.id = sk::EntryId(entry_id(++written_));
    entry.link = written_ == 1 ? sk::Parent::root : sk::Parent::entry;
    if (written_ > 1) entry.parent = sk::EntryId(entry_id(written_ - 1));
    entry.at = at_;
    entry.body = std::move(body);
    line_.clear();
    require(sk::native_dialect().encode(entry, line_).ok(), "cannot write the line");
    file_ << line_ << '\n';
    at_ += std::chrono::milliseconds(1);
  }
  void add_message() { add(written_ % 2 == 0 ? sk::user(text_) : sk::assistant(text_)); }
  /// Keeps that many of the messages before it.
  void add_compaction(std::uint32_t kept) {
    sk::Compaction compaction;
    compaction.summary = text_;
    compaction.first_kept = sk::EntryId(entry_id(written_ + 1 - kept));
    add(std::move(compaction));
  }

 private:
  std::ofstream file_;
  sk::Timestamp at_;
  std::string const text_ = message_text();
  std::string line_;
  std::uint32_t written_ = 0;
};

constexpr sk::Timestamp first_day{std::chrono::milliseconds(1767600000000)};

/// `size` messages are kept by a compaction near the end; 0: there is none.
int make_history(PeerRequest const& request) {
  Writer writer(request.target, std::string(made_session_id), first_day);
  for (std::size_t i = 0; i < request.count; ++i) writer.add_message();
  if (request.size != 0) writer.add_compaction(static_cast<std::uint32_t>(request.size));
  return 0;
}

/// Sessions of `size` messages each.
int make_list(PeerRequest const& request) {
  for (std::size_t i = 0; i < request.count; ++i) {
    char id[40];
    std::snprintf(id, sizeof id, "6f1d2c3b-0000-4000-8000-%012u", static_cast<unsigned>(i));
    Writer writer(request.target + "/2026-01-05T08-00-00-000Z_" + id + ".jsonl", id,
                  first_day + std::chrono::seconds(i));
    for (std::size_t message = 0; message < request.size; ++message) writer.add_message();
  }
  return 0;
}

/// Writes the index of a store whose sessions other programs made; a list alone writes none.
int index_store(PeerRequest const& request) {
  value_of(sk::reindex_file_store(request.target), "reindex");
  return 0;
}

/// A transcript of `count` million bytes like that of a coding agent, with a compaction near its end.
int make_transcript_of(PeerRequest const& request) {
  make_transcript(request.target, std::uint64_t{request.count} * 1'000'000, kept_tail);
  return 0;
}

/// Sessions of a million bytes each; one of them has the rare word.
int make_search(PeerRequest const& request) {
  for (std::size_t i = 0; i < request.count; ++i) make_session(request.target, i, 1'000'000);
  for (auto const& file : std::filesystem::directory_iterator(request.target)) {
    std::ofstream(file.path(), std::ios::app)
        << R"({"type":"message","id":"ffffffff","parentId":null,"timestamp":"2026-01-06T00:00:00.000Z",)"
        << R"("message":{"role":"user","content":"a )" << rare_word << "\"}}\n";
    break;
  }
  return 0;
}

/// Another program from its start to its end, as a command of the shell.
int run_command(PeerRequest const& request) {
  auto const begin = PeerClock::now();
  int const status = std::system(request.target.c_str()); // NOLINT(concurrency-mt-unsafe,cert-env33-c)
  double const ms = std::chrono::duration<double, std::milli>(PeerClock::now() - begin).count();
  if (status != 0) fail("Error: exit status " + std::to_string(status));
  struct rusage used {};
  require(::getrusage(RUSAGE_CHILDREN, &used) == 0, "no figures of the command");
  std::printf("{\"ms\":%.6f,\"count\":0,\"peak_kib\":%ld}\n", ms, used.ru_maxrss);
  return 0;
}

int text(PeerRequest const&) { return std::fputs(message_text().c_str(), stdout) < 0 ? 1 : 0; }

constexpr std::array<PeerOperation, 15> operations{{{"append", append},
                                                    {"append_durable", append_durable},
                                                    {"history", history},
                                                    {"next", next},
                                                    {"next_pieces", next_pieces},
                                                    {"list", list},
                                                    {"search", search},
                                                    {"verify", verify},
                                                    {"make_history", make_history},
                                                    {"make_list", make_list},
                                                    {"make_transcript", make_transcript_of},
                                                    {"make_search", make_search},
                                                    {"index", index_store},
                                                    {"run", run_command},
                                                    {"text", text}}};

}

int main(int count, char** words) { return run_peer(operations, count, words); }
