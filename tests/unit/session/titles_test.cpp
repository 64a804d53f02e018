// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/memory_store.hpp>
#include <sessionkit/titles.hpp>

#include <string>
#include <vector>

namespace sk = sessionkit;

namespace {

// Stores `turns` turns and retitles after each, as a host does; returns the counts at which the model was
// asked.
std::vector<std::uint64_t> talk(sk::Session& session, int turns, sk::Result<std::string> const& title) {
  std::vector<std::uint64_t> asked;
  for (int i = 0; i < turns; ++i) {
    std::uint64_t const before = session.info().value().messages;
    session.append(sk::user("What is the weather like in the north today?")).value();
    session.append(sk::assistant("Cold.")).value();
    auto const stored = sk::update_title(session, before, [&](sk::Session& of) -> sk::Result<std::string> {
      asked.push_back(of.info().value().messages);
      return title;
    });
    CHECK(stored.ok() == title.ok());
    if (!title) break;
  }
  return asked;
}

}

TEST_CASE("a title is the user's first thirty characters until a model makes one, at four counts") {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  CHECK(session.info().value().display_title().empty());
  CHECK(talk(session, 1, std::string("Weather")).empty());
  CHECK(session.info().value().display_title() == "What is the weather like in th");
  CHECK(talk(session, 44, std::string("Weather")) == std::vector<std::uint64_t>{4, 12, 30, 80});
  CHECK(session.info().value().display_title() == "Weather");
}

TEST_CASE("a title that a person chose stays") {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  session.set_title("Mine").value();
  CHECK(talk(session, 20, std::string("Weather")).empty());
  session.set_title("Weather", false).value(); // came too late
  CHECK(session.info().value().title == "Mine");
}

TEST_CASE("a blank title is ignored, and a failing model is reported") {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  CHECK(talk(session, 3, std::string(" \n")).size() == 1);
  CHECK(session.info().value().title.empty());
  auto other = sk::Session::create(sk::make_memory_store()).value();
  CHECK(sk::update_title(other, 0, {}).value() == false);
  other.append(sk::user("a")).value(), other.append(sk::assistant("b")).value();
  other.append(sk::user("c")).value(), other.append(sk::assistant("d")).value();
  auto const failed = sk::update_title(
      other, 0, [](sk::Session&) -> sk::Result<std::string> { return sk::Error{sk::Errc::unavailable}; });
  CHECK(failed.error().code == sk::Errc::unavailable);
}

TEST_CASE("a title is due when a count was passed, however many messages arrived at once") {
  sk::SessionInfo info = sk::make_session_info(sk::SessionId::parse("s").value());
  info.messages = 13;
  CHECK(sk::title_is_due(info, 2));
  CHECK(sk::title_is_due(info, 11));
  CHECK_FALSE(sk::title_is_due(info, 12));
  CHECK_FALSE(sk::title_is_due(info, 2, {{}}));
}
