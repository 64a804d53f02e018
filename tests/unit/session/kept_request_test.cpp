// SPDX-License-Identifier: MIT
// A session keeps the encoded request of before, and drops it when it no longer holds.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/logs.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/session/kept_request.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;

namespace {

sk::Target to_anthropic() {
  sk::Target target;
  target.system = "be brief";
  return target;
}

/// A session of some turns, each of which uses a tool. In turn `again`, the result is that of the first call.
sk::Session talk(std::shared_ptr<sk::SessionStore> store, int turns, sk::SessionOptions options = {},
                 int again = -1) {
  auto session = sk::Session::create(std::move(store), {}, std::move(options)).value();
  for (int i = 0; i < turns; ++i) {
    std::string const number = std::to_string(i);
    sk::ToolUse call{"call" + number, "read", sk::RawJson::from("{}")};
    session.append(sk::user("ask " + number + std::string(300, 'x'))).value();
    session.append(sk::assistant("look", call)).value();
    if (i == again) call.id = "call0";
    session.append(sk::tool_result(call, "found " + std::string(300, 'y'))).value();
    session.append(sk::assistant("so it is " + number)).value();
  }
  return session;
}

/// The bytes that were kept. The request is the one that is made from nothing.
std::size_t kept_bytes(sk::Session const& session, sk::Target const& target = to_anthropic()) {
  sk::RequestParts const expected = sk::encode(session.history(target).value(), target);
  sk::RequestPieces const pieces = session.request_pieces(target).value();
  CHECK(pieces.system == expected.system);
  CHECK(std::string(pieces.kept) + pieces.added == expected.messages);
  return pieces.kept.size();
}

}

TEST_CASE("a request after one turn reads and encodes only this turn") {
  TempDir dir;
  FaultyFileOps ops;
  std::shared_ptr<sk::SessionStore> const store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  auto session = talk(store, 300);
  ops.reset();
  std::string const first = session.request(to_anthropic()).value().messages;
  CHECK(ops.bytes_read > first.size());
  session.append(sk::assistant("yes")).value();
  ops.reset();
  session.request(to_anthropic()).value(); // which another one may follow
  CHECK(ops.bytes_read > first.size());
  session.append(sk::user("and now?")).value();
  ops.reset();
  sk::RequestPieces const second = session.request_pieces(to_anthropic()).value();
  CHECK(ops.bytes_read <= 12288);
  CHECK(ops.calls() <= 10);
  CHECK(second.kept.size() > first.size() - 100);
  CHECK(second.added.size() < 200);
  ops.reset();
  session.request_pieces(to_anthropic()).value();
  CHECK(ops.bytes_read <= 12288);
  kept_bytes(session);
}

TEST_CASE("within a long tool loop a request adds the last step") {
  auto session = talk(sk::make_memory_store(), 2);
  session.append(sk::user("go through all files")).value();
  for (int i = 0; i < 50; ++i) {
    sk::ToolUse const call{"step" + std::to_string(i), "read", sk::RawJson::from("{}")};
    session.append(sk::assistant(call)).value();
    session.append(sk::tool_result(call, std::string(500, 'z'))).value();
    sk::RequestPieces const pieces = session.request_pieces(to_anthropic()).value();
    if (i > 0) CHECK(pieces.added.size() < 800);
    kept_bytes(session);
  }
}

TEST_CASE("a request for a long history reads the log twice, and is the one made from nothing") {
  TempDir dir;
  FaultyFileOps ops;
  std::shared_ptr<sk::SessionStore> const store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  auto session = talk(store, 1500);
  std::uint64_t const log = session.info().value().end.value();
  REQUIRE(log > 3U << 19); // more than is decoded at once
  std::string const expected = sk::encode(session.history(to_anthropic()).value(), to_anthropic()).messages;
  ops.reset();
  CHECK(session.request(to_anthropic()).value().messages == expected);
  CHECK(ops.bytes_read < log * 21 / 10);
  CHECK(session.request(to_anthropic()).value().messages == expected);
  ops.reset();
  CHECK(kept_bytes(session) > expected.size() - 1000);
  session.append(sk::user("and now?")).value();
  ops.reset();
  CHECK(session.request_pieces(to_anthropic()).value().added.size() < 200);
  CHECK(ops.bytes_read <= 12288);
}

