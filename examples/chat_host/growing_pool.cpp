// SPDX-License-Identifier: MIT
#include "growing_pool.hpp"

#include <chrono>
#include <system_error>
#include <utility>

namespace chat_host {

namespace {

constexpr std::chrono::seconds longest_idle{10};

}

void GrowingPool::run(std::function<void()> job) {
  std::vector<std::thread> ended;
  {
    std::lock_guard const lock(mutex_);
    ended.swap(ended_);
    jobs_.push_back(std::move(job));
    bool const served =
        jobs_.size() <= idle_ || (threads_.size() < most_ && add_thread()) || !threads_.empty();
    job = nullptr;
    if (!served) {
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
  }
  changed_.notify_one();
  for (auto& thread : ended) thread.join();
  if (job) job();
}

bool GrowingPool::add_thread() {
  try {
    std::thread thread([this] { work(); });
    auto const id = thread.get_id();
    threads_.emplace(id, std::move(thread));
    return true;
  } catch (std::system_error const&) { return false; }
}

void GrowingPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait_for(lock, longest_idle, [&] { return finishing_ || !jobs_.empty(); });
    --idle_;
    if (jobs_.empty()) break;
    auto const job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
  auto const self = threads_.find(std::this_thread::get_id());
  ended_.push_back(std::move(self->second));
  threads_.erase(self);
  changed_.notify_all();
}

void GrowingPool::finish() {
  std::unique_lock lock(mutex_);
  finishing_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return threads_.empty(); });
  auto ended = std::exchange(ended_, {});
  lock.unlock();
  for (auto& thread : ended) thread.join();
}

std::size_t GrowingPool::size() const {
  std::lock_guard const lock(mutex_);
  return threads_.size();
}

}
