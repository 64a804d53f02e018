// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/result.hpp>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace sessionkit;

namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{Errc::invalid_argument, 7, "odd"};
  return n / 2;
}
Result<std::vector<std::string>> two_names() { return std::vector<std::string>{"a", "b"}; }
Result<void> only_if(bool good) {
  if (!good) return Error{Errc::io_error, 5, "bad"};
  return {};
}

struct Base {
  virtual ~Base() = default;
};
struct Derived : Base {};

// A value whose moves can throw, and which counts how many of it live.
struct Tracked {
  explicit Tracked(int n) : number(n) { ++living; }
  Tracked(Tracked const& other) : number(other.number) { check(), ++living; }
  Tracked(Tracked&& other) : number(other.number) { check(), ++living; }
  Tracked& operator=(Tracked const&) = default;
  Tracked& operator=(Tracked&&) = default;
  ~Tracked() { --living; }

  static void check() {
    if (throws) throw std::runtime_error("no copy");
  }
  int number;
  inline static int living = 0;
  inline static bool throws = false;
};

using TrackedResult = Result<Tracked>;
std::vector<TrackedResult> one_of_each(int number) {
  std::vector<TrackedResult> both;
  both.emplace_back(Tracked(number));
  both.emplace_back(Error{Errc::io_error, number, std::string(40, 'x')});
  return both;
}
bool same(TrackedResult const& a, TrackedResult const& b) {
  if (a.ok() != b.ok()) return false;
  return a ? a->number == b->number : a.error().system == b.error().system;
}

}

TEST_CASE("a result holds a value or an error") {
  auto const good = half(4);
  REQUIRE(good);
  CHECK(good.ok());
  CHECK(*good == 2);
  CHECK(good.value() == 2);
  auto const bad = half(3);
  CHECK_FALSE(bad);
  CHECK_FALSE(bad.ok());
  CHECK(bad.error().code == Errc::invalid_argument);
  CHECK(bad.error().system == 7);
  CHECK(bad.error().message == "odd");
}

TEST_CASE("the value of a failure throws the error") {
  try {
    static_cast<void>(half(3).value());
    FAIL("nothing was thrown");
  } catch (Exception const& thrown) {
    CHECK(thrown.what() == std::string("odd"));
    CHECK(thrown.error().code == Errc::invalid_argument);
  }
  CHECK_THROWS_AS(only_if(false).value(), Exception);
  CHECK_NOTHROW(only_if(true).value());
}

TEST_CASE("the value of a temporary can be used in a range-for") {
  std::string seen;
  for (auto const& name : two_names().value()) seen += name;
  CHECK(seen == "ab");
  static_assert(std::is_same_v<decltype(two_names().value()), std::vector<std::string>>);
}

TEST_CASE("a result moves its value") {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  CHECK(**result == 5);
  auto taken = std::move(result).value();
  CHECK(*taken == 5);
}

TEST_CASE("a result can be copied and moved exactly if its value can") {
  static_assert(std::is_copy_constructible_v<Result<int>> && std::is_copy_assignable_v<Result<int>>);
  using MoveOnly = Result<std::unique_ptr<int>>;
  static_assert(!std::is_copy_constructible_v<MoveOnly> && !std::is_copy_assignable_v<MoveOnly>);
  static_assert(
      std::is_nothrow_move_constructible_v<MoveOnly> && std::is_nothrow_move_assignable_v<MoveOnly>);
  static_assert(!std::is_nothrow_move_constructible_v<TrackedResult>);
}

TEST_CASE(
    "a value and an error can be copied, moved and assigned onto each other, and each is destroyed once") {
  {
    for (int from : {0, 1})
      for (int to : {0, 1}) {
        auto const sources = one_of_each(1);
        auto targets = one_of_each(2);
        auto const& source = sources[static_cast<std::size_t>(from)];
        auto& target = targets[static_cast<std::size_t>(to)];
        target = source;
        CHECK(same(target, source));
        auto copy = source;
        target = std::move(copy);
        CHECK(same(target, source));
        auto const& itself = target;
        target = itself;
        target = std::move(const_cast<TrackedResult&>(itself));
        CHECK(target.ok() == source.ok());
        CHECK(same(TrackedResult(source), source));
      }
  }
  CHECK(Tracked::living == 0);
}

