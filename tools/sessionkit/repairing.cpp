// SPDX-License-Identifier: MIT
// doctor: finds what is wrong with a store, and repairs it.
#include "alike.hpp"
#include "naming.hpp"
#include "recognising.hpp"

#include <sessionkit/doctor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <filesystem>
#include <utility>

namespace cli {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

struct Row {
  sk::DoctorFinding finding;
  std::string action; ///< the action, done or planned
  std::string copy = {};
  bool left = true; ///< unchanged
};

constexpr char const* verify_instead = "see whether its sessions can be read: sessionkit verify";

struct Patient {
  sk::Diagnosis diagnosis;
  bool store;
};

Patient diagnose(Console& console, Arguments const& args, sk::DoctorOptions const& options) {
  std::error_code ignored;
  bool const named_file = args.session && !fs::is_directory(*args.session, ignored);
  if (named_file) {
    std::string const path = find_place(console, args, *args.session).path;
    if (path.empty()) store_root(args, "doctor", verify_instead);
    auto of_bytes = options;
    of_bytes.progress = [&](std::size_t done, std::size_t total) { console.progress_within(done, total); };
    auto found = sk::diagnose_transcript(path, of_bytes).value();
    require_transcript(console, path);
    return {std::move(found), false};
  }
  return {
      sk::diagnose_store(args.session ? *args.session : store_root(args, "doctor", verify_instead), options)
          .value(),
      true};
}

/// Describes for people what a repair would do.
std::string plan_of(sk::DoctorFinding const& finding, bool left_out) {
  if (left_out) return "left: see doctor FILE --repair";
  switch (finding.remedy) {
  case sk::DoctorFinding::none: return finding.harmless() ? "" : "left to you";
  case sk::DoctorFinding::tighten: return "would remove the permissions of others";
  case sk::DoctorFinding::set_aside: return "would move it to quarantine/";
  case sk::DoctorFinding::rewrite:
    return "would copy it to quarantine/ and write it again without these bytes";
  case sk::DoctorFinding::rebuild: return "would copy it to quarantine/ and rebuild it";
  }
  return "";
}

std::string deed_of(sk::Treatment const& treatment) {
  if (treatment.failure) return "failed: " + treatment.failure->message;
  return treatment.copy.empty() ? "done" : "done; the old bytes: " + treatment.copy;
}

std::vector<Row> rows_of(sk::Diagnosis const& asked, sk::Diagnosis const& fixed,
                         std::vector<sk::Treatment> const& treatments, bool repaired) {
  std::vector<Row> rows;
  auto next = treatments.begin();
  for (std::size_t i = 0; i < asked.findings.size(); ++i) {
    auto const& finding = asked.findings[i];
    bool const left_out = finding.remedy != fixed.findings[i].remedy;
    bool const treated = repaired && fixed.findings[i].remedy != sk::DoctorFinding::none;
    if (treated) {
      rows.push_back({finding, deed_of(*next), next->copy, next->failure.has_value()});
      ++next;
    } else {
      rows.push_back({finding, plan_of(finding, left_out)});
    }
  }
  return rows;
}

Json json_of(Row const& row) {
  auto const& finding = row.finding;
  Json out{{"kind", to_string(finding.kind)}, {"path", finding.path}};
  if (finding.damage) {
    out["damage"] = to_string(finding.damage->kind);
    out["offset"] = finding.damage->offset;
    out["length"] = finding.damage->length;
  }
  out["what"] = finding.what;
  out["harmless"] = finding.harmless();
  out["remedy"] = to_string(finding.remedy);
  out["action"] = row.action;
  out["copy"] = row.copy.empty() ? Json() : Json(row.copy);
  out["left"] = row.left;
  return out;
}

/// True if others may use the folder too: it was copied or unpacked, and the modes of its files say nothing.
bool is_open_to_others(std::string const& folder) {
  std::error_code error;
  auto const mode = fs::status(folder, error).permissions();
  return !error && (mode & (fs::perms::group_all | fs::perms::others_all)) != fs::perms::none;
}

/// The rows that a person reads, damage first.
std::vector<Row> rows_to_read(std::vector<Row> rows, sk::Diagnosis const& diagnosis) {
  bool const copied = !diagnosis.root.empty() && is_open_to_others(diagnosis.root);
  auto const is_noise = [&](Row const& row) {
    return copied && row.left && row.finding.kind == sk::DoctorFinding::loose_mode;
  };
  rows.erase(std::remove_if(rows.begin(), rows.end(), is_noise), rows.end());
  std::stable_partition(rows.begin(), rows.end(), [](Row const& row) { return !row.finding.harmless(); });
  return rows;
}

std::string relative_to(std::string const& root, std::string const& path) {
  auto const relative = fs::path(path).lexically_relative(root).generic_string();
  return root.empty() || relative.empty() || relative.substr(0, 2) == ".." ? path : relative;
}

std::string kind_of(sk::DoctorFinding const& finding) {
  return finding.damage ? to_string(finding.damage->kind) : to_string(finding.kind);
}

void write_for_people(Console& console, sk::Diagnosis const& diagnosis, std::vector<Row> const& rows) {
  std::vector<Seen> all;
  for (auto const& row : rows) {
    auto const place = relative_to(diagnosis.root, row.finding.path);
    all.push_back({!row.finding.harmless(), kind_of(row.finding), place, {}, row.finding.what, row.action});
  }
  write_alike(console, all);
}

void write_json(Console& console, sk::Diagnosis const& diagnosis, std::vector<Row> const& rows,
                bool repaired) {
  Json findings = Json::array();
  for (auto const& row : rows) findings.push_back(json_of(row));
  console.document(
      "doctor@1",
      {{"transcripts", diagnosis.transcripts}, {"repaired", repaired}, {"findings", std::move(findings)}});
}

void write(Console& console, sk::Diagnosis const& diagnosis, std::vector<Row> const& rows) {
  if (console.pretty()) return write_for_people(console, diagnosis, rows);
  std::vector<std::vector<std::string>> table;
  for (auto const& row : rows) {
    auto const& damage = row.finding.damage;
    table.push_back({row.finding.harmless() ? "notice" : "damage", kind_of(row.finding),
                     one_line(row.finding.path), damage ? fmt::format("{}", damage->offset) : "",
                     damage ? fmt::format("{}", damage->length) : "", one_line(row.finding.what),
                     one_line(row.action)});
  }
  console.table({"LEVEL", "KIND", "PATH", "OFFSET", "LENGTH", "WHAT", "ACTION"}, table);
}

}

