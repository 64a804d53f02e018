// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/channel_log.hpp>
#include <sessionkit/detail/upkeep/channel_log.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sk = sessionkit;
using namespace sessionkit_test;
using Json = nlohmann::json;
using Order = sk::ReadRange;

namespace {

sk::Channel const telegram{"telegram", "-10042"}, web{"web", "shop"};
sk::Timestamp const noon = sk::parse_rfc3339("2026-03-01T12:00:00Z").value();

// Fast, with a clock that advances a second each time and counted ids.
sk::ChannelLogOptions counting() {
  sk::ChannelLogOptions options;
  options.durable = false;
  options.clock = [at = noon]() mutable { return at += std::chrono::seconds(1); };
  options.ids = [n = 0]() mutable { return "id" + std::to_string(++n); };
  return options;
}

sk::ChannelMessage says(std::string sender, std::string content) {
  sk::ChannelMessage message{"user", std::move(content)};
  message.sender = std::move(sender);
  return message;
}

std::vector<Json> objects_in(std::string const& path) {
  std::vector<Json> all;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);)
    if (Json json = Json::parse(line, nullptr, false); json.is_object()) all.push_back(std::move(json));
  return all;
}

struct Walk {
  std::vector<std::string> contents;
  std::size_t damage = 0, pages = 0;
};
Walk walk(sk::ChannelLog log, sk::Channel const& channel, sk::ChannelQuery query) {
  Walk all;
  for (;;) {
    auto const page = log.read(channel, query).value();
    ++all.pages;
    all.damage += page.damage.size();
    REQUIRE(page.messages.size() <= query.limit);
    for (auto const& message : page.messages) all.contents.push_back(message.content);
    if (!page.more) return all;
    query.from = page.next;
  }
}

void append_bytes(std::string const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

}

TEST_CASE("a message in a channel is stored in its file with the members that ai-panel reads") {
  TempDir const dir;
  auto log = sk::ChannelLog::open_agent(dir.path(), "xiuliu", counting()).value();
  log.append(telegram, says("Ada (7)", "h\xC3\xA9llo \"you\"\n")).value();
  sk::ChannelMessage answer{"assistant", "hi"};
  answer.at = noon;
  answer.id = "mine";
  answer.extra = sk::RawJson::parse(R"({"model":"m","content":"not this"})").value();
  log.append(telegram, answer).value();
  auto const lines = objects_in(dir.path() + "/agents/xiuliu/convlogs/telegram--10042.jsonl");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]
        == Json{{"ts", "2026-03-01T12:00:01.000Z"},
                {"role", "user"},
                {"content", "h\xC3\xA9llo \"you\"\n"},
                {"channelId", "telegram--10042"},
                {"channelType", "telegram"},
                {"sender", "Ada (7)"},
                {"id", "id1"}});
  CHECK(lines[1]
        == Json{{"ts", "2026-03-01T12:00:00.000Z"},
                {"role", "assistant"},
                {"content", "hi"},
                {"channelId", "telegram--10042"},
                {"channelType", "telegram"},
                {"id", "mine"},
                {"model", "m"}});
  auto const page = log.read(telegram).value();
  REQUIRE(page.messages.size() == 2);
  CHECK(page.messages[0].id == "mine");
  CHECK(page.messages[0].extra.str() == R"({"model":"m"})");
  CHECK(page.messages[1].sender == "Ada (7)");
  CHECK(page.messages[1].at == noon + std::chrono::seconds(1));
}

