// SPDX-License-Identifier: MIT
// Hosts that write during a fault, and what must be stored afterwards.
#pragma once
#include "support/catch.hpp"

#include <sessionkit/session_store.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

inline sk::SessionId sid(std::string const& text) { return sk::SessionId::parse(text).value(); }

/// A line with its head.
struct Line {
  std::string id, type, text;
  sk::RecordView view() const { return {id, type, text, sk::Parent::root, {}}; }
};
inline Line first_record(std::string const& id, std::string const& key = "main:cli:user") {
  return {id, "session",
          R"({"type":"session","version":3,"id":")" + id
              + R"(","timestamp":"2025-11-04T08:00:00.000Z","cwd":"/","key":")" + key + "\"}"};
}
inline Line message_record(std::string const& id, std::string const& text = "hello") {
  return {
      id, "message",
      R"({"type":"message","id":")" + id
          + R"(","parentId":null,"timestamp":"2025-11-04T08:00:01.000Z","message":{"role":"user","content":")"
          + text + "\"}}"};
}
inline sk::Append batch_of(std::vector<Line> const& lines, sk::Position expected = {}, bool durable = true) {
  sk::Append batch;
  batch.expected = expected;
  batch.durable = durable;
  for (Line const& line : lines) batch.records.push_back(line.view());
  return batch;
}

inline std::vector<std::string> lines_of(sk::SessionStore& store, sk::SessionId const& id) {
  std::vector<std::string> lines;
  sk::ReadRange range;
  for (;;) {
    sk::RecordPage const page = store.read(id, range).value();
    for (auto const& item : page.items()) lines.emplace_back(item.line);
    if (!page.more) return lines;
    range.from = page.next;
  }
}

/// Writes to one session until stopped, as a host does: after `conflict` at the new end, after
/// anything unknown or unreachable the same batch again. Remembers what was acknowledged.
class Writer {
 public:
  Writer(std::shared_ptr<sk::SessionStore> store, sk::SessionId session, std::string name)
      : store_(std::move(store)),
        session_(std::move(session)),
        name_(std::move(name)),
        end_(store_->info(session_).value().end) {}

  void run(std::atomic<bool> const& stop) {
    for (int n = 0; !stop; ++n) {
      std::vector<Line> const batch{message_record(name_ + "-" + std::to_string(n) + "a"),
                                    message_record(name_ + "-" + std::to_string(n) + "b")};
      if (!write(batch, stop)) return;
      for (Line const& line : batch) acknowledged_.push_back(line.text);
    }
  }
  std::vector<std::string> const& acknowledged() const { return acknowledged_; }
  std::string const& complaint() const { return complaint_; }
  int unknown() const { return unknown_; }
  int unavailable() const { return unavailable_; }

 private:
  // False if stopped before it was known to be stored.
  bool write(std::vector<Line> const& batch, std::atomic<bool> const& stop) {
    sk::Position expected = end_;
    while (!stop) {
      sk::Result<sk::Position> const end = store_->append(session_, batch_of(batch, expected));
      if (end) return end_ = *end, true;
      sk::Errc const code = end.error().code;
      if (code == sk::Errc::outcome_unknown) {
        ++unknown_;
      } else if (code == sk::Errc::unavailable) {
        ++unavailable_;
      } else if (code == sk::Errc::conflict) {
        sk::Result<sk::SessionInfo> const info = store_->info(session_);
        if (info) expected = info->end;
      } else {
        complaint_ = std::string(sk::to_string(code)) + ": " + end.error().message;
        return false;
      }
    }
    return false;
  }
  std::shared_ptr<sk::SessionStore> store_;
  sk::SessionId session_;
  std::string name_;
  sk::Position end_;
  std::vector<std::string> acknowledged_;
  std::string complaint_;
  int unknown_ = 0, unavailable_ = 0;
};

/// Several writers at once while `trouble` happens; then all acknowledged entries are stored once, in their
/// writer's order, batches unbroken. Answers how many that is.
template <class Trouble>
std::size_t write_through(std::vector<Writer>& writers, sk::SessionStore& store,
                          std::vector<sk::SessionId> const& sessions, Trouble trouble) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (Writer& writer : writers) threads.emplace_back([&writer, &stop] { writer.run(stop); });
  trouble();
  stop = true;
  for (std::thread& thread : threads) thread.join();

  std::map<std::string, std::size_t> place;
  std::size_t lines = 0, twice = 0, acknowledged = 0, lost = 0, disordered = 0, broken = 0;
  for (sk::SessionId const& id : sessions)
    for (std::string const& line : lines_of(store, id))
      twice += place.emplace(line, ++lines).second ? 0U : 1U;
  for (Writer const& writer : writers) {
    CHECK(writer.complaint() == "");
    std::size_t before = 0, n = 0;
    for (std::string const& line : writer.acknowledged()) {
      ++acknowledged;
      auto const found = place.find(line);
      if (found == place.end()) {
        ++lost;
        continue;
      }
      disordered += found->second < before ? 1U : 0U;
      broken += ++n % 2 == 0 && found->second != before + 1 ? 1U : 0U;
      before = found->second;
    }
  }
  CHECK(lost == 0);
  CHECK(twice == 0);
  CHECK(disordered == 0);
  CHECK(broken == 0);
  return acknowledged;
}

}
