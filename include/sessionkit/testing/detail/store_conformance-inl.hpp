// SPDX-License-Identifier: MIT
// Runs the checks that a store claims to pass and writes the report.
#pragma once
#include <sessionkit/raw_json.hpp>
#include <sessionkit/testing/detail/child_process.hpp>
#include <sessionkit/testing/detail/concurrent_checks.hpp>
#include <sessionkit/testing/detail/contract_checks.hpp>
#include <sessionkit/testing/detail/core_checks.hpp>
#include <sessionkit/testing/detail/fault_checks.hpp>
#include <sessionkit/testing/detail/hostile_checks.hpp>
#include <sessionkit/testing/detail/list_checks.hpp>
#include <sessionkit/testing/detail/model_checks.hpp>
#include <sessionkit/testing/store_conformance.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace testing {

namespace store_conformance_inl { namespace {

constexpr std::array<Claim, 9> every_claim{Claim::persistent,
                                           Claim::shared,
                                           Claim::shared_between_processes,
                                           Claim::transactional_batches,
                                           Claim::survives_faults,
                                           Claim::durable,
                                           Claim::trash,
                                           Claim::any_bytes,
                                           Claim::refuses_children};
constexpr std::array<Tier, 5> every_tier{Tier::core, Tier::contract, Tier::concurrent, Tier::hostile,
                                         Tier::fault};

std::vector<detail::Check> const& every_check() {
  static std::vector<detail::Check> const checks = [] {
    std::vector<detail::Check> all;
    detail::add_core_checks(all);
    detail::add_contract_checks(all);
    detail::add_list_checks(all);
    detail::add_model_checks(all);
    detail::add_concurrent_checks(all);
    detail::add_hostile_checks(all);
    detail::add_fault_checks(all);
    return all;
  }();
  return checks;
}

std::string claims_missing(Claim has, Claim needs) {
  std::string out;
  for (Claim const one : every_claim)
    if (has_claim(needs, one) && !has_claim(has, one)) (out += out.empty() ? "" : ", ") += to_string(one);
  return out;
}

// Each check with these claims runs a copy of the process.
bool needs_copy(Claim needs) noexcept {
  return has_claim(needs, Claim::shared_between_processes) || has_claim(needs, Claim::refuses_children);
}

CheckResult run_check(detail::Check const& check, StoreUnderTest const& store,
                      ConformanceOptions const& options, Dialect const& dialect) {
  CheckResult result{check.name.name, check.name.tier};
  if (std::string missing = claims_missing(store.claims, check.name.needs); !missing.empty()) {
    result.verdict = Verdict::not_claimed;
    result.seen = std::move(missing);
    return result;
  }
  if (needs_copy(check.name.needs) && !detail::ChildProcess::possible()) {
    result.verdict = Verdict::not_possible;
    result.seen = "this system cannot copy a process";
    return result;
  }
  try {
    detail::Trial trial(store, options, dialect);
    check.run(trial);
  } catch (detail::Refuted const& refuted) {
    result.verdict = Verdict::failed;
    result.seen = refuted.what;
  } catch (std::exception const& thrown) {
    result.verdict = Verdict::failed;
    result.seen = std::string("the store threw: ") + thrown.what();
  }
  if (result.verdict == Verdict::failed && store.fail_call) store.fail_call(-1, false);
  auto const& excused = store.cannot_keep;
  if (std::find(excused.begin(), excused.end(), result.name) == excused.end()) return result;
  if (result.verdict == Verdict::failed) {
    result.verdict = Verdict::cannot_keep;
  } else {
    result.verdict = Verdict::failed;
    result.seen = "the store keeps it: remove it from `cannot_keep`";
  }
  return result;
}

// The checks of a report that ended so, each in a line with its sentence.
std::string listed(ConformanceReport const& report, Verdict verdict) {
  std::string out;
  for (CheckResult const& check : report.checks) {
    if (check.verdict != verdict) continue;
    out += report.store + " " + (verdict == Verdict::cannot_keep ? "cannot keep " : "")
           + std::string(check.name) + ": " + check.seen;
    for (detail::Check const& known : every_check())
      if (known.name.name == check.name) out += " [" + std::string(known.name.sentence) + "]";
    out += " (seed " + std::to_string(report.seed) + ")\n";
  }
  return out;
}

void append_cell(std::string& row, std::string const& text, std::size_t width) {
  row += text;
  if (text.size() < width) row.append(width - text.size(), ' ');
  row += "  ";
}

}}

