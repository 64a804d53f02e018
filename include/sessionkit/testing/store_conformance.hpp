// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Checks of the contract of `SessionStore`, without a test framework. The author of a store fills a
/// `StoreUnderTest`, calls `check_store` and reads the report. Some checks need copies of the process
/// (forks). Windows cannot copy a process, so these checks are not run there, and the report says so.
namespace sessionkit { inline namespace v0 { namespace testing {

/// Promises of a store beyond the contract. Each claimed promise is checked, and a broken promise is a
/// failure. A promise that is not claimed is not checked, and the report shows this.
enum class Claim : unsigned {
  /// No promise beyond the contract.
  none = 0,
  /// Acknowledged entries still exist after the store was closed and opened again (`open_again`).
  persistent = 1,
  /// Two store objects of one process may have the same data open at the same time.
  shared = 2,
  /// Several processes may have the same data open at the same time, and no acknowledged entry is lost when
  /// one of them is killed.
  shared_between_processes = 4,
  /// A failed append leaves nothing or the complete batch, never a part of it (`fail_call`).
  transactional_batches = 8,
  /// If any call that the store makes to the layer below fails (`fail_call`), the store reports a failure.
  survives_faults = 16,
  /// A durable append reaches the medium before the call returns (`syncs`).
  durable = 32,
  /// Removed sessions can be brought back by hand (`removed_lines`).
  trash = 64,
  /// Lines whose bytes are not UTF-8 are kept. A store without this claim must refuse them.
  any_bytes = 128,
  /// In a forked child, each of the five functions of `SessionStore` fails with `forked`, whatever the
  /// parent's threads did at the moment of the fork. With the address sanitizer of clang 16 or earlier, the
  /// child can wait for ever in malloc: link `tests/support/sanitizer_fork.cpp` there.
  refuses_children = 256,
};
/// Returns all claims of `a` and all claims of `b`.
constexpr Claim operator|(Claim a, Claim b) noexcept {
  return static_cast<Claim>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
/// True if `all` has every claim of `one`.
constexpr bool has_claim(Claim all, Claim one) noexcept {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) == static_cast<unsigned>(one);
}
/// Returns the enumerator's name. Never null.
SESSIONKIT_API char const* to_string(Claim) noexcept;

/// A store to check, and the functions that the checks need.
struct StoreUnderTest {
  std::string name; ///< the name of the store in the report
  /// Opens an empty store, which shares no data with earlier stores.
  std::function<Result<std::shared_ptr<SessionStore>>()> open_empty;
  /// Opens the data of the last `open_empty` again. The earlier store object may still be open, in this
  /// process or in another one. The claims `persistent`, `shared` and `shared_between_processes` need this
  /// function.
  std::function<Result<std::shared_ptr<SessionStore>>()> open_again = {};
  Claim claims = Claim::none;          ///< the promises to check, joined by `|`
  std::string_view dialect = "native"; ///< the dialect of the sessions that the checks make
  /// Makes a later call to the layer below the store fail. `n` is the number of calls before the call that
  /// fails. If `sticky` is true, all calls after the failed call fail too. If `n` is negative, no call fails.
  /// Returns true if a call has failed since this function was last called.
  std::function<bool(std::int64_t n, bool sticky)> fail_call = {};
  /// Returns the number of syncs of the medium that have succeeded in this process.
  std::function<std::uint64_t()> syncs = {};
  /// Returns the lines of a removed session from the store's trash. Empty if the session is not there.
  std::function<std::vector<std::string>(SessionId const&)> removed_lines = {};
  std::size_t long_line = std::size_t{4}
                          << 20; ///< the length in bytes of the longest line that the checks try
  /// Names of checks that the store cannot pass by its nature, as its documentation says. These checks are
  /// run, and reported with the verdict `cannot_keep`. If such a check passes, or does not exist, the report
  /// has a failure.
  std::vector<std::string_view> cannot_keep = {};
};

/// The topic of a check.
enum class Tier {
  core,       ///< the behaviour of every store while nothing fails
  contract,   ///< each sentence of `SessionStore` and `RecordPage`
  concurrent, ///< threads, several stores on the same data, processes
  hostile,    ///< ids, keys and lines that an attacker might choose
  fault,      ///< failures of the layer below the store
};
/// Returns the enumerator's name. Never null.
SESSIONKIT_API char const* to_string(Tier) noexcept;

/// The outcome of a check.
enum class Verdict {
  passed,      ///< the store does what `CheckName::sentence` says
  failed,      ///< the store does not do what `CheckName::sentence` says
  not_claimed, ///< the check was not run, because the store does not claim `CheckName::needs`
  cannot_keep, ///< as `failed`, but `StoreUnderTest::cannot_keep` names the check
  not_possible ///< the check was not run, because this system cannot copy a process
};
/// Returns the enumerator's name. Never null.
SESSIONKIT_API char const* to_string(Verdict) noexcept;

/// The result of one check.
struct CheckResult {
  std::string_view name;             ///< the name of the check, in static storage
  Tier tier = Tier::core;            ///< the topic
  Verdict verdict = Verdict::passed; ///< the outcome
  /// With the verdicts `failed` and `cannot_keep`, the result that the check saw instead of the expected one.
  /// With `not_claimed`, the claim that the check needs; with `not_possible`, what the system cannot do.
  std::string seen = {};
};

/// The results of all checks of a store.
struct ConformanceReport {
  std::string store;                    ///< `StoreUnderTest::name`
  std::uint64_t seed = 0;               ///< the seed of all random choices in this run
  std::vector<CheckResult> checks = {}; ///< in the order of `conformance_checks`

  /// True if no check failed.
  SESSIONKIT_API bool ok() const noexcept;
  /// Returns the number of checks of a tier that ended with this verdict.
  SESSIONKIT_API std::size_t count(Tier tier, Verdict verdict) const noexcept;
  /// Returns one JSON object on one line: `{"store","seed","checks":[{"name","tier","verdict","seen"}]}`.
  SESSIONKIT_API std::string to_json() const;
  /// Returns the failed checks as text, one line for each, with the sentence of the check. Empty if no check
  /// failed.
  SESSIONKIT_API std::string failures() const;
  /// Returns a text with one line for each check whose verdict is `cannot_keep`: the sentence of the check.
  /// Empty if there is no such check.
  SESSIONKIT_API std::string not_kept() const;
};

/// Returns the reports as a table: a row for each store, a column for each tier, the claims that are missing,
/// the checks that cannot be kept, and those that this system cannot run.
SESSIONKIT_API std::string to_table(std::vector<ConformanceReport> const& reports);

/// Options of `check_store`: how much the checks try.
struct ConformanceOptions {
  std::uint64_t seed = 20251122; ///< the seed of all random choices; the same seed makes the same choices
  std::size_t sequences = 40;    ///< the number of random sequences, of 50 operations each
  std::size_t texts = 100;       ///< the number of random keys, ids and values
  std::size_t rounds = 25;       ///< the number of appends of each thread or process
  /// Only checks whose name contains this text are run.
  std::string only = {};
};

/// The name and the sentence of a check.
struct CheckName {
  std::string_view name;     ///< the name, in static storage
  Tier tier;                 ///< the topic
  std::string_view sentence; ///< what the contract says
  Claim needs;               ///< the check is run only if the store has this claim; `none`: always
};
/// Returns all checks, in the order in which they run.
SESSIONKIT_API std::vector<CheckName> conformance_checks();

/// Runs the checks. The run always completes, unless the store crashes or a call never returns.
SESSIONKIT_API ConformanceReport check_store(StoreUnderTest const& store,
                                             ConformanceOptions const& options = {});

}}}