TEST_CASE("a long history in which two parts use one id is read as a whole, and kept") {
  auto session = talk(sk::make_memory_store(), 1500, {}, 400);
  std::size_t const kept = kept_bytes(session);
  CHECK(kept > std::size_t{1} << 20);
  session.append(sk::user("and now?")).value();
  CHECK(session.request_pieces(to_anthropic()).value().added.size() < 200);
  CHECK(kept_bytes(session) >= kept);
}

TEST_CASE("a long history with a damaged line is read as a whole") {
  TempDir dir;
  std::shared_ptr<sk::SessionStore> const store = sk::open_file_store(dir.path()).value();
  auto const session = talk(store, 1500);
  std::string const path = dir / session.id().str() + ".jsonl";
  std::string text = read_file(path);
  text.replace(text.find("ask 7xxx"), 8, R"(ask \qxx)");
  write_file(path, text);
  auto const reopened = sk::Session::open(store, session.id()).value();
  CHECK(kept_bytes(reopened) == 0);
}

TEST_CASE("nothing is read or kept before a request is made") {
  TempDir dir;
  FaultyFileOps ops;
  std::shared_ptr<sk::SessionStore> const store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  auto session = talk(store, 3);
  ops.reset();
  session.append(sk::user("more")).value();
  CHECK(ops.bytes_read == 0);
  session.request(to_anthropic()).value();
  session.append(sk::assistant("less")).value();
  ops.reset();
  session.append(sk::user("more")).value();
  CHECK(ops.bytes_read == 0);
}

TEST_CASE("the first piece is the one that an earlier request had") {
  auto session = talk(sk::make_memory_store(), 5);
  sk::RequestPieces const first = session.request_pieces(to_anthropic()).value();
  std::string const kept(first.kept);
  session.append(sk::user("and?")).value();
  sk::RequestPieces const second = session.request_pieces(to_anthropic()).value();
  CHECK(std::string(second.kept).compare(0, kept.size(), kept) == 0);
  CHECK(kept_bytes(session) > 0);
  CHECK(session.request(to_anthropic()).value().messages == std::string(second.kept) + second.added);
}

TEST_CASE("a profile without compactions keeps its requests too") {
  sk::SessionOptions options;
  options.profile = sk::profiles::ephemeral;
  auto session = talk(sk::make_memory_store(), 20, options);
  CHECK(kept_bytes(session) > 0);
  session.append(sk::user("and?")).value();
  CHECK(kept_bytes(session) > 0);
}

TEST_CASE("a kept request is not used for another target") {
  auto session = talk(sk::make_memory_store(), 5);
  kept_bytes(session);
  sk::Target target = to_anthropic();
  target.system = "be long";
  CHECK(kept_bytes(session, target) > 0);
  target.provider = sk::Provider::openai_chat;
  CHECK(kept_bytes(session, target) > 0);
  target.server = sk::servers::deepseek;
  CHECK(kept_bytes(session, target) > 0);
  target.images = false;
  CHECK(kept_bytes(session, target) > 0);
  kept_bytes(session);
}

TEST_CASE("a target with policies is encoded from nothing") {
  auto session = talk(sk::make_memory_store(), 5);
  kept_bytes(session);
  sk::Target target = to_anthropic();
  target.policies.emplace_back(sk::TurnLimit{2});
  CHECK(kept_bytes(session, target) == 0);
  target = to_anthropic();
  target.mode = sk::RebuildMode::faithful;
  CHECK(kept_bytes(session, target) == 0);
  CHECK(kept_bytes(session) > 0);
}

