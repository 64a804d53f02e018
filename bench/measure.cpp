// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <utility>

#include <time.h>

namespace sessionkit_bench {

namespace {

constexpr double sample_seconds = 0.003;
constexpr std::size_t most_in_batch = 2000;

double wall_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}

void fail(std::string const& what) {
  std::fflush(stdout);
  std::fprintf(stderr, "sessionkit_bench: %s\n", what.c_str());
  std::exit(2);
}

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  auto const at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.25), at(0.75)};
}

Contest::Row Contest::add(std::string name, std::function<void(std::size_t)> run, std::size_t batch,
                          std::function<void()> prepare) {
  rows_.push_back({std::move(name), std::move(run), std::move(prepare), batch, {}});
  return rows_.size() - 1;
}

Contest::Row Contest::add_one(std::string name, std::function<void()> operation, std::size_t batch) {
  return add(
      std::move(name),
      [operation = std::move(operation)](std::size_t times) {
        for (std::size_t i = 0; i < times; ++i) operation();
      },
      batch);
}

Contest::Sample Contest::sample(Entry& entry) {
  if (entry.prepare) entry.prepare();
  double const wall = wall_now(), cpu = cpu_now();
  entry.run(entry.batch);
  auto const count = static_cast<double>(entry.batch);
  double const cpu_spent = cpu_now() - cpu;
  return {(wall_now() - wall) / count, cpu_spent / count};
}

void Contest::calibrate(Entry& entry) {
  if (entry.batch != 0) return;
  entry.batch = 1;
  sample(entry);
  double const once = std::max(sample(entry).wall, 1e-9);
  entry.batch = static_cast<std::size_t>(std::clamp(sample_seconds / once, 1.0, double{most_in_batch}));
}

void Contest::run() {
  for (Entry& entry : rows_) calibrate(entry);
  std::mt19937 shuffler(20261122);
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int round = 0; round < rounds_; ++round) {
    std::shuffle(order.begin(), order.end(), shuffler);
    for (std::size_t const i : order) {
      sample(rows_[i]); // so that no sample pays for the caches that the one before left
      rows_[i].samples.push_back(sample(rows_[i]));
    }
  }
}

Ratio Contest::ratio(Row a, Row b) const {
  std::vector<double> wall, cpu;
  for (std::size_t i = 0; i < rows_[a].samples.size(); ++i) {
    Sample const& x = rows_[a].samples[i];
    Sample const& y = rows_[b].samples[i];
    wall.push_back(x.wall / y.wall);
    if (y.cpu > 0) cpu.push_back(x.cpu / y.cpu);
  }
  return {spread_of(std::move(wall)), spread_of(std::move(cpu))};
}

double Contest::seconds(Row row) const {
  std::vector<double> wall;
  for (Sample const& sample : rows_[row].samples) wall.push_back(sample.wall);
  return spread_of(std::move(wall)).median;
}

long peak_kib() {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  char line[256];
  long kib = 0;
  while (file != nullptr && kib == 0 && std::fgets(line, sizeof line, file) != nullptr)
    std::sscanf(line, "VmHWM: %ld", &kib);
  if (file != nullptr) std::fclose(file);
  return kib;
}

}
