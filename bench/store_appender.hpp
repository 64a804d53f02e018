// SPDX-License-Identifier: MIT
// The appended data and the appender for databases: a `Session` would give the store the same.
#pragma once
#include "cases.hpp"

#include <sessionkit/sessionkit.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_bench {

/// The line as the store receives it, for inserts by hand.
std::string finished_line();

/// Gives a store finished lines with their folded summary.
class StoreAppender {
 public:
  explicit StoreAppender(std::shared_ptr<sessionkit::SessionStore> store);
  void append(std::size_t count, bool durable);

 private:
  std::shared_ptr<sessionkit::SessionStore> store_;
  sessionkit::Session session_;
  sessionkit::SessionInfo info_;
  sessionkit::Entry entry_;
  std::string line_;
  std::size_t id_at_ = 0;
  std::uint64_t count_ = 1'000'000'000; // ids of one length
};

}