TEST_CASE("lines that ai-panel wrote are read, and its file is continued") {
  TempDir const dir;
  std::string const file = dir.path() + "/web-a b.jsonl";
  write_file(
      file,
      R"({"ts":"2026-02-20T10:00:00Z","role":"user","content":"q","channelId":"web-a b","channelType":"web","sender":"visitor"})"
      "\n"
      R"({"ts":"2026-02-20T10:00:03Z","role":"assistant","content":"a","channelId":"web-a b","channelType":"web","media":[1]})"
      "\n");
  auto log = sk::ChannelLog::open(dir.path(), counting()).value();
  sk::Channel const channel{"web", "a b"};
  auto const page = log.read(channel).value();
  REQUIRE(page.messages.size() == 2);
  CHECK(page.messages[0].content == "a");
  CHECK(page.messages[0].extra.str() == R"({"media":[1]})");
  CHECK(page.messages[1].at == sk::parse_rfc3339("2026-02-20T10:00:00Z").value());
  log.append(channel, says("visitor", "again")).value();
  CHECK(objects_in(file).size() == 3);
  auto const all = log.list().value();
  REQUIRE(all.size() == 1);
  CHECK(all[0].channel == channel);
  CHECK(all[0].messages == 3);
  CHECK(all[0].first == page.messages[1].at);
  CHECK(all[0].last == noon + std::chrono::seconds(1));
  CHECK(all[0].bytes == std::filesystem::file_size(file));
}

TEST_CASE("pages of any size show each message of a channel once, in both orders") {
  TempDir const dir;
  auto log = sk::ChannelLog::open(dir.path(), counting()).value();
  std::vector<std::string> said, ada;
  for (int i = 0; i < 600; ++i) {
    bool const by_ada = i % 7 == 0;
    said.push_back(std::to_string(i));
    if (by_ada) ada.push_back(said.back());
    log.append(web, says(by_ada ? "ada" : "bob", said.back())).value();
    if (i == 300) append_bytes(dir.path() + "/web-shop.jsonl", "damage\n");
  }
  for (std::size_t const limit : {1U, 3U, 256U, 257U, 1000U})
    for (auto const order : {Order::oldest_first, Order::newest_first}) {
      INFO(limit << (order == Order::oldest_first ? " oldest first" : " newest first"));
      auto expected = said, by_ada = ada;
      if (order == Order::newest_first) {
        std::reverse(expected.begin(), expected.end());
        std::reverse(by_ada.begin(), by_ada.end());
      }
      sk::ChannelQuery query{order, {}, limit};
      auto const all = walk(log, web, query);
      CHECK(all.contents == expected);
      CHECK(all.damage == 1);
      query.sender = "ada";
      auto const hers = walk(log, web, query);
      CHECK(hers.contents == by_ada);
      CHECK(hers.damage == 1);
    }
  CHECK(log.read(web, {Order::newest_first, {}, 0}).error().code == sk::Errc::invalid_argument);
  CHECK(log.read(telegram).error().code == sk::Errc::not_found);
}

TEST_CASE("torn bytes of a channel are terminated, kept, and hide nothing") {
  TempDir const dir;
  std::vector<sk::Event> events;
  auto options = counting();
  options.on_event = [&](sk::Event const& event) { events.push_back(event); };
  auto log = sk::ChannelLog::open(dir.path(), options).value();
  log.append(web, says("a", "before")).value();
  std::string const file = dir.path() + "/web-shop.jsonl",
                    torn = R"({"ts":"2026-02-20T10:00:00Z","role":"us)";
  append_bytes(file, torn);
  CHECK(log.read(web).value().messages.size() == 1);
  log.append(web, says("a", "after")).value();
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == sk::Event::tail_sealed);
  CHECK(events[0].session == "web-shop");
  CHECK(read_file(file).find(torn + "\n{") != std::string::npos);
  auto const page = log.read(web).value();
  REQUIRE(page.messages.size() == 2);
  CHECK(page.messages[0].content == "after");
  CHECK(page.damage.size() == 1);
  CHECK(log.list().value()[0].damaged == 1);
}

