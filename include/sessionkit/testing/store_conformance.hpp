// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The contract of `SessionStore` as functions that need no test framework: whoever writes a store fills a
/// `StoreUnderTest`, calls `check_store` and looks at the report. Needs POSIX (checks with processes fork).
namespace sessionkit { inline namespace v0 { namespace testing {

/// What a store says of itself beside the contract. A claim is proved: one that is not kept is a failure.
/// What is not claimed is not checked, and the report says so.
enum class Claim : unsigned {
  none = 0,
  /// What was acknowledged is there when the store is closed and opened again (`open_again`).
  persistent = 1,
  /// Two stores may have the same data open at once, in one process.
  shared = 2,
  /// In several processes too; and killing one loses nothing that was acknowledged.
  shared_between_processes = 4,
  /// A failed append leaves nothing, or all of its batch, never a part (`fail_call`).
  transactional_batches = 8,
  /// Each call that can fail below the store was made to fail (`fail_call`) and its failure told truly.
  survives_faults = 16,
  /// A durable append reaches the medium before it answers (`syncs`).
  durable = 32,
  /// Removed sessions can be brought back by hand (`removed_lines`).
  trash = 64,
  /// Lines whose bytes are not UTF-8 are kept; else they are refused.
  any_bytes = 128,
};
constexpr Claim operator|(Claim a, Claim b) noexcept {
  return static_cast<Claim>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has_claim(Claim all, Claim one) noexcept {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) == static_cast<unsigned>(one);
}
/// The enumerator's name. Never null.
SESSIONKIT_API char const* to_string(Claim) noexcept;

/// A store, and how to get at it.
struct StoreUnderTest {
  std::string name; ///< for the report
  /// An empty store, which shares nothing with those opened before.
  std::function<Result<std::shared_ptr<SessionStore>>()> open_empty;
  /// What `open_empty` opened last, once more; that one may still be open, here or in another process. Needed
  /// for `persistent` and the `shared` claims.
  std::function<Result<std::shared_ptr<SessionStore>>()> open_again = {};
  Claim claims = Claim::none;
  std::string_view dialect = "native"; ///< of the sessions that the checks make
  /// Makes the n-th call (from 0) that the store makes from now on below itself fail; `sticky`: and all after
  /// it. Negative: none any more. Answers whether one failed since it was set before.
  std::function<bool(std::int64_t n, bool sticky)> fail_call = {};
  /// How many syncs of the medium succeeded so far, in this process.
  std::function<std::uint64_t()> syncs = {};
  /// The lines of a removed session, as its trash has them; empty: it is not there.
  std::function<std::vector<std::string>(SessionId const&)> removed_lines = {};
  std::size_t long_line = std::size_t{4} << 20; ///< the longest line that is tried; bytes
};

/// What a check is about.
enum class Tier {
  core,       ///< what every store does on a good day
  contract,   ///< each sentence of `SessionStore` and `RecordPage`
  concurrent, ///< threads, several stores on the same data, processes
  hostile,    ///< ids, keys and lines that mean harm
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
  std::string seen = {}; ///< failed: what was seen instead; not_claimed: which claim it needs
};

/// What all checks of a store found.
struct ConformanceReport {
  std::string store;
  std::uint64_t seed = 0; ///< of everything random in it
  std::vector<CheckResult> checks = {};

  /// Nothing failed.
  SESSIONKIT_API bool ok() const noexcept;
  /// How many checks of a tier ended so.
  SESSIONKIT_API std::size_t count(Tier tier, Verdict verdict) const noexcept;
  /// One JSON object on one line: `{"store","seed","checks":[{"name","tier","verdict","seen"}]}`.
  SESSIONKIT_API std::string to_json() const;
  /// The failures as text, one a line with the check's sentence; empty: there are none.
  SESSIONKIT_API std::string failures() const;
};

/// The reports as a table: a row for each store, a column for each tier, and what is not claimed.
SESSIONKIT_API std::string to_table(std::vector<ConformanceReport> const& reports);

/// How much to try.
struct ConformanceOptions {
  std::uint64_t seed = 20251122;
  std::size_t sequences = 40; ///< random sequences of operations, of 50 each
  std::size_t texts = 100;    ///< random keys, ids and values
  std::size_t rounds = 25;    ///< appends of each thread or process
  /// Only checks whose name contains this.
  std::string only = {};
};

/// A check by its name and sentence.
struct CheckName {
  std::string_view name;
  Tier tier;
  std::string_view sentence; ///< what the contract says
  Claim needs;
};
/// All of them, in the order they run.
SESSIONKIT_API std::vector<CheckName> conformance_checks();

/// Runs the checks. Nothing a store does ends it but a crash or an endless call.
SESSIONKIT_API ConformanceReport check_store(StoreUnderTest const& store,
                                             ConformanceOptions const& options = {});

}}}
