// SPDX-License-Identifier: MIT
// Hosts that use a file store on a model disk, remember its answers, and compare them with what
// they find after a power cut, a kill or a failing call.
#pragma once
#include "model_disk.hpp"
#include "support/faulty_file_ops.hpp"
#include "weak_file_ops.hpp"

#include <sessionkit/file_store.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sessionkit_test {

/// What must stay zero.
struct Verdict {
  int lost = 0;          // acknowledged, and not there
  int doubled = 0;       // there twice
  int misplaced = 0;     // not where the answer said
  int false_failure = 0; // refused, but stored
  int hidden = 0;        // complete in the file, but not read
  int alien = 0;         // read, but nobody wrote it
  int stuck = 0;         // no append succeeds any more
  int bad_index = 0;     // sessions cannot be listed
  int sum() const { return lost + doubled + misplaced + false_failure + hidden + alien + stuck + bad_index; }
  Verdict& operator+=(Verdict const& o);
};
std::ostream& operator<<(std::ostream& out, Verdict const& verdict);

/// Counts of events, so that a test can check that it tried.
struct Activity {
  std::int64_t acked = 0, durable = 0, cuts = 0, kills = 0, sync_failures = 0, refused = 0, torn = 0,
               doubts_settled = 0; // lines that a failed sync left in doubt, safe by a later one

  Activity& operator+=(Activity const& o);
};

struct HostOptions {
  sk::Durability durability = sk::Durability::turn;
  Weakness weakness = Weakness::none;
  int processes = 2;
  bool interleave = true; // other processes append in the middle of an append
};

/// A few processes and sessions on one disk, for one seed.
class Hosts {
 public:
  Hosts(std::uint64_t seed, HostOptions options);
  ~Hosts();

  /// This many random steps; power cuts, kills and failing syncs among them.
  void run(int steps);
  /// A last cut; then everything is compared, and each session must take another entry.
  void finish();

  Verdict verdict;
  Activity activity;

 private:
  struct Line {
    std::string text;
    std::uint64_t end = 0;       // as in the answer; 0 if there was none
    bool acked = false;          // must be there unless the power is cut
    bool durable = false;        // must be there
    bool refused = false;        // must not be there
    std::set<int> in_doubt = {}; // in these processes a sync failed since; only these can know
    bool removed = false;        // with its session
  };
  struct Talk { // one session, as known to all hosts together
    std::vector<Line> lines;
    int generation = 0; // how often it was removed
    bool started = false;
  };
  struct Host {
    std::unique_ptr<ModelProcess> process;
    std::unique_ptr<WeakFileOps> weak;
    std::unique_ptr<FaultyFileOps> ops;
    std::shared_ptr<sk::SessionStore> store;
    std::map<std::string, std::pair<sk::Position, std::optional<std::uint32_t>>> ends;
  };

  void boot(Host& host);
  bool open(Host& host);
  void shut(Host& host);
  void step();
  void append(Host& host, std::string const& name, bool durable);
  bool look(Host& host, std::string const& name);
  void remove(Host& host, std::string const& name);
  void plan_death(Host& host, bool power);
  void settle();
  void compare();
  void compare(std::string const& name, sk::SessionStore& store);
  void power_was_cut();
  void note(Host& host, Talk& talk, std::vector<std::size_t> const& batch,
            sk::Result<sk::Position> const& answer, bool durable);

  HostOptions options_;
  ModelDisk disk_;
  Random random_;
  std::vector<Host> hosts_;
  std::map<std::string, Talk> talks_;
  bool power_pending_ = false, nested_ = false;
  int next_process_ = 100, next_entry_ = 0;
};

}