Exit doctor(Console& console, Arguments const& args) {
  if (args.repair && args.read_only)
    throw Failure{Exit::usage, "unsupported", "--read-only and --repair exclude each other",
                  "leave out one of them"};
  sk::DoctorOptions options;
  options.lock_wait = lock_wait(args);
  options.now = sk::system_now();
  options.progress = [&](std::size_t done, std::size_t total) { console.progress(done, total); };
  auto const patient = diagnose(console, args, options);
  auto fixed = patient.diagnosis;
  if (patient.store && args.repair && !args.transcripts) // only when asked for
    for (auto& finding : fixed.findings)
      if (finding.remedy == sk::DoctorFinding::rewrite) finding.remedy = sk::DoctorFinding::none;
  auto const treatments = args.repair ? sk::repair(fixed, options) : std::vector<sk::Treatment>{};
  auto const all = rows_of(patient.diagnosis, fixed, treatments, args.repair);
  auto const rows = console.json() ? all : rows_to_read(all, patient.diagnosis);
  if (console.json())
    write_json(console, patient.diagnosis, rows, args.repair);
  else
    write(console, patient.diagnosis, rows);

  auto const harm = [](Row const& row) { return row.left && !row.finding.harmless(); };
  auto const left = std::count_if(rows.begin(), rows.end(), harm);
  console.notice(fmt::format("{} finding(s) in {} transcript(s){}", rows.size(),
                             patient.diagnosis.transcripts,
                             args.repair    ? fmt::format(", {} left", left)
                             : rows.empty() ? ""
                                            : "; nothing was changed, --repair repairs them"));
  auto const failed = std::find_if(treatments.begin(), treatments.end(), [](sk::Treatment const& treatment) {
    return treatment.failure.has_value();
  });
  if (failed != treatments.end()) {
    auto const failure = failure_of(*failed->failure);
    console.show(failure);
    return failure.exit;
  }
  return left != 0 ? Exit::damage : Exit::ok;
}

}
