// SPDX-License-Identifier: MIT
// State, existence and lists as hosts of blades use them.
#include "support/catch.hpp"

#include <sessionkit/memory_store.hpp>
#include <sessionkit/raw_json.hpp>
#include <sessionkit/session.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sk = sessionkit;

namespace {

sk::SessionId id_of(std::string const& text) { return sk::SessionId::parse(text).value(); }

void create(std::shared_ptr<sk::SessionStore> const& store, std::string const& id, std::string const& user,
            int second) {
  sk::NewSession about;
  about.id = id_of(id);
  about.key = "k-" + user;
  about.user = user;
  sk::SessionOptions options;
  options.clock = [second] { return sk::Timestamp(std::chrono::seconds(second)); };
  sk::Session::create(store, about, options).value();
}

std::vector<std::string> ids(sk::SessionPage const& page) {
  std::vector<std::string> all;
  for (auto const& info : page.sessions) all.push_back(info.id.str());
  return all;
}

}

TEST_CASE("values of state keep their types") {
  CHECK(sk::RawJson::integer(5).str() == "5");
  CHECK(sk::RawJson::integer(std::numeric_limits<std::int64_t>::min()).str() == "-9223372036854775808");
  CHECK(sk::RawJson::number(5).str() == "5.0");
  CHECK(sk::RawJson::number(-0.0).str() == "-0.0");
  CHECK(sk::RawJson::number(0.1).str() == "0.1");
  CHECK(sk::RawJson::number(1e300).as_number() == 1e300);
  CHECK(sk::RawJson::parse(sk::RawJson::number(1e300).str()));
  CHECK(sk::RawJson::number(std::numeric_limits<double>::infinity()).is_null());
  CHECK(sk::RawJson::boolean(false).str() == "false");

  CHECK(sk::RawJson::from("5").as_integer() == 5);
  CHECK_FALSE(sk::RawJson::from("5.0").as_integer());
  CHECK_FALSE(sk::RawJson::from("5e0").as_integer());
  CHECK_FALSE(sk::RawJson::from("9223372036854775808").as_integer());
  CHECK_FALSE(sk::RawJson::from("\"5\"").as_integer());
  CHECK(sk::RawJson::from("5").as_number() == 5.0);
  CHECK_FALSE(sk::RawJson::from("null").as_number());
  CHECK(sk::RawJson::from("true").as_boolean() == true);
  CHECK_FALSE(sk::RawJson::from("1").as_boolean());
  CHECK(sk::RawJson::from(R"("a\u00e9\n")").as_string() == "a\xC3\xA9\n");
  CHECK_FALSE(sk::RawJson::from("5").as_string());
  for (std::int64_t const value :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()})
    CHECK(sk::RawJson::integer(value).as_integer() == value);
}

TEST_CASE("state is changed in one entry, without opening the session") {
  auto const store = sk::make_memory_store();
  create(store, "a", "u", 1);
  sk::StateChange change;
  change.set = {{"__summary_offset__", sk::RawJson::integer(12)},
                {"ratio", sk::RawJson::number(2)},
                {"nothing", {}},
                {"nested", sk::RawJson::from(R"({"b":[1,2.0,null],"a":"x"})")}};
  sk::update_state(store, id_of("a"), change).value();
  auto info = store->info(id_of("a")).value();
  CHECK(info.entries == 1);
  CHECK(info.state.at("__summary_offset__").as_integer() == 12);
  CHECK_FALSE(info.state.at("ratio").as_integer());
  CHECK(info.state.at("nothing").is_null());
  CHECK(info.state.at("nested").str() == R"({"b":[1,2.0,null],"a":"x"})");

  sk::StateChange more;
  more.set = {{"ratio", sk::RawJson::string("x")}};
  more.removed = {"nothing", "never there"};
  sk::update_state(store, id_of("a"), more).value();
  info = store->info(id_of("a")).value();
  CHECK(info.state.size() == 3);
  CHECK(info.state.at("ratio").as_string() == "x");

  sk::update_state(store, id_of("a"), {}).value();
  CHECK(store->info(id_of("a")).value().entries == 2);
  CHECK(sk::update_state(store, id_of("b"), change).error().code == sk::Errc::not_found);
  CHECK_FALSE(sk::exists(*store, id_of("b")).value());
  CHECK(sk::exists(*store, id_of("a")).value());
}

TEST_CASE("a list begins at an offset, and continues by its cursor") {
  auto const store = sk::make_memory_store();
  for (int i = 0; i < 10; ++i) create(store, "s" + std::to_string(i), i % 2 == 0 ? "even" : "odd", i + 1);
  sk::ListQuery query;
  query.limit = 2;
  CHECK(ids(sk::list_sessions(*store, query, 0).value()) == std::vector<std::string>{"s9", "s8"});
  CHECK(ids(sk::list_sessions(*store, query, 9).value()) == std::vector<std::string>{"s0"});
  CHECK(ids(sk::list_sessions(*store, query, 10).value()).empty());
  CHECK(ids(sk::list_sessions(*store, query, 99).value()).empty());
  query.user = "even";
  auto const page = sk::list_sessions(*store, query, 1).value();
  CHECK(ids(page) == std::vector<std::string>{"s6", "s4"});
  query.cursor = page.next;
  CHECK(ids(store->list(query).value()) == std::vector<std::string>{"s2", "s0"});
  CHECK(ids(sk::list_sessions(*store, query, 1).value()) == std::vector<std::string>{"s0"});
}

TEST_CASE("of several sessions of a key the newest that is not archived is found") {
  auto const store = sk::make_memory_store();
  create(store, "first", "u", 1);
  create(store, "second", "u", 2);
  create(store, "third", "other", 3);
  sk::ListQuery of_key;
  of_key.key = "k-u";
  CHECK(sk::newest_session(*store, of_key).value()->id.str() == "second");
  CHECK(sk::newest_session(*store).value()->id.str()
        == "third"); // the session that a host without keys continues
  CHECK(sk::Session::resume(store, "k-u").value().id().str() == "second");

  sk::Session::open(store, id_of("second")).value().set_archived(true).value();
  CHECK(sk::newest_session(*store, of_key).value()->id.str() == "first");
  CHECK(sk::Session::resume(store, "k-u").value().id().str() == "first");
  of_key.archived = true;
  CHECK(sk::newest_session(*store, of_key).value()->id.str() == "second");
  of_key.key = "none";
  CHECK_FALSE(sk::newest_session(*store, of_key).value());
}
