// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/forwarding_store.hpp"
#include "support/logs.hpp"

#include <sessionkit/session.hpp>
#include <sessionkit/session_key.hpp>

using namespace sessionkit_test;

namespace {

using Names = std::vector<std::string>;

// Each session is a second younger than the one before.
class Shelf {
 public:
  std::shared_ptr<sk::SessionStore> store = sk::make_memory_store();

  sk::Session put(std::string const& id, std::string key = {}, std::string const& title = {}) {
    sk::SessionOptions options;
    options.clock = [this] { return sk::from_unix_ms(1000 * ++seconds_); };
    sk::NewSession about;
    about.id = sid(id);
    about.key = std::move(key);
    auto session = sk::Session::create(store, std::move(about), options).value();
    if (!title.empty()) session.set_title(title).value();
    return session;
  }
  Names found(std::string_view text) const {
    Names names;
    for (sk::SessionId const& id : sk::find_sessions(*store, text).value()) names.push_back(id.str());
    return names;
  }
  sk::Error opened(std::string_view text) const { return sk::Session::open_named(store, text).error(); }

 private:
  std::int64_t seconds_ = 0;
};

// A store whose lists fail, and on demand all that it reads.
class Listless final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  sk::Result<sk::RecordPage> read(sk::SessionId const& id, sk::ReadRange const& range) override {
    if (fails_to_read) return unreadable();
    return inner_->read(id, range);
  }
  sk::Result<sk::SessionInfo> info(sk::SessionId const& id) override {
    if (fails_to_read) return unreadable();
    return inner_->info(id);
  }
  sk::Result<sk::SessionPage> list(sk::ListQuery const& query) override {
    if (lists++ < good_lists) return inner_->list(query);
    return sk::Error{sk::Errc::unavailable, 0, "no lists"};
  }

  std::size_t lists = 0, good_lists = 0;
  bool fails_to_read = false;

 private:
  static sk::Error unreadable() { return {sk::Errc::corrupt, 0, "unreadable"}; }
};

}

TEST_CASE("a text names a session by id, beginning, key, title and age, in this order") {
  Shelf shelf;
  shelf.put("aaaa-older", "main:cli:user", "Rivers");
  shelf.put("bbbb-newer", "telegram:42", "Lakes");
  for (char const* text : {"aaaa-older", "aaaa", "main:cli:user", "key:main:cli:user", "Rivers", "@-2"})
    CHECK(shelf.found(text) == Names{"aaaa-older"});
  for (char const* text : {"bbbb-newer", "bbbb-", "telegram:42", "Lakes", "@last", "@-1"})
    CHECK(shelf.found(text) == Names{"bbbb-newer"});

  shelf.put("talk", "other", "a name");
  shelf.put("talk-long", "talk", "talk");
  CHECK(shelf.found("talk") == Names{"talk"}); // an id before a key
  CHECK(shelf.found("key:talk") == Names{"talk-long"});
  shelf.put("talks", {}, "talk-");
  CHECK(shelf.found("talk-") == Names{"talk-long"}); // a beginning before a title
  shelf.put("cccc", "aaaa");
  CHECK(shelf.found("aaaa") == Names{"cccc"}); // a key before a beginning
}

TEST_CASE("a beginning has at least four characters, a title is whole, and case matters") {
  Shelf shelf;
  shelf.put("abcdef", {}, "Two rivers");
  CHECK(shelf.found("abc").empty());
  CHECK(shelf.found("abcd") == Names{"abcdef"});
  CHECK(shelf.found("Two").empty());
  CHECK(shelf.found("two rivers").empty());
  auto untitled = shelf.put("zzz");
  untitled.append(sk::user("The first words of the user are the title until there is another")).value();
  CHECK(shelf.found(untitled.info().value().display_title()) == Names{"zzz"});
}

TEST_CASE("all sessions that fit are found, the newest first") {
  Shelf shelf;
  shelf.put("same-one", {}, "Rivers");
  shelf.put("same-two", {}, "Rivers");
  CHECK(shelf.found("same") == Names{"same-two", "same-one"});
  CHECK(shelf.found("Rivers") == Names{"same-two", "same-one"});
  auto const error = shelf.opened("same");
  CHECK(error.code == sk::Errc::invalid_argument);
  CHECK_THAT(error.message, contains("'same' may be any of 2 sessions: same-two, same-one;"));
  for (char const* id : {"same-3", "same-4", "same-5", "same-6"}) shelf.put(id);
  CHECK_THAT(shelf.opened("same").message,
             contains("6 sessions: same-6, same-5, same-4, same-3, same-two, ..."));
}