TEST_CASE("a kept request is not used after another branch was taken") {
  auto session = talk(sk::make_memory_store(), 5);
  kept_bytes(session);
  auto const path = session.path().value();
  session.rewind(path[7].id).value();
  kept_bytes(session);
  session.append(sk::user("another way")).value();
  kept_bytes(session);
  session.rewind(path.back().id).value();
  kept_bytes(session);
}

TEST_CASE("entries of another branch are not added to a kept request") {
  auto const store = sk::make_memory_store();
  sk::SessionOptions options;
  options.on_conflict = sk::OnConflict::fork;
  auto session = talk(store, 5, options);
  kept_bytes(session);
  auto other = sk::Session::open(store, session.id()).value();
  other.append(sk::user("from elsewhere")).value();
  kept_bytes(session);
  session.append(sk::user("from here")).value();
  kept_bytes(session);
  session.append(sk::assistant("yes")).value();
  kept_bytes(session);
}

TEST_CASE("entries of another writer that come first are added to a kept request") {
  auto const store = sk::make_memory_store();
  auto session = talk(store, 5);
  kept_bytes(session);
  auto other = sk::Session::open(store, session.id()).value();
  other.append(sk::user("from elsewhere")).value();
  session.append(sk::user("from here")).value();
  CHECK(kept_bytes(session) > 0);
}

TEST_CASE("a refresh forgets the kept request") {
  TempDir dir;
  std::shared_ptr<sk::SessionStore> const store = sk::open_file_store(dir.path()).value();
  auto session = talk(store, 5);
  kept_bytes(session);
  auto other = sk::Session::open(store, session.id()).value();
  other.append(sk::user("from elsewhere")).value();
  session.refresh().value();
  CHECK(kept_bytes(session) > 0);
  // An earlier line is changed in place, which only a refresh shows.
  std::string const path = dir / (session.id().str() + ".jsonl");
  std::string bytes = read_file(path);
  bytes.replace(bytes.find("ask 0"), 5, "ASK 0");
  write_file(path, bytes);
  session.refresh().value();
  kept_bytes(session);
}

TEST_CASE("a kept request is not used for a log that was replaced") {
  auto const store = sk::make_memory_store();
  auto session = talk(store, 5);
  kept_bytes(session);
  store->remove(session.id()).value();
  CHECK_FALSE(session.request(to_anthropic()).ok());
}

TEST_CASE("a compaction ends what is kept") {
  auto session = talk(sk::make_memory_store(), 5);
  std::size_t const before = kept_bytes(session);
  auto const path = session.path().value();
  session.append_entry(sk::Compaction{"so far", path[path.size() - 4].id}).value();
  CHECK(kept_bytes(session) < before);
  session.append(sk::user("and?")).value();
  CHECK(kept_bytes(session) > 0);
  CHECK(kept_bytes(session) < before);
}

TEST_CASE("a request above the limit is made and not kept") {
  sk::SessionOptions options;
  options.kept_request = 4000;
  auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
  for (int i = 0; i < 2; ++i) {
    session.append(sk::user("ask " + std::string(500, 'x'))).value();
    session.append(sk::assistant("yes")).value();
  }
  CHECK(kept_bytes(session) > 0);
  for (int i = 0; i < 10; ++i) {
    session.append(sk::user("ask " + std::string(500, 'x'))).value();
    session.append(sk::assistant("yes")).value();
    kept_bytes(session);
  }
  CHECK(kept_bytes(session) == 0);
}

TEST_CASE("no request is kept if the limit is 0") {
  sk::SessionOptions options;
  options.kept_request = 0;
  auto session = talk(sk::make_memory_store(), 5, options);
  CHECK(kept_bytes(session) == 0);
  session.append(sk::user("and?")).value();
  CHECK(kept_bytes(session) == 0);
}

TEST_CASE("a system message begins a request again, because it changes the system text") {
  auto session = talk(sk::make_memory_store(), 5);
  kept_bytes(session);
  session.append(sk::system("be kind")).value();
  session.append(sk::user("and?")).value();
  kept_bytes(session);
  session.append(sk::assistant("yes")).value();
  session.append(sk::user("and?")).value();
  CHECK(kept_bytes(session) > 0);
}

