// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/file_store.hpp>

#include <iterator>

namespace sessionkit { inline namespace v0 { namespace detail {

std::shared_ptr<OpenLogs::Log> OpenLogs::of(std::string const& name) {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto const found = logs_.find(name);
  if (found != logs_.end()) {
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }
  close_unused();
  order_.emplace_front(name, std::make_shared<Log>());
  logs_.emplace(name, order_.begin());
  return order_.front().second;
}

void OpenLogs::close_unused() {
  for (auto it = order_.end(); logs_.size() >= most_open && it != order_.begin();) {
    --it;
    if (it->second.use_count() > 1) continue;                           // a thread is at it
    if (it->second->writer && it->second->writer->poisoned()) continue; // opening it anew would forget that
    logs_.erase(it->first);
    it = order_.erase(it);
  }
}

Position OpenLogs::durable(std::string const& name) {
  std::shared_ptr<Log> log;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto const found = logs_.find(name);
    if (found == logs_.end()) return {};
    log = found->second->second;
  }
  std::lock_guard<std::mutex> const lock(log->mutex);
  return log->writer ? log->writer->durable_position() : Position{};
}

Result<Position> append_to(OpenLogs::Log& log, FileOps& ops, std::function<LogPlace()> const& place,
                           FileStoreOptions const& options, std::string const& session, Append const& batch,
                           std::chrono::steady_clock::time_point asked, DueSync& due) {
  bool const durable =
      options.durability == Durability::entry || (options.durability == Durability::turn && batch.durable);
  if (!log.writer) {
    WriterOptions writer;
    writer.lock_wait = options.lock_wait;
    writer.max_line = options.max_line;
    writer.create = true; // only an append that starts a session uses it
    writer.on_event = [&log, session](Event const& event) {
      log.events.push_back(event);
      log.events.back().session = session;
    };
    bool const starts = batch.expected == Position{} && !batch.records.empty();
    Result<LogWriter> opened = LogWriter::open(ops, place(), std::move(writer), starts);
    if (!opened) return opened.error();
    log.writer.emplace(std::move(*opened));
  }
  return log.writer->write(batch, durable, asked, due);
}

}}}
