// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>
#include <sessionkit/testing/store_conformance.hpp>

#include <random>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

/// A record that owns its texts.
struct Record {
  std::string id, type, line, parent; ///< the id is empty where the line has none
  Parent link = Parent::previous;
  RecordView view() const { return {id, type, line, link, parent}; }
};
using Records = std::vector<Record>;

/// All records of a log in one direction, oldest first, and the position where each ends.
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

/// One check of one store: opens the store, makes lines for it, and reports failures.
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

  // Lines. Each has a time of its own, one second after the one before.

  Record header(SessionId const& id, Header about = {});
  Record message(std::string const& text, std::string entry_id = {});
  Record entry(EntryBody body, std::string entry_id = {});
  /// Makes a record of a line as it is. The dialect reads its head.
  Record raw(std::string line) const;
  /// A header and some messages.
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
/// The same; the check also fails if damage is reported.
WholeLog read_log(SessionStore& store, SessionId const& id, ReadRange range = {});
/// The check fails unless the log has exactly these records.
void expect_log(SessionStore& store, SessionId const& id, Records const& expected, std::string const& when);
/// Returns the first difference. Empty if the records are equal. A store may have given ids to records
/// without one.
std::string difference(Records const& expected, WholeLog const& log);

/// Returns the summary that a fold of the records from `read` gives.
SessionInfo folded(SessionStore& store, SessionId const& id);
/// Returns the first field that differs. Empty if all are equal.
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