TEST_CASE("a late result of a kept call begins a request again") {
  auto session = talk(sk::make_memory_store(), 2);
  sk::ToolUse const call{"late", "read", sk::RawJson::from("{}")};
  session.append(sk::user("ask")).value();
  session.append(sk::assistant("look", call)).value();
  session.append(sk::user("never mind")).value();
  session.append(sk::assistant("so be it")).value();
  session.append(sk::user("go on")).value();
  CHECK(kept_bytes(session) > 0);
  session.append(sk::tool_result(call, "found")).value();
  session.append(sk::assistant("well")).value();
  session.append(sk::user("and?")).value();
  kept_bytes(session);
}

TEST_CASE("a call whose sent id a kept call has already begins a request again") {
  auto session = talk(sk::make_memory_store(), 2);
  for (char const* const id : {"a.b", "a_b", "a b"}) {
    sk::ToolUse const call{id, "read", sk::RawJson::from("{}")};
    session.append(sk::user("ask")).value();
    session.append(sk::assistant("look", call)).value();
    session.append(sk::tool_result(call, "found")).value();
    session.append(sk::assistant("well")).value();
    session.append(sk::user("and?")).value();
    kept_bytes(session);
    session.append(sk::assistant("no")).value();
  }
}

TEST_CASE("an answer at the end loses its last blank only while it is the end") {
  auto session = talk(sk::make_memory_store(), 2);
  session.append(sk::user("ask")).value();
  session.append(sk::assistant("well \n")).value();
  kept_bytes(session);
  session.append(sk::user("and?")).value();
  CHECK(kept_bytes(session) > 0);
  CHECK(session.request(to_anthropic()).value().messages.find("well \\n") != std::string::npos);
}

TEST_CASE("messages of a turn that is given up leave the kept request") {
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  auto const store = sk::make_memory_store(sk::profiles::ai_panel);
  auto session = talk(store, 3, options);
  kept_bytes(session);
  for (int i = 0; i < 3; ++i) {
    sk::Turn turn = session.begin_turn();
    turn.append(sk::user("ask")).value();
    kept_bytes(session);
    sk::ToolUse const call{"t" + std::to_string(i), "read", sk::RawJson::from("{}")};
    sk::Message answer = sk::assistant("look", call);
    answer.parts.insert(answer.parts.begin(), sk::Thinking{"hm", "c2ln"});
    turn.append(answer).value();
    kept_bytes(session);
    turn.append(sk::tool_result(call, "found")).value();
    kept_bytes(session);
    if (i == 1)
      turn.abort().value();
    else
      turn.append(sk::assistant("well")).value(), turn.commit().value();
    kept_bytes(session);
  }
}

TEST_CASE("calls that the profile does not store are in each request") {
  sk::SessionOptions options;
  options.profile = sk::profiles::zeroclaw;
  auto session = sk::Session::create(sk::make_memory_store(sk::profiles::zeroclaw), {}, options).value();
  for (int i = 0; i < 4; ++i) {
    sk::ToolUse const call{"t" + std::to_string(i), "read", sk::RawJson::from("{}")};
    for (sk::Message const& message : {sk::user("ask"), sk::assistant("look", call),
                                       sk::tool_result(call, "found"), sk::assistant("well")}) {
      session.append(message).value();
      kept_bytes(session);
    }
  }
  sk::ToolUse const call{"dropped", "read", sk::RawJson::from("{}")};
  sk::Turn turn = session.begin_turn();
  turn.append(sk::user("ask")).value();
  for (sk::Message const& message : {sk::assistant("look", call), sk::tool_result(call, "found")}) {
    turn.append(message).value();
    kept_bytes(session);
  }
  turn.abort().value();
  kept_bytes(session);
}