char const* to_string(Claim claim) noexcept {
  switch (claim) {
  case Claim::none: return "none";
  case Claim::persistent: return "persistent";
  case Claim::shared: return "shared";
  case Claim::shared_between_processes: return "shared_between_processes";
  case Claim::transactional_batches: return "transactional_batches";
  case Claim::survives_faults: return "survives_faults";
  case Claim::durable: return "durable";
  case Claim::trash: return "trash";
  case Claim::any_bytes: return "any_bytes";
  case Claim::refuses_children: return "refuses_children";
  }
  return "several";
}
char const* to_string(Tier tier) noexcept {
  switch (tier) {
  case Tier::core: return "core";
  case Tier::contract: return "contract";
  case Tier::concurrent: return "concurrent";
  case Tier::hostile: return "hostile";
  case Tier::fault: return "fault";
  }
  return "unknown";
}
char const* to_string(Verdict verdict) noexcept {
  switch (verdict) {
  case Verdict::passed: return "passed";
  case Verdict::failed: return "failed";
  case Verdict::not_claimed: return "not_claimed";
  case Verdict::cannot_keep: return "cannot_keep";
  case Verdict::not_possible: return "not_possible";
  }
  return "unknown";
}

bool ConformanceReport::ok() const noexcept {
  return !checks.empty() && std::none_of(checks.begin(), checks.end(), [](CheckResult const& c) {
    return c.verdict == Verdict::failed;
  });
}

std::size_t ConformanceReport::count(Tier tier, Verdict verdict) const noexcept {
  return static_cast<std::size_t>(std::count_if(checks.begin(), checks.end(), [&](CheckResult const& c) {
    return c.tier == tier && c.verdict == verdict;
  }));
}

std::string ConformanceReport::to_json() const {
  std::string out = R"({"store":)" + RawJson::string(store).str();
  out.append(R"(,"seed":)").append(std::to_string(seed)).append(R"(,"checks":[)");
  for (CheckResult const& check : checks) {
    if (out.back() != '[') out += ',';
    out.append(R"({"name":)").append(RawJson::string(check.name).str());
    out.append(R"(,"tier":")").append(to_string(check.tier));
    out.append(R"(","verdict":")").append(to_string(check.verdict));
    out.append(R"(","seen":)").append(RawJson::string(check.seen).str()) += '}';
  }
  return out + "]}";
}

std::string ConformanceReport::failures() const {
  return store_conformance_inl::listed(*this, Verdict::failed);
}
std::string ConformanceReport::not_kept() const {
  return store_conformance_inl::listed(*this, Verdict::cannot_keep);
}

std::string to_table(std::vector<ConformanceReport> const& reports) {
  constexpr std::size_t width = 11;
  std::size_t name_width = 5;
  for (ConformanceReport const& report : reports) name_width = std::max(name_width, report.store.size());
  std::string table;
  store_conformance_inl::append_cell(table, "store", name_width);
  for (Tier const tier : store_conformance_inl::every_tier)
    store_conformance_inl::append_cell(table, to_string(tier), width);
  table += "not claimed\n";
  for (ConformanceReport const& report : reports) {
    store_conformance_inl::append_cell(table, report.store, name_width);
    for (Tier const tier : store_conformance_inl::every_tier) {
      std::size_t const passed = report.count(tier, Verdict::passed),
                        failed = report.count(tier, Verdict::failed);
      store_conformance_inl::append_cell(table,
                                         failed > 0 ? std::to_string(failed) + " of "
                                                          + std::to_string(passed + failed) + " BAD"
                                         : passed > 0 ? std::to_string(passed) + " passed"
                                                      : "-",
                                         width);
    }
    std::string missing;
    for (Claim const claim : store_conformance_inl::every_claim)
      for (CheckResult const& check : report.checks)
        if (check.verdict == Verdict::not_claimed
            && (", " + check.seen + ",").find(std::string(" ") + to_string(claim) + ",")
                   != std::string::npos) {
          (missing += missing.empty() ? "" : ", ") += to_string(claim);
          break;
        }
    for (auto const& [verdict, words] : {std::pair(Verdict::cannot_keep, "cannot keep: "),
                                         std::pair(Verdict::not_possible, "not possible here: ")}) {
      std::string names;
      for (CheckResult const& check : report.checks)
        if (check.verdict == verdict) names.append(names.empty() ? "" : ", ").append(check.name);
      if (!names.empty()) missing += (missing.empty() ? words : std::string("; ") + words) + names;
    }
    table += (missing.empty() ? "-" : missing) + "\n";
  }
  return table;
}

std::vector<CheckName> conformance_checks() {
  std::vector<CheckName> names;
  for (detail::Check const& check : store_conformance_inl::every_check()) names.push_back(check.name);
  return names;
}

ConformanceReport check_store(StoreUnderTest const& store, ConformanceOptions const& options) {
  ConformanceReport report{store.name, options.seed};
  Dialect const* const dialect = find_dialect(store.dialect);
  if (dialect == nullptr) {
    report.checks.push_back({"dialect", Tier::core, Verdict::failed, "there is no such dialect"});
    return report;
  }
  for (detail::Check const& check : store_conformance_inl::every_check())
    if (check.name.name.find(options.only) != std::string_view::npos)
      report.checks.push_back(store_conformance_inl::run_check(check, store, options, *dialect));
  for (std::string_view const excused : store.cannot_keep) {
    auto const& all = store_conformance_inl::every_check();
    if (std::none_of(all.begin(), all.end(), [&](detail::Check const& c) { return c.name.name == excused; }))
      report.checks.push_back({excused, Tier::core, Verdict::failed, "there is no such check"});
  }
  return report;
}

}}}
