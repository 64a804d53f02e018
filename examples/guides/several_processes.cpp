// SPDX-License-Identifier: MIT
// docs/guides/several_processes.md: two processes on one session, repeated appends, conflicts, following.
#include "expect.hpp"

#include <sessionkit/follow.hpp>
#include <sessionkit/sessionkit.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

namespace sk = sessionkit;
using guide::expect;

namespace {

std::string const folder = "several_processes"; // NOLINT(cert-err58-cpp)

// [child]
// A child of fork() opens its own store: its parent's store answers `forked`.
int in_child(std::shared_ptr<sk::SessionStore> const& of_parent, sk::SessionId const& id) {
  auto session = sk::Session::open(of_parent, id);
  auto const refused = session ? session->append(sk::user("lost?")) : session.error();
  if (refused || refused.error().code != sk::Errc::forked) return 1;

  auto const store = sk::open_file_store(folder).value();
  auto own = sk::Session::open(store, id).value();
  own.append(sk::user("from the child")).value();
  return 0;
}
// [child]

// [again]
// The host chooses the id, for example a request's. The entry is stored once, however often this is called.
sk::Result<sk::EntryId> store_once(sk::Session& session, std::string const& request_id,
                                   std::string const& words) {
  sk::AppendOptions options;
  options.id = sk::EntryId(request_id);
  auto stored = session.append(sk::user(words), options);
  for (int tries = 0; !stored && stored.error().code == sk::Errc::outcome_unknown && tries < 3; ++tries)
    stored = session.append(sk::user(words), options);
  return stored;
}
// [again]

// [lease]
// Opens a session as its only writer, or says who has it.
std::optional<sk::Session> open_as_only_writer(sk::SessionId const& id) {
  sk::FileStoreOptions options;
  options.exclusive = true;
  options.lock_wait = std::chrono::milliseconds{200};
  auto session = sk::Session::open(sk::open_file_store(folder, options).value(), id);
  if (session) return std::move(*session); // no other process writes to it while this object exists
  std::printf("%s\n", session.error().message.c_str());
  return std::nullopt;
}
// [lease]

// [conflict]
// A host that wants to see what others said before it answers.
sk::Result<sk::EntryId> answer_unless_somebody_spoke(sk::Session& session, sk::Message const& answer) {
  auto stored = session.append(answer);
  if (stored || stored.error().code != sk::Errc::conflict) return stored;
  auto const theirs = session.refresh(); // their entries; the leaf now follows them
  if (!theirs) return theirs.error();
  std::printf("%zu entries came first\n", theirs->size());
  return stored; // decide again: ask the model again, or append after them
}
// [conflict]

// [follow]
// Prints each entry once, in order, from any writer. `next` does not wait: the host decides how to wait.
sk::Result<std::size_t> show_news(sk::LogFollower& follower) {
  auto const news = follower.next();
  if (!news) return news.error();
  for (auto const& record : news->page.items()) {
    auto const entry = sk::decode(news->page, record);
    if (!entry) continue;
    if (auto const* const message = entry->as<sk::Message>()) std::printf("%s\n", message->text().c_str());
  }
  return news->page.items().size();
}
// [follow]

}

int main() {
  guide::fresh_folder(folder);
  auto const store = sk::open_file_store(folder).value();
  auto session = sk::Session::create(store).value();
  session.append(sk::user("from the parent")).value();
  sk::LogFollower follower(store, session.id());
  expect(show_news(follower).value() == 2, "a header and a message");

  std::fflush(stdout);
  pid_t const child = fork();
  if (child == 0) _exit(in_child(store, session.id()));
  int status = 0;
  waitpid(child, &status, 0);
  expect(status == 0, "the child wrote through a store of its own");
  expect(show_news(follower).value() == 1, "the follower sees the child's entry");

  store_once(session, "request-17", "once").value();
  store_once(session, "request-17", "once").value();
  expect(show_news(follower).value() == 1, "an id is stored once");

  sk::SessionOptions careful;
  careful.on_conflict = sk::OnConflict::fail;
  auto other = sk::Session::open(store, session.id(), careful).value();
  session.append(sk::user("a word in between")).value();
  auto const answer = answer_unless_somebody_spoke(other, sk::assistant("Too late."));
  expect(!answer && answer.error().code == sk::Errc::conflict, "another message came first");
  expect(other.append(sk::assistant("Now.")).ok(), "after `refresh` it is stored after them");

  auto owner = open_as_only_writer(session.id());
  expect(owner && owner->append(sk::user("mine alone")).ok(), "the only writer appends");
  expect(!open_as_only_writer(session.id()),
         "a second one is refused, here by another store of this process");
  owner.reset();
  expect(open_as_only_writer(session.id()).has_value(), "then the session is free again");
}