TEST_CASE("no request is cut where an answer is not sent") {
  auto session = talk(sk::make_memory_store(), 2);
  sk::ToolUse const call{"last", "read", sk::RawJson::from("{}")};
  session.append(sk::user("ask")).value();
  session.append(sk::assistant("look", call)).value();
  session.append(sk::tool_result(call, "found")).value();
  session.append(sk::assistant(" ")).value();
  kept_bytes(session);
  session.append(sk::user("and?")).value();
  kept_bytes(session);
  session.append(sk::assistant("well")).value();
  session.append(sk::user("and?")).value();
  CHECK(kept_bytes(session) > 0);
}

TEST_CASE("entries after damage are not added to a kept request") {
  TempDir dir;
  std::shared_ptr<sk::SessionStore> const store = sk::open_file_store(dir.path()).value();
  auto session = talk(store, 3);
  kept_bytes(session);
  std::string const path = dir / (session.id().str() + ".jsonl");
  write_file(path, read_file(path) + "{\"type\":\"mess");
  session.append(sk::user("and?")).value();
  kept_bytes(session);
  session.append(sk::assistant("yes")).value();
  kept_bytes(session);
}

TEST_CASE("a forked child gets no request of what its parent kept") {
  TempDir dir;
  bool const in_files = GENERATE(false, true), is_new = GENERATE(false, true);
  std::shared_ptr<sk::SessionStore> const store =
      in_files ? sk::open_file_store(dir.path()).value() : sk::make_memory_store();
  auto session = talk(store, 20);
  REQUIRE(kept_bytes(session) > 0);
  if (is_new) session.append(sk::user("and?")).value();
  pid_t const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) { // as every call on this session
    auto const made = session.request(to_anthropic());
    ::_exit(!made && made.error().code == sk::Errc::forked ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  session.append(sk::assistant("from the parent")).value();
  CHECK(kept_bytes(session) > 0);
}

TEST_CASE("a request in parts says that its tool loop began without reasoning") {
  bool const with_reasoning = GENERATE(false, true);
  auto session = sk::Session::create(sk::make_memory_store()).value();
  session.append(sk::user("look everywhere")).value();
  sk::Target const target = to_anthropic();
  for (int i = 0; i < 6; ++i) { // one loop, whose first answer is soon in the kept part
    sk::ToolUse const call{"call" + std::to_string(i), "look", sk::RawJson::from("{}")};
    sk::Message answer = sk::assistant(call);
    bool const thinks = i == 0 ? with_reasoning : !with_reasoning;
    if (thinks) answer.parts.insert(answer.parts.begin(), sk::Part(sk::Thinking{"Hm.", "c2lnbmF0dXJl"}));
    session.append(answer).value();
    session.append(sk::tool_result(call, "nothing")).value();
    bool const off = session.history(target).value().reasoning_must_be_off;
    CHECK(off == !with_reasoning);
    CHECK(session.request(target).value().reasoning_must_be_off == off);
    CHECK(session.request_pieces(target).value().reasoning_must_be_off == off);
  }
  REQUIRE(kept_bytes(session, target) > 0);
  session.append(sk::assistant("Nowhere.")).value();
  session.append(sk::user("Thanks.")).value();
  CHECK_FALSE(session.request(target).value().reasoning_must_be_off);
}

TEST_CASE("a request reports the repairs of the messages that it encodes") {
  auto session = talk(sk::make_memory_store(), 1);
  auto const rules = [&session] {
    std::vector<std::string> names;
    for (sk::Repair const& repair : session.request(to_anthropic()).value().report)
      names.emplace_back(repair.rule);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(rules().empty());
  session.append(sk::assistant(sk::ToolUse{"open", "look", sk::RawJson::from("{}")})).value();
  session.append(sk::user("never mind")).value();
  Names const whole = rules(); // made from nothing
  CHECK(whole.size() == session.history(to_anthropic()).value().report.size());
  REQUIRE_FALSE(whole.empty());
  session.append(sk::assistant("good")).value();
  session.append(sk::user("and?")).value();
  CHECK(rules() == whole); // the part that is kept from now on
  session.append(sk::assistant("nothing")).value();
  session.append(sk::user("then bye")).value();
  CHECK(rules().empty()); // it was reported before
}
