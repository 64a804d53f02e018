// SPDX-License-Identifier: MIT
#pragma once
#include "measure.hpp"
#include "transcripts.hpp"

#include <sessionkit/ids.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit_bench {

/// One number beside its goal.
struct Finding {
  std::string name, what;
  std::string unit;         ///< "x": a ratio
  double value = 0;         ///< median
  double low = 0, high = 0; ///< quartiles; both 0 if it was measured once
  double cpu = 0;           ///< the ratio of processor times; 0: not measured
  double goal = 0;          ///< 0: none
  bool at_most = true;      ///< how `value` must compare to the goal
  std::string detail = {};  ///< absolute times of this machine at this moment, for the reader
  bool met() const noexcept { return goal == 0 || (at_most ? value <= goal : value >= goal); }
};

/// The folder of the cases' files, and their results.
class Workbench {
 public:
  /// Makes a directory of its own in `parent`, removed at the end.
  Workbench(std::string const& parent, std::string program, bool quick);
  Workbench(Workbench const&) = delete;
  Workbench& operator=(Workbench const&) = delete;
  ~Workbench();

  bool quick() const noexcept { return quick_; }
  std::string const& program() const noexcept { return program_; }
  std::string path(std::string_view name) const { return dir_ + "/" + std::string(name); }
  /// A path in memory if the system has such a file system: for cases that the disk would only blur.
  std::string memory_path(std::string_view name) const { return memory_dir_ + "/" + std::string(name); }

  /// A transcript of this many million bytes with the common compacted tail, or without; made once.
  MadeTranscript const& transcript(unsigned megabytes, bool compacted);

  /// The time of `a` over that of `b`.
  void reported(std::string name, std::string what, Contest const& contest, Contest::Row a, Contest::Row b,
                double goal = 0);
  /// The speed of `a` over that of `b`.
  void report_speed(std::string name, std::string what, Contest const& contest, Contest::Row a,
                    Contest::Row b, double goal = 0);
  /// The time of `a` in milliseconds.
  void report_time(std::string name, std::string what, Contest const& contest, Contest::Row a,
                   double goal = 0);
  void reported(Finding finding);
  std::vector<Finding> const& findings() const noexcept { return findings_; }

 private:
  std::string dir_, memory_dir_, program_;
  bool quick_;
  std::map<std::pair<unsigned, bool>, MadeTranscript> transcripts_;
  std::vector<Finding> findings_;
};

void measure_resume(Workbench& bench);
void measure_resume_size(Workbench& bench);
void measure_next_request(Workbench& bench);
void measure_whole_path(Workbench& bench);
void measure_verify(Workbench& bench);
void measure_search(Workbench& bench);
void measure_sqlite(Workbench& bench);
void measure_redis(Workbench& bench);
void measure_postgres(Workbench& bench);
void measure_mongo(Workbench& bench);
void measure_append(Workbench& bench);
void measure_durable_append(Workbench& bench);
void measure_group_commit(Workbench& bench);
void measure_index(Workbench& bench);
void measure_memory(Workbench& bench);

/// The session of a made transcript.
sessionkit::SessionId const& made_id();

/// The work of `--child`: one operation in a separate process, which prints its greatest resident size in
/// KiB.
int run_child(std::string const& operation, std::string const& path);

}