TEST_CASE("a channel may have any name and stays in its folder, in a file of its own") {
  TempDir const dir;
  std::string const folder = dir.path() + "/convlogs";
  auto log = sk::ChannelLog::open(folder, counting()).value();
  std::vector<std::string> const ids{
      "../../escape",          "..",        ".",    "a/b",          "a-b", "a\\b", "a%2Fb", "a%b",
      std::string("nul\0", 4), "line\nend", "\x7F", "\xE7\xBE\xA4", "%"};
  for (auto const& id : ids) log.append({"web", id}, says("s", id)).value();
  for (auto const& id : ids) {
    auto const page = log.read({"web", id}).value();
    REQUIRE(page.messages.size() == 1);
    CHECK(page.messages[0].content == id);
  }
  std::set<std::string> listed;
  for (auto const& row : log.list().value()) listed.insert(row.channel.id);
  CHECK(listed == std::set<std::string>(ids.begin(), ids.end()));
  std::size_t files = 0;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(dir.path()))
    files += entry.is_regular_file() ? 1U : 0U;
  CHECK(files == ids.size());
  for (sk::Channel const& bad : {sk::Channel{"", "x"}, {"web", ""}, {"a-b", "x"}, {"a/b", "x"}, {"..", "x"}})
    CHECK(log.append(bad, says("s", "x")).error().code == sk::Errc::invalid_argument);
  CHECK(log.append({"web", std::string(300, 'x')}, says("s", "x")).error().code
        == sk::Errc::invalid_argument);
  sk::ChannelMessage wrong = says("s", "x");
  wrong.extra = sk::RawJson::parse("[1]").value();
  CHECK(log.append(web, wrong).error().code == sk::Errc::invalid_argument);
}

TEST_CASE("files without a channel's name are not channels") {
  TempDir const dir;
  for (char const* const name :
       {"notes.txt", "plain.jsonl", "-x.jsonl", "web-.jsonl", "web-50%.jsonl", "web-a%2fb.jsonl"})
    write_file(dir.path() + "/" + name, "{\"role\":\"user\"}\n");
  std::filesystem::create_directory(dir.path() + "/web-folder.jsonl");
  std::filesystem::create_symlink("notes.txt", dir.path() + "/web-link.jsonl");
  auto log = sk::ChannelLog::open(dir.path(), counting()).value();
  std::vector<std::string> names;
  for (auto const& row : log.list().value()) names.push_back(row.channel.name());
  CHECK(names.empty());
  CHECK(log.append({"web", "link"}, says("s", "x")).error().code == sk::Errc::unsafe_path);
}

TEST_CASE("nothing of a channel is in a session, a list or a history of its agent") {
  TempDir const dir;
  auto log = sk::ChannelLog::open_agent(dir.path(), "main", counting()).value();
  auto store = sk::open_agent_store(dir.path(), "main").value();
  log.append(web, says("visitor", "secret")).value();
  auto session = sk::Session::create(store).value();
  session.append(sk::user("open")).value();
  CHECK(store->list({}).value().sessions.size() == 1);
  CHECK(session.request({sk::Provider::anthropic}).value().messages.find("secret") == std::string::npos);
  CHECK(sk::ChannelLog::open_agent(dir.path(), "../x").error().code == sk::Errc::invalid_argument);
}

TEST_CASE("folders and files of channels are accessible to their owner only") {
  TempDir const dir;
  std::string const folder = dir.path() + "/new/convlogs";
  auto options = counting();
  options.create = false;
  CHECK(sk::ChannelLog::open(folder, options).error().code == sk::Errc::not_found);
  mode_t const before = ::umask(0);
  auto log = sk::ChannelLog::open(folder, counting()).value();
  log.append(web, says("s", "x")).value();
  ::umask(before);
  auto const mode_of = [](std::string const& path) {
    struct stat s;
    REQUIRE(::stat(path.c_str(), &s) == 0);
    return s.st_mode & 07777U;
  };
  CHECK(mode_of(folder) == 0700U);
  CHECK(mode_of(folder + "/web-shop.jsonl") == 0600U);
}

