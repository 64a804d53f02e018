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

/// The contract of `SessionStore` as functions that need no test framework: the author of a store fills a
/// `StoreUnderTest`, calls `check_store` and looks at the report. Needs POSIX (checks with processes fork).
namespace sessionkit { inline namespace v0 { namespace testing {

/// Promises of a store beyond the contract. Each claimed promise is checked, and a broken promise is a
/// failure. A promise that is not claimed is not checked, and the report shows this.
enum class Claim : unsigned {
  none = 0,
  /// Acknowledged entries exist after the store was closed and opened again (`open_again`).
  persistent = 1,
  /// Two store objects of one process may have the same data open at the same time.
  shared = 2,
  /// The same holds for several processes, and nothing acknowledged is lost when one of them is killed.
  shared_between_processes = 4,
  /// A failed append leaves nothing or the complete batch, never a part of it (`fail_call`).
  transactional_batches = 8,
  /// Each call that the store makes below itself can be made to fail (`fail_call`), and the store then
  /// reports a failure.
  survives_faults = 16,
  /// A durable append reaches the medium before it answers (`syncs`).
  durable = 32,
  /// Removed sessions can be brought back by hand (`removed_lines`).
  trash = 64,
  /// Lines whose bytes are not UTF-8 are kept; else they are refused.
  any_bytes = 128,
  /// In a forked child each of the five calls answers `forked`, whatever the parent's threads did then.
  refuses_children = 256,
};
constexpr Claim operator|(Claim a, Claim b) noexcept {
  return static_cast<Claim>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has_claim(Claim all, Claim one) noexcept {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) == static_cast<unsigned>(one);
}
/// The enumerator's name. Never null.
SESSIONKIT_API char const* to_string(Claim) noexcept;

/// A store, and the functions by which the checks reach it.
struct StoreUnderTest {
  std::string name; ///< its name in the report
  /// Opens an empty store, which shares nothing with earlier ones.
  std::function<Result<std::shared_ptr<SessionStore>>()> open_empty;
  /// Opens again what `open_empty` opened last; that store may still be open, here or in another process.
  /// Needed for `persistent` and the `shared` claims.
  std::function<Result<std::shared_ptr<SessionStore>>()> open_again = {};
  Claim claims = Claim::none;
  std::string_view dialect = "native"; ///< the dialect of the sessions that the checks make
  /// From now on, the n-th call (from 0) that the store makes below itself fails; with `sticky`, all later
  /// calls fail too. Negative: no call fails. Returns whether a call has failed since the last setting.
  std::function<bool(std::int64_t n, bool sticky)> fail_call = {};
  /// How many syncs of the medium have succeeded in this process.
  std::function<std::uint64_t()> syncs = {};
  /// The lines of a removed session from the store's trash; empty: it is not there.
  std::function<std::vector<std::string>(SessionId const&)> removed_lines = {};
  std::size_t long_line = std::size_t{4} << 20; ///< the longest line that the checks try; bytes
};

/// What a check is about.
enum class Tier {
  core,       ///< what every store does while nothing fails
  contract,   ///< each sentence of `SessionStore` and `RecordPage`
  concurrent, ///< threads, several stores on the same data, processes
  hostile,    ///< ids, keys and lines of an attacker
  fault,      ///< calls below the store that fail
};
/// The enumerator's name. Never null.
SESSIONKIT_API char const* to_string(Tier) noexcept;

/// How a check ended.
enum class Verdict { passed, failed, not_claimed };
/// The enumerator's name. Never null.
SESSIONKIT_API char const* to_string(Verdict) noexcept;

/// What a check found.
struct CheckResult {
  std::string_view name; ///< static storage
  Tier tier = Tier::core;
  Verdict verdict = Verdict::passed;
  std::string seen =
      {}; ///< failed: the result instead of the expected one; not_claimed: the claim that the check needs
};

/// What all checks of a store found.
struct ConformanceReport {
  std::string store;
  std::uint64_t seed = 0; ///< the seed of all random choices
  std::vector<CheckResult> checks = {};

  /// True if no check failed.
  SESSIONKIT_API bool ok() const noexcept;
  /// How many checks of a tier ended with this verdict.
  SESSIONKIT_API std::size_t count(Tier tier, Verdict verdict) const noexcept;
  /// One JSON object on one line: `{"store","seed","checks":[{"name","tier","verdict","seen"}]}`.
  SESSIONKIT_API std::string to_json() const;
  /// The failures as text, each in a line with the sentence of its check; empty: no check failed.
  SESSIONKIT_API std::string failures() const;
};

/// The reports as a table: a row for each store, a column for each tier, and the claims that are missing.
SESSIONKIT_API std::string to_table(std::vector<ConformanceReport> const& reports);

/// How much the checks try.
struct ConformanceOptions {
  std::uint64_t seed = 20251122;
  std::size_t sequences = 40; ///< random sequences of operations, of 50 each
  std::size_t texts = 100;    ///< random keys, ids and values
  std::size_t rounds = 25;    ///< appends of each thread or process
  /// Run only checks whose name contains this.
  std::string only = {};
};

/// A check by its name and sentence.
struct CheckName {
  std::string_view name;
  Tier tier;
  std::string_view sentence; ///< what the contract says
  Claim needs;
};
/// All checks, in the order they run.
SESSIONKIT_API std::vector<CheckName> conformance_checks();

/// Runs the checks. Only a crash or an endless call of the store can end the run early.
SESSIONKIT_API ConformanceReport check_store(StoreUnderTest const& store,
                                             ConformanceOptions const& options = {});

}}}
