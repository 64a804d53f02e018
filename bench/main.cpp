// SPDX-License-Identifier: MIT
#include "cases.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace sessionkit_bench {

namespace {

struct Case {
  std::string_view name;
  void (*run)(Workbench& bench);
};
// The cases of the large file are together: it is made once and removed after them.
constexpr Case cases[] {
  {"resume", measure_resume}, {"next", measure_next_request}, {"append", measure_append},
      {"durable", measure_durable_append}, {"group", measure_group_commit}, {"index", measure_index},
      {"path", measure_whole_path}, {"size", measure_resume_size}, {"memory", measure_memory},
      {"verify", measure_verify}, {"search", measure_search},
#if SESSIONKIT_BENCH_SQLITE
      {"sqlite", measure_sqlite},
#endif
#if SESSIONKIT_BENCH_REDIS
      {"redis", measure_redis},
#endif
#if SESSIONKIT_BENCH_POSTGRES
      {"postgres", measure_postgres},
#endif
#if SESSIONKIT_BENCH_MONGO
      {"mongo", measure_mongo},
#endif
};
constexpr char const* usage =
    R"(usage: sessionkit_bench [--only CASE] [--dir DIR] [--quick] [--json]
Measures ratios to what the machine can do at best; figures are medians, with quartiles in brackets.
  --only CASE  one of: resume next append durable group index path size memory verify search sqlite redis postgres mongo
               (may be repeated)
  --dir DIR    where files are made, and removed at the end; default $TMPDIR, else /tmp. Needs 2 GB
  --quick      files of 100 MB instead of 1 GB, 10,000 sessions instead of 100,000
  --json       one JSON array instead of the table
Exits 1 if a goal is missed.
)";

struct Options {
  std::vector<std::string> only;
  std::string dir;
  bool json = false, quick = false;
};

Options parse(int count, char** words) {
  Options options;
  char const* const temporary = std::getenv("TMPDIR");
  options.dir = temporary != nullptr ? temporary : "/tmp";
  for (int i = 1; i < count; ++i) {
    std::string const word = words[i];
    bool const more = i + 1 < count;
    if (word == "--json")
      options.json = true;
    else if (word == "--quick")
      options.quick = true;
    else if (word == "--only" && more)
      options.only.emplace_back(words[++i]);
    else if (word == "--dir" && more)
      options.dir = words[++i];
    else
      fail(word + ": not understood\n" + usage);
  }
  return options;
}

void print_row(Finding const& it) {
  std::string const goal = it.goal == 0 ? ""
                                        : (it.at_most ? "<= " : ">= ") + nlohmann::json(it.goal).dump()
                                              + (it.met() ? "" : "  MISSED");
  std::printf("%-22s %9.3f %-2s [%.3f..%.3f]  %-16s %s\n", it.name.c_str(), it.value, it.unit.c_str(), it.low,
              it.high, goal.c_str(), it.what.c_str());
  std::printf("%-22s %9s    ", "", "");
  if (it.cpu != 0) std::printf("cpu %.3f  ", it.cpu);
  std::printf("%s\n", it.detail.c_str());
  std::fflush(stdout);
}

nlohmann::json to_json(Finding const& it) {
  nlohmann::json out{{"name", it.name}, {"what", it.what}, {"unit", it.unit},    {"value", it.value},
                     {"low", it.low},   {"high", it.high}, {"detail", it.detail}};
  if (it.cpu != 0) out["cpu"] = it.cpu;
  if (it.goal != 0) out.update({{"goal", it.goal}, {"at_most", it.at_most}, {"met", it.met()}});
  return out;
}

bool chosen(Options const& options, std::string_view name) {
  if (options.only.empty()) return true;
  for (std::string const& only : options.only)
    if (only == name) return true;
  return false;
}

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::string fresh_directory(std::string const& parent) {
  std::string name = parent + "/sessionkit-bench-XXXXXX";
  require(::mkdtemp(name.data()) != nullptr, parent + ": cannot make a directory there");
  return name;
}

std::string microseconds(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  return text;
}

int run(Options const& options) {
  for (std::string const& only : options.only) {
    bool known = false;
    for (Case const& it : cases) known = known || it.name == only;
    require(known, only + ": no such case\n" + usage);
  }
#ifndef NDEBUG
  std::fputs("sessionkit_bench: built with assertions; figures come from cmake --preset release\n", stderr);
#endif
  Workbench bench(options.dir, own_path(), options.quick);
  std::size_t printed = 0;
  for (Case const& it : cases) {
    if (!chosen(options, it.name)) continue;
    it.run(bench);
    for (; !options.json && printed < bench.findings().size(); ++printed)
      print_row(bench.findings()[printed]);
  }
  bool all_met = true;
  nlohmann::json out = nlohmann::json::array();
  for (Finding const& finding : bench.findings()) {
    out.push_back(to_json(finding));
    all_met = all_met && finding.met();
  }
  if (options.json) std::puts(out.dump(1).c_str());
  return all_met ? 0 : 1;
}

}

Workbench::Workbench(std::string const& parent, std::string program, bool quick)
    : dir_(fresh_directory(parent)),
      memory_dir_(fresh_directory(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : parent)),
      program_(std::move(program)),
      quick_(quick) {}

Workbench::~Workbench() {
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
  std::filesystem::remove_all(memory_dir_, ignored);
}

MadeTranscript const& Workbench::transcript(unsigned megabytes, bool compacted) {
  auto const [at, fresh] = transcripts_.try_emplace({megabytes, compacted});
  if (fresh) {
    std::string const name = std::to_string(megabytes) + (compacted ? "-compacted.jsonl" : ".jsonl");
    at->second = make_transcript(path(name), std::uint64_t{megabytes} * 1'000'000, compacted ? kept_tail : 0);
  }
  return at->second;
}

void Workbench::reported(Finding finding) { findings_.push_back(std::move(finding)); }

void Workbench::reported(std::string name, std::string what, Contest const& contest, Contest::Row a,
                         Contest::Row b, double goal) {
  Ratio const ratio = contest.ratio(a, b);
  std::string detail = contest.name(a) + " " + microseconds(contest.seconds(a)) + ", " + contest.name(b) + " "
                       + microseconds(contest.seconds(b));
  reported({std::move(name), std::move(what), "x", ratio.wall.median, ratio.wall.low, ratio.wall.high,
            ratio.cpu.median, goal, true, std::move(detail)});
}

void Workbench::report_time(std::string name, std::string what, Contest const& contest, Contest::Row a,
                            double goal) {
  reported({std::move(name), std::move(what), "ms", contest.seconds(a) * 1e3, 0, 0, 0, goal});
}

void Workbench::report_speed(std::string name, std::string what, Contest const& contest, Contest::Row a,
                             Contest::Row b, double goal) {
  reported(std::move(name), std::move(what), contest, b, a, goal); // the inverse of a time is a speed
  findings_.back().at_most = false;
}

}

int main(int count, char** words) {
  using namespace sessionkit_bench;
  std::string const first = count > 1 ? words[1] : "";
  if (first == "--help" || first == "-h") return std::fputs(usage, stdout), 0;
  if (first == "--child" && count == 4) return run_child(words[2], words[3]);
  return run(parse(count, words));
}