TEST_CASE("a key means its newest session that is not archived, and so does an age") {
  Shelf shelf;
  shelf.put("old", "k");
  shelf.put("new", "k");
  CHECK(shelf.found("k") == Names{"new"});
  shelf.put("last", "k").set_archived(true).value();
  CHECK(shelf.found("k") == Names{"new"});
  shelf.put("shared", sk::state_key("main"));
  CHECK(shelf.found("@last") == Names{"new"});
  CHECK(shelf.found("@-2") == Names{"old"});
  CHECK(shelf.found("@-3").empty());
  CHECK(shelf.found("last") == Names{"last"}); // its id names it all the same
}

TEST_CASE("a text that can name no session is invalid, and one that names none is not found") {
  Shelf shelf;
  shelf.put("plain"); // without a key and without a title
  for (char const* text : {"", "key:", "@", "@-", "@-0", "@-x", "@-1x", "@first", "@--1"}) {
    CHECK(sk::find_sessions(*shelf.store, text).error().code == sk::Errc::invalid_argument);
    CHECK(shelf.opened(text).code == sk::Errc::invalid_argument);
  }
  for (char const* text : {"nobody", "key:nobody", "@-2", "with a blank", "plain ", " "}) {
    CHECK(shelf.found(text).empty());
    CHECK(shelf.opened(text).code == sk::Errc::not_found);
  }
  CHECK_THAT(shelf.opened("nobody").message, contains("'nobody'"));
  CHECK(sk::Session::open_named(nullptr, "plain").error().code == sk::Errc::invalid_argument);
}

TEST_CASE("the session that a text names is opened, and continues") {
  Shelf shelf;
  shelf.put("abcdef", "k", "Rivers").append(sk::user("hello")).value();
  auto session = sk::Session::open_named(shelf.store, "Rivers").value();
  CHECK(session.id() == sid("abcdef"));
  session.append(sk::assistant("hi")).value();
  CHECK(sk::Session::open_named(shelf.store, "k").value().path().value().back().text() == "hi");
}

TEST_CASE("a store that fails while a text is looked up gives its error, never a wrong session") {
  Shelf shelf;
  shelf.put("abcdef", "k", "Rivers");
  Listless store(shelf.store);
  for (char const* text : {"@last", "key:k", "k", "Rivers"})
    CHECK(sk::find_sessions(store, text).error().code == sk::Errc::unavailable);
  store.lists = 0, store.good_lists = 1; // the key is asked for, the list of all fails
  CHECK(sk::find_sessions(store, "Rivers").error().code == sk::Errc::unavailable);
  store.fails_to_read = true;
  CHECK(sk::find_sessions(store, "abcdef").error().code == sk::Errc::corrupt);
}

TEST_CASE("all sessions of a query are listed, however many pages they need") {
  auto store = sk::make_memory_store();
  constexpr std::size_t count = 2005; // a page has 1,000
  for (std::size_t i = 0; i < count; ++i) {
    sk::NewSession about;
    about.id = sid("s" + std::to_string(i));
    about.agent = i % 2 == 0 ? "even" : "odd";
    about.created = sk::from_unix_ms(static_cast<std::int64_t>(i + 1));
    sk::Session::create(store, std::move(about)).value();
  }
  auto const all = sk::list_all(*store).value();
  REQUIRE(all.size() == count);
  for (std::size_t i = 0; i < count; ++i) CHECK(all[i].id.str() == "s" + std::to_string(count - 1 - i));
  sk::ListQuery query;
  query.agent = "odd";
  query.limit = 1;
  query.cursor = "not a cursor";
  CHECK(sk::list_all(*store, query).value().size() == count / 2); // limit and cursor do not matter

  Listless failing(store);
  failing.good_lists = 2;
  CHECK(sk::list_all(failing).error().code == sk::Errc::unavailable);
  CHECK(sk::list_all(*sk::make_memory_store()).value().empty());
}
