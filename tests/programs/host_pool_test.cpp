// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <atomic>
#include <chat_host/growing_pool.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>

using chat_host::GrowingPool;

namespace {

/// Jobs that last until they are released.
class Slow {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    ++running_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return released_; });
  }
  void wait_until_running(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ >= count; });
  }
  void release() {
    std::lock_guard const lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int running_ = 0;
  bool released_ = false;
};

}

TEST_CASE("slow jobs keep no other job waiting until there are as many as the limit", "[host]") {
  Slow slow;
  std::atomic<int> quick{0};
  GrowingPool pool(50);
  CHECK(pool.size() == 0);
  for (int i = 0; i < 49; ++i) pool.run([&] { slow.wait(); });
  slow.wait_until_running(49);
  for (int i = 0; i < 1000; ++i) pool.run([&] { ++quick; });
  while (quick < 1000) std::this_thread::yield();
  CHECK(pool.size() == 50);
  pool.run([&] { slow.wait(); });
  slow.wait_until_running(50);
  pool.run([&] { ++quick; });
  CHECK(quick == 1000); // all threads are busy
  CHECK(pool.size() == 50);
  slow.release();
  pool.finish();
  CHECK(quick == 1001);
  CHECK(pool.size() == 0);
}

TEST_CASE("a pool that ends runs every job that waits", "[host]") {
  std::atomic<int> done{0};
  {
    GrowingPool pool(2);
    for (int i = 0; i < 1000; ++i) pool.run([&] { ++done; });
  }
  CHECK(done == 1000);
}
