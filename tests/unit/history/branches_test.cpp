// SPDX-License-Identifier: MIT
// What was said in the same place of a conversation.
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/branches.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sk = sessionkit;

namespace {

using Ids = std::vector<sk::EntryId>;

/// A question with three answers; the second one went on.
struct Talk {
  std::shared_ptr<sk::SessionStore> store = sk::make_memory_store();
  sk::Session session = sk::Session::create(store).value();
  sk::EntryId question, first, second, more, third;

  Talk() {
    question = session.append(sk::user("Which river?")).value();
    first = session.append(sk::assistant("The Rhine.")).value();
    session.rewind(question).value();
    session.set_title("Rivers").value(); // nobody sees it in the conversation
    second = session.append(sk::assistant("The Elbe.")).value();
    more = session.append(sk::user("And where?")).value();
    session.rewind(question).value();
    third = session.append(sk::assistant("The Oder.")).value();
  }
  sk::Branches branches() const { return sk::Branches(sk::load_log(*store, session.id()).value()); }
};

}

TEST_CASE("answers in one place are found from each of them") {
  Talk talk;
  sk::Branches const branches = talk.branches();
  Ids const all{talk.first, talk.second, talk.third};
  for (sk::EntryId const& answer : all) {
    CHECK(branches.beside(answer) == all);
    CHECK(branches.before(answer) == talk.question);
  }
  CHECK(branches.beside(talk.question).empty());
  CHECK(branches.beside(talk.more).empty());
  CHECK(branches.before(talk.question).empty());
}

TEST_CASE("what a person does not see is beside nothing") {
  Talk talk;
  sk::Log const log = sk::load_log(*talk.store, talk.session.id()).value();
  sk::Branches const branches(log);
  for (sk::Entry const& entry : log.entries)
    if (entry.as<sk::TitleChange>()) CHECK(branches.beside(entry.id).empty());
  CHECK(branches.beside(sk::EntryId("nobody")).empty());
  CHECK(branches.before(sk::EntryId("nobody")).empty());
  CHECK(branches.newest_end(sk::EntryId("nobody")).empty());
}

TEST_CASE("a branch ends with its last entry") {
  Talk talk;
  sk::Branches const branches = talk.branches();
  CHECK(branches.newest_end(talk.first) == talk.first);
  CHECK(branches.newest_end(talk.second) == talk.more);
  CHECK(branches.newest_end(talk.question) == talk.third);
}

TEST_CASE("an edited first message is beside the first one") {
  Talk talk;
  talk.session.rewind({}).value();
  sk::EntryId const edited = talk.session.append(sk::user("Which lake?")).value();
  CHECK(talk.branches().beside(talk.question) == Ids{talk.question, edited});
}

TEST_CASE("an entry whose parent is lost follows the entry before it") {
  sk::Log log;
  auto const add = [&](char const* id, char const* parent) {
    sk::Entry entry;
    entry.id = sk::EntryId(id);
    entry.link = sk::Parent::entry;
    entry.parent = sk::EntryId(parent);
    entry.body = sk::user(id);
    log.entries.push_back(entry);
  };
  add("a", "");
  add("b", "gone");
  add("c", "a");
  sk::Branches const branches(log);
  CHECK(branches.before(sk::EntryId("b")) == sk::EntryId("a"));
  CHECK(branches.beside(sk::EntryId("b")) == Ids{sk::EntryId("b"), sk::EntryId("c")});
}

TEST_CASE("a line that is there twice is one version, and the branch through it goes on") {
  auto const store = sessionkit_test::store_of(
      "s", {sessionkit_test::log_header("s"), sessionkit_test::message_line("a", "", "user", "1"),
            sessionkit_test::message_line("b", "a", "assistant", "2"),
            sessionkit_test::message_line("b", "a", "assistant", "2"),
            sessionkit_test::message_line("c", "b", "user", "3")});
  sk::Branches const branches(sk::load_log(*store, sk::SessionId::parse("s").value()).value());
  CHECK(branches.beside(sk::EntryId("b")).empty());
  CHECK(branches.newest_end(sk::EntryId("a")).str() == "c");
}
