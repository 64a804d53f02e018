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
    if (it->second.use_count() > 1) continue; // a thread is at it, or a lease keeps it
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
  writer->keep_lock(leases > 0);
  return {};
}

SESSIONKIT_SELDOM Result<void> CachedWriter::hold(FileOps& ops, FileStoreOptions const& options,
                                                  Target target) {
  auto const asked = ops.now();
  std::lock_guard<std::mutex> const turn(mutex);
  Result<void> taken = writer ? Result<void>{} : open(ops, std::move(target), options, {});
  if (taken) taken = writer->take_lock(asked);
  if (!taken && taken.error().code != Errc::not_found) return taken;
  ++leases;
  if (writer) writer->keep_lock(true);
  return {};
}

SESSIONKIT_SELDOM void CachedWriter::release() {
  std::lock_guard<std::mutex> const turn(mutex);
  if (--leases == 0 && writer) writer->keep_lock(false);
}

SESSIONKIT_SELDOM Result<std::shared_ptr<void>> hold_transcript(FileOps& ops, FileStoreOptions const& options,
                                                                std::shared_ptr<CachedWriter> log,
                                                                CachedWriter::Target target) {
  struct Held {
    std::shared_ptr<CachedWriter> log;
    OpeningProcess process;
    bool holds = false;
    Held(std::shared_ptr<CachedWriter> of, std::string const& path, FileOps& calls)
        : log(std::move(of)), process(path, calls) {}
    Held(Held const&) = delete;
    Held& operator=(Held const&) = delete;
    ~Held() { // a forked child might wait for a thread that it does not have
      if (holds && process.is_this_one()) log->release();
    }
  };
  auto held = std::make_shared<Held>(std::move(log), target.place.path, ops);
  if (auto r = held->log->hold(ops, options, std::move(target)); !r) return r.error();
  held->holds = true;
  return std::shared_ptr<void>(std::move(held));
}

}}}
