// SPDX-License-Identifier: MIT
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace chat_host {

/// Threads that run jobs. A thread is added when a job finds none idle, so that slow jobs do not keep others
/// waiting; it ends after some idle seconds. Safe to use from several threads at once.
class GrowingPool {
 public:
  /// At most `most` jobs run at once; more wait.
  explicit GrowingPool(std::size_t most) : most_(most) {}
  ~GrowingPool() { finish(); }
  GrowingPool(GrowingPool const&) = delete;
  GrowingPool& operator=(GrowingPool const&) = delete;

  /// Runs `job` on another thread. If the system has no thread to give, the job waits for one of ours, or
  /// runs here if we have none.
  void run(std::function<void()> job);
  /// Runs the jobs that wait, then ends all threads. No job may be added afterwards.
  void finish();
  /// The number of threads.
  std::size_t size() const;

 private:
  bool add_thread();
  void work();

  std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All under `mutex_`:
  std::deque<std::function<void()>> jobs_;
  std::map<std::thread::id, std::thread> threads_;
  std::vector<std::thread> ended_; ///< to be joined
  std::size_t idle_ = 0;
  bool finishing_ = false;
};

}