TEST_CASE("messages that many threads and processes store at once are all kept, each once") {
  TempDir const dir;
  constexpr int writers = 4, each = 60;
  sk::ChannelLogOptions options;
  options.durable = false;
  auto const write = [&](int first) {
    auto log = sk::ChannelLog::open(dir.path(), options).value();
    std::vector<std::thread> threads;
    for (int t = first; t < first + writers / 2; ++t)
      threads.emplace_back([log, t]() mutable {
        for (int i = 0; i < each; ++i) {
          auto message = says(std::to_string(t), "the same");
          message.at = noon;
          log.append(web, message).value();
        }
      });
    for (auto& thread : threads) thread.join();
  };
  pid_t const child = ::fork();
  if (child == 0) {
    write(0);
    ::_exit(0);
  }
  write(writers / 2);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  auto log = sk::ChannelLog::open(dir.path(), options).value();
  for (int t = 0; t < writers; ++t)
    CHECK(walk(log, web, {Order::oldest_first, {}, 7, std::to_string(t)}).contents.size() == each);
  CHECK(log.list().value()[0].damaged == 0);
}

TEST_CASE("a message is stored at once, however often others write to its channel first") {
  TempDir const dir;
  FaultyFileOps ops;
  auto log = sk::ChannelLogAccess::open(ops, dir.path(), counting()).value();
  auto other = sk::ChannelLog::open(dir.path(), counting()).value();
  log.append(web, says("s", "first")).value();
  ops.before = [&](Call call) {
    if (call == Call::lock) other.append(web, says("o", "between")).value();
  };
  log.append(web, says("s", "second")).value();
  ops.before = {};
  CHECK(walk(log, web, {Order::oldest_first, {}, 10}).contents
        == std::vector<std::string>{"first", "between", "second"});
}

TEST_CASE("a forked process opens its own channel log") {
  TempDir const dir;
  FaultyFileOps ops;
  auto log = sk::ChannelLogAccess::open(ops, dir.path(), counting()).value();
  ops.pretend_process = 1;
  CHECK(log.append(web, says("s", "x")).error().code == sk::Errc::forked);
}

TEST_CASE("whatever call fails, an acknowledged message is stored and a stored one is complete") {
  for (int const error : {EIO, ENOSPC, EINTR})
    for (bool const exists : {false, true})
      for (std::int64_t at = 0;; ++at) {
        TempDir const dir;
        FaultyFileOps ops;
        auto options = counting();
        options.durable = true;
        auto log = sk::ChannelLogAccess::open(ops, dir.path(), options).value();
        if (exists) log.append(web, says("s", "first")).value();
        ops.reset();
        ops.fault = {at, error, error != EINTR};
        auto const stored = log.append(web, says("s", "second"));
        bool const fired = ops.fired > 0;
        ops.fault = {};
        INFO(error << " at call " << at << (exists ? ", in a file" : ", in a new file"));
        auto reader = sk::ChannelLog::open(dir.path(), options).value();
        auto const page = reader.read(web);
        std::size_t const count = page ? page->messages.size() : 0;
        std::size_t const before = exists ? 1 : 0;
        if (stored) CHECK(count == before + 1);
        if (stored && page) CHECK(page->messages[0].content == "second");
        CHECK((count == before || count == before + 1));
        if (!stored && count == before + 1)
          CHECK((stored.error().code == sk::Errc::outcome_unknown
                 || stored.error().code == sk::Errc::poisoned));
        if (!fired) {
          CHECK(stored.ok());
          break;
        }
      }
}

TEST_CASE("a disk that takes half of a message leaves the channel intact and usable") {
  TempDir const dir;
  FaultyFileOps ops;
  auto log = sk::ChannelLogAccess::open(ops, dir.path(), counting()).value();
  log.append(web, says("s", "first")).value();
  ops.reset();
  ops.fault = {0, ENOSPC, false, true};
  ops.only = Call::write;
  CHECK(log.append(web, says("s", "lost")).error().code == sk::Errc::no_space);
  ops.fault = {};
  log.append(web, says("s", "second")).value();
  CHECK(walk(log, web, {Order::oldest_first, {}, 10}).contents
        == std::vector<std::string>{"first", "second"});
}