TEST_CASE("a result whose assignment throws holds an error") {
  {
    auto results = one_of_each(1);
    results.reserve(3);
    Tracked::throws = true;
    CHECK_THROWS_AS(results[1] = std::move(results[0]), std::runtime_error);
    Tracked::throws = false;
    CHECK_FALSE(results[1].ok());
    CHECK(results[0].ok());
  }
  CHECK(Tracked::living == 0);
}

TEST_CASE("a result of a derived pointer converts to one of its base") {
  Result<std::shared_ptr<Base>> good = Result<std::shared_ptr<Derived>>(std::make_shared<Derived>());
  CHECK(good);
  Result<std::shared_ptr<Base>> bad = Result<std::shared_ptr<Derived>>(Error{Errc::not_found, 0, "gone"});
  CHECK(bad.error().message == "gone");
}

TEST_CASE("every error code has its own name") {
  std::vector<std::string> names;
  for (int code = 1; code <= static_cast<int>(Errc::forked); ++code) {
    std::string const name = to_string(static_cast<Errc>(code));
    CHECK(name != "unknown");
    for (auto const& other : names) CHECK(name != other);
    names.push_back(name);
  }
  CHECK(names.size() == 16);
  CHECK(to_string(Errc::outcome_unknown) == std::string("outcome_unknown"));
  CHECK(to_string(static_cast<Errc>(0)) == std::string("unknown"));
}

TEST_CASE("a success that is asked for its error answers invalid_argument, and not a failure with a remedy") {
  Result<void> const done = only_if(true);
  CHECK(done.error().code == Errc::invalid_argument);
  CHECK(done.error().message.find("succeeded") != std::string::npos);
  CHECK(only_if(true).error().code == Errc::invalid_argument);
  Result<int> const good = half(4);
  CHECK(good.error().code == Errc::invalid_argument);
  CHECK(half(4).error().message == done.error().message);
}

TEST_CASE("a failure handler sees the error of a value that is taken, and the exception follows") {
  static std::vector<int> seen;
  seen.clear();
  FailureHandler const before = set_failure_handler([](Error const& error) { seen.push_back(error.system); });
  CHECK(before == nullptr);
  CHECK(half(4).value() == 2);
  CHECK(seen.empty());
  CHECK_THROWS_AS(half(3).value(), Exception);
  CHECK_THROWS_AS(only_if(false).value(), Exception);
  CHECK(seen == std::vector<int>{7, 5});
  CHECK(set_failure_handler(nullptr) != nullptr);
  CHECK_THROWS_AS(half(5).value(), Exception);
  CHECK(seen.size() == 2);
}

TEST_CASE("a result is made from what converts to its value") {
  auto const text = []() -> Result<std::string> { return "a literal"; };
  CHECK(text().value() == "a literal");
  auto const shared = []() -> Result<std::shared_ptr<Base>> { return std::make_shared<Derived>(); };
  CHECK(shared().value() != nullptr);
  auto const failed = []() -> Result<std::string> {
    Error error{Errc::io_error, 5, "bad"}; // not const: no copy of it is a value
    return error;
  };
  CHECK(failed().error().message == "bad");
  CHECK_FALSE(std::is_convertible_v<int, Result<std::string>>);
}

TEST_CASE("a result is not made from what would dangle or be no value") {
  STATIC_REQUIRE(std::is_convertible_v<char const*, Result<std::string_view>>);
  STATIC_REQUIRE(std::is_convertible_v<std::string_view, Result<std::string_view>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<std::string, Result<std::string_view>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<std::nullptr_t, Result<std::string>>);
  STATIC_REQUIRE(std::is_convertible_v<std::nullptr_t, Result<char const*>>);
  STATIC_REQUIRE(std::is_convertible_v<std::nullptr_t, Result<std::shared_ptr<int>>>);
}
