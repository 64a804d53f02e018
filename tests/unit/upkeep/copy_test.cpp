// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/foreign_stores.hpp"
#include "support/forwarding_store.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sk = sessionkit;
using namespace sessionkit_test;
using sk::CopyState;

namespace {

using Lines = std::vector<std::string>;
using Store = std::shared_ptr<sk::SessionStore>;

Lines lines_of(sk::SessionStore& store, sk::SessionId const& id) {
  Lines lines;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = store.read(id, range).value();
    for (auto const& item : page.items()) lines.emplace_back(item.line);
    range.from = page.next;
    more = page.more;
  }
  return lines;
}

/// Fails, forgets or falsifies on request; else works like the store below.
class Troubled final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::uint64_t appends_until_failure = UINT64_MAX; ///< the failing call stores nothing
  sk::Errc failure = sk::Errc::unavailable;
  bool falsifies = false; ///< every byte 'x' becomes 'y'
  std::uint64_t appends = 0;

  sk::Result<sk::Position> append(sk::SessionId const& id, sk::Append const& batch) override {
    ++appends;
    if (appends_until_failure-- == 0) return sk::Error{failure, 0, "record 0 of the batch"};
    if (!falsifies) return inner_->append(id, batch);
    sk::Append other = batch;
    Lines lines;
    for (auto const& record : batch.records) {
      lines.emplace_back(record.line);
      for (char& c : lines.back()) c = c == 'x' ? 'y' : c;
    }
    for (std::size_t i = 0; i < lines.size(); ++i) other.records[i].line = lines[i];
    return inner_->append(id, other);
  }
};

sk::Session talk(Store const& store, int turns) {
  sk::NewSession about;
  about.key = "k";
  auto session = sk::Session::create(store, about).value();
  for (int i = 0; i < turns; ++i) {
    session.append(sk::user("x" + std::to_string(i))).value();
    session.append(sk::assistant(std::string(3000, 'a'))).value();
  }
  session.set_title("Named").value();
  return session;
}

}

TEST_CASE("a copy has every line unchanged, and its summary") {
  auto const from = sk::make_memory_store(), to = sk::make_memory_store();
  auto session = talk(from, 600); // more than a page
  auto const done = sk::copy_session(*from, *to, session.id()).value();
  CHECK(done.before == CopyState::missing);
  CHECK(done.after == CopyState::same);
  CHECK(done.written == 1202);
  CHECK(done.lines == done.written);
  CHECK(done.losses.empty());
  CHECK(lines_of(*to, session.id()) == lines_of(*from, session.id()));
  auto const source = from->info(session.id()).value(), copy = to->info(session.id()).value();
  CHECK(copy.key == "k");
  CHECK(copy.title == "Named");
  CHECK(copy.messages == source.messages);
  CHECK(copy.updated == source.updated);
  CHECK(copy.last == source.last);
}

TEST_CASE("an existing copy is not written again, and an outdated one is completed") {
  auto const from = sk::make_memory_store();
  auto const to = std::make_shared<Troubled>(sk::make_memory_store());
  auto session = talk(from, 3);
  sk::copy_session(*from, *to, session.id()).value();
  auto const before = to->appends;
  CHECK(sk::copy_session(*from, *to, session.id()).value().before == CopyState::same);
  CHECK(to->appends == before);
  session.append(sk::user("more")).value();
  auto const done = sk::copy_session(*from, *to, session.id()).value();
  CHECK(done.before == CopyState::behind);
  CHECK(done.after == CopyState::same);
  CHECK(done.written == 1);
  CHECK(lines_of(*to, session.id()) == lines_of(*from, session.id()));
}

TEST_CASE("wherever a copy was cut short, a second one completes it and doubles nothing") {
  auto const from = sk::make_memory_store();
  auto session = talk(from, 600);
  auto const all = lines_of(*from, session.id());
  std::uint64_t cuts = 0;
  for (bool failed = true; failed; ++cuts) {
    auto const to = std::make_shared<Troubled>(sk::make_memory_store());
    to->appends_until_failure = cuts;
    auto const first = sk::copy_session(*from, *to, session.id());
    failed = !first;
    if (failed) CHECK(first.error().code == sk::Errc::unavailable);
    to->appends_until_failure = UINT64_MAX;
    CHECK(sk::copy_session(*from, *to, session.id()).value().after == CopyState::same);
    CHECK(lines_of(*to, session.id()) == all);
  }
  CHECK(cuts > 3);
}

