// SPDX-License-Identifier: MIT
// How a ratio is measured on a machine that others use too: limit and candidate in one process on the same
// data, in a new random order each round, each sample directly after an untimed one of its own. The result is
// the median of the ratios of the rounds, of wall time and of the thread's processor time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sessionkit_bench {

/// Stops the program: a measurement whose work failed is worthless.
[[noreturn]] void fail(std::string const& what);
inline void require(bool condition, std::string const& what) {
  if (!condition) fail(what);
}
/// The value of a result; ends the program on failure.
template <class R> auto value_of(R&& result, char const* doing) {
  if (!result) fail(std::string(doing) + ": " + result.error().message);
  return std::forward<R>(result).value();
}

/// Keeps the compiler from removing unused results.
template <class T> void keep(T const& value) { asm volatile("" : : "g"(&value) : "memory"); }

/// Kilobytes that the kernel counted for this program image, without the parent's memory.
long peak_kib();

/// The median and the quartiles.
struct Spread {
  double median = 0, low = 0, high = 0;
};
Spread spread_of(std::vector<double> values);

/// One time over another.
struct Ratio {
  Spread wall, cpu;
};

class Contest {
 public:
  explicit Contest(int rounds = 21) : rounds_(rounds) {}

  using Row = std::size_t;
  /// `run` does the operation that many times; `prepare` prepares it, untimed. `batch`: how many at
  /// once; 0 for as many as take some milliseconds.
  Row add(std::string name, std::function<void(std::size_t)> run, std::size_t batch = 0,
          std::function<void()> prepare = {});
  /// The same for an operation that is called once for each.
  Row add_one(std::string name, std::function<void()> operation, std::size_t batch = 0);

  void run();

  /// Time of `a` over time of `b`.
  Ratio ratio(Row a, Row b) const;
  /// Seconds of one operation, median of wall time.
  double seconds(Row row) const;
  std::string const& name(Row row) const { return rows_[row].name; }

 private:
  struct Sample {
    double wall, cpu; // seconds of one operation
  };
  struct Entry {
    std::string name;
    std::function<void(std::size_t)> run;
    std::function<void()> prepare;
    std::size_t batch;
    std::vector<Sample> samples;
  };
  static void calibrate(Entry& entry);
  static Sample sample(Entry& entry);

  int rounds_;
  std::vector<Entry> rows_;
};

}
