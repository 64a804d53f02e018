// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>
#include <sessionkit/testing/store_conformance.hpp>

#include <random>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

/// A record that owns its texts.
struct Record {
  std::string id, type, line, parent; ///< the id is empty if the line has none
  Parent link = Parent::previous;
  RecordView view() const { return {id, type, line, link, parent}; }
};
using Records = std::vector<Record>;

/// All records of a log, oldest first, and the positions at which they end.
struct WholeLog {
  Records records;
  std::vector<Position> ends;
  Position log_end;
  std::string dialect;
  std::vector<Damage> damage;
  std::size_t pages = 0;
};

/// The exception that a check throws when it has failed and cannot continue. It ends only that check.
struct Refuted {
  std::string what;
};

/// One run of one check on one store. This class opens the store, makes lines for it, and reports failures.
class Trial {
 public:
  Trial(StoreUnderTest const& store, ConformanceOptions const& how, Dialect const& words)
      : subject(store), options(how), dialect(words), random(how.seed) {}

  StoreUnderTest const& subject;
  ConformanceOptions const& options;
  Dialect const& dialect;
  std::mt19937_64 random;

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random() % n); }
  bool claims(Claim claim) const { return has_claim(subject.claims, claim); }

  std::shared_ptr<SessionStore> empty() { return opened(subject.open_empty(), "open_empty"); }
  std::shared_ptr<SessionStore> again() { return opened(subject.open_again(), "open_again"); }

  [[noreturn]] static void refute(std::string what) { throw Refuted{std::move(what)}; }
  static void expect(bool holds, std::string const& otherwise) {
    if (!holds) refute(otherwise);
  }
  template <class T> static T must(Result<T> result, std::string const& what) {
    if (!result) refute(what + " failed: " + said(result.error()));
    return std::move(*result);
  }
  static void must(Result<void> const& result, std::string const& what) {
    if (!result) refute(what + " failed: " + said(result.error()));
  }
  template <class T> static void refused(Result<T> const& result, Errc as, std::string const& what) {
    if (result) refute(what + " succeeded; expected " + to_string(as));
    if (result.error().code != as)
      refute(what + ": expected " + to_string(as) + ", got " + said(result.error()));
    expect(!result.error().message.empty(), what + ": the error says nothing");
  }
  static std::string said(Error const& error) {
    return std::string(to_string(error.code)) + " (" + error.message + ")";
  }

  // Functions that make lines. The time of each line is one second after the time of the previous line.

  Record header(SessionId const& id, Header about = {});
  Record message(std::string const& text, std::string entry_id = {});
  Record entry(EntryBody body, std::string entry_id = {});
  /// Makes a record of this line. The dialect reads the head of the line.
  Record raw(std::string line) const;
  /// Makes a header and this number of messages.
  Records session(SessionId const& id, std::size_t messages, Header about = {});
  std::string fresh_id() { return "e" + std::to_string(++ids_); }
  Timestamp now() const { return from_unix_ms(1762243200000 + seconds_ * 1000); }
  void tick(std::int64_t seconds = 1) { seconds_ += seconds; }

 private:
  std::shared_ptr<SessionStore> opened(Result<std::shared_ptr<SessionStore>> store, char const* what) {
    if (!store) refute(std::string(what) + " failed: " + said(store.error()));
    expect(*store != nullptr, std::string(what) + " answered null");
    return std::move(*store);
  }
  std::int64_t seconds_ = 0;
  std::uint64_t ids_ = 0;
};

SessionId sid(std::string const& text);
Append batch_of(Records const& records, Position expected = {});

/// Reads a whole log, page by page. The check fails if the pages do not fit together.
WholeLog read_pages(SessionStore& store, SessionId const& id, ReadRange range = {});
/// The same. The check also fails if the store reports damage.
WholeLog read_log(SessionStore& store, SessionId const& id, ReadRange range = {});
/// The check fails if the records of the log differ from `expected`.
void expect_log(SessionStore& store, SessionId const& id, Records const& expected, std::string const& when);
/// Returns the first difference, or an empty text if the records are equal. If an expected record has no id,
/// its id in the log may be any id that the store gives by position.
std::string difference(Records const& expected, WholeLog const& log);

/// Reads the log, and returns the summary that `fold` makes of its records.
SessionInfo folded(SessionStore& store, SessionId const& id);
/// Returns the first field that differs, or an empty text if all fields are equal.
std::string difference(SessionInfo const& expected, SessionInfo const& got);
/// Returns all sessions of a query, page by page. The check fails if the pages do not end, or if a session
/// comes twice.
std::vector<SessionInfo> list_checked(SessionStore& store, ListQuery query);
std::vector<std::string> ids_of(std::vector<SessionInfo> const& sessions);
std::string joined(std::vector<std::string> const& texts);

/// Appends at the present end of the log. Tries again if another writer was faster.
Position append_somehow(SessionStore& store, SessionId const& id, Records const& records);

std::string quoted(std::string_view bytes);

struct Check {
  CheckName name;
  void (*run)(Trial&);
};

}}}
