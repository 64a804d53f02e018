// SPDX-License-Identifier: MIT
// Keeps the writers of the most recently used transcripts open.
#pragma once
#include <sessionkit/detail/file_store/writer_cache.hpp>

#include <iterator>

namespace sessionkit { inline namespace v0 { namespace detail {

std::shared_ptr<CachedWriter> WriterCache::of(std::string const& name) {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto const found = logs_.find(name);
  if (found != logs_.end()) {
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }
  close_unused();
  order_.emplace_front(name, std::make_shared<CachedWriter>());
  logs_.emplace(name, order_.begin());
  return order_.front().second;
}

SESSIONKIT_SELDOM void WriterCache::close_unused() {
  for (auto it = order_.end(); logs_.size() >= most_open && it != order_.begin();) {
    --it;
    if (it->second.use_count() > 1) continue;                           // a thread is at it
    if (it->second->writer && it->second->writer->poisoned()) continue; // opening it again would forget that
    logs_.erase(it->first);
    it = order_.erase(it);
  }
}

Position WriterCache::durable(std::string const& name) {
  std::shared_ptr<CachedWriter> log;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto const found = logs_.find(name);
    if (found == logs_.end()) return {};
    log = found->second->second;
  }
  std::lock_guard<std::mutex> const lock(log->mutex);
  return log->writer ? log->writer->durable_position() : Position{};
}

SESSIONKIT_SELDOM Result<void> CachedWriter::open(FileOps& ops, Target target,
                                                  FileStoreOptions const& options, Append const& batch) {
  WriterOptions how;
  how.lock_wait = options.lock_wait;
  how.max_line = options.max_line;
  how.create = true; // only an append that starts a session uses it
  how.on_event = [this, session = std::move(target.session)](Event const& event) {
    events.emplace_back(Event(event));
    events.back().session = session;
  };
  bool const starts = batch.expected == Position{} && !batch.records.empty();
  Result<FileWriter> opened = FileWriter::open(ops, std::move(target.place), std::move(how), starts);
  if (!opened) return opened.error();
  writer.emplace(std::move(*opened));
  return {};
}

}}}