TEST_CASE("a copy that was continued, or that is another session, stays unchanged") {
  auto const from = sk::make_memory_store(), to = sk::make_memory_store();
  auto session = talk(from, 2);
  sk::copy_session(*from, *to, session.id()).value();
  auto there = sk::Session::open(to, session.id()).value();
  there.append(sk::user("only in the copy")).value();
  auto const ahead = sk::copy_session(*from, *to, session.id()).value();
  CHECK(ahead.after == CopyState::ahead);
  CHECK(ahead.written == 0);
  session.append(sk::user("only here")).value();
  auto const before = lines_of(*to, session.id());
  auto const different = sk::copy_session(*from, *to, session.id()).value();
  CHECK(different.after == CopyState::different);
  CHECK(different.lines == before.size() - 1);
  CHECK(lines_of(*to, session.id()) == before);
}

TEST_CASE("a copy that reads back differently from what was written is an error") {
  auto const from = sk::make_memory_store();
  auto const to = std::make_shared<Troubled>(sk::make_memory_store());
  to->falsifies = true;
  auto session = talk(from, 2);
  auto const done = sk::copy_session(*from, *to, session.id());
  REQUIRE_FALSE(done);
  CHECK(done.error().code == sk::Errc::corrupt);
  CHECK(done.error().message.find("from line 2 on") != std::string::npos);
}

TEST_CASE("lines that the other store cannot hold are reported, and no partial copy stays") {
  auto const from = sk::make_memory_store();
  auto const to = std::make_shared<Troubled>(sk::make_memory_store());
  auto session = talk(from, 2);
  to->appends_until_failure = 1; // the header is stored
  to->failure = sk::Errc::invalid_argument;
  auto const done = sk::copy_session(*from, *to, session.id());
  REQUIRE_FALSE(done);
  CHECK(done.error().code == sk::Errc::invalid_argument);
  CHECK(done.error().message.find("of the lines 2 to 6: record 0 of the batch") != std::string::npos);
  CHECK_FALSE(sk::exists(*to, session.id()).value());

  to->appends_until_failure = 1; // a partial copy of a lost source stays, and is completed
  to->failure = sk::Errc::unavailable;
  REQUIRE_FALSE(sk::copy_session(*from, *to, session.id()));
  CHECK(sk::exists(*to, session.id()).value());
  CHECK(sk::copy_session(*from, *to, session.id()).value().after == sk::CopyState::same);
}

TEST_CASE("a missing session cannot be copied") {
  auto const from = sk::make_memory_store(), to = sk::make_memory_store();
  auto const id = sk::SessionId::parse("none").value();
  CHECK(sk::copy_session(*from, *to, id).error().code == sk::Errc::not_found);
  CHECK_FALSE(sk::exists(*to, id).value());
}

TEST_CASE("titles and agents that are only in ai-panel's index are copied, and kept") {
  TempDir panel, other;
  make_panel_store(panel);
  auto const from = sk::open_file_store(panel.path()).value();
  auto const id = sk::SessionId::parse(panel_id).value();
  {
    auto const to = sk::open_file_store(other / "copies").value();
    auto const done = sk::copy_session(*from, *to, id).value();
    CHECK(done.after == CopyState::same);
    CHECK(done.losses.empty());
  }
  auto const again = sk::open_file_store(other / "copies").value();
  auto const info = again->info(id).value();
  CHECK(info.title == from->info(id).value().title);
  CHECK_FALSE(info.title.empty());
  CHECK(info.agent == "python-reviewer");
  CHECK(info.messages == 3);
  CHECK(lines_of(*again, id) == lines_of(*from, id));
}

TEST_CASE("bytes of a file that are not a line are not copied, and are counted") {
  TempDir dir;
  auto const file = sk::open_transcript(data("pi/edge_malformed_middle.jsonl")).value();
  auto const id = file->list({}).value().sessions.at(0).id;
  auto const to = sk::open_file_store(dir / "copies").value();
  auto const done = sk::copy_session(*file, *to, id).value();
  CHECK(done.damaged > 0);
  CHECK(done.after == CopyState::same);
  CHECK(lines_of(*to, id) == lines_of(*file, id));
  CHECK(to->info(id).value().damaged == 0);
}

TEST_CASE("a copy keeps the dialect of a log whose header does not show it") {
  std::string const header = R"({"type": "session", "id": "abc123", "key": "main:cli:user"})"
                             "\n";
  std::string const messages = R"({"type": "user", "content": "hello", "ts": "2025-01-01T00:00:01Z"})"
                               "\n"
                               R"({"type": "assistant", "content": "hi", "ts": "2025-01-01T00:00:02Z"})"
                               "\n";
  TempDir dir;
  std::string const path = dir.path() + "/s.jsonl";
  write_file(path, header + messages);
  auto const from = sk::open_transcript(path).value();
  auto const to = sk::make_memory_store();
  sk::SessionId const id = *sk::transcript_session(*from);
  REQUIRE(sk::copy_session(*from, *to, id).ok());
  CHECK(sk::load_context(*to, id).value().entries.size() == 2);
  CHECK(to->read(id, {}).value().dialect == "flat");
}
