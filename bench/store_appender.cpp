// SPDX-License-Identifier: MIT
#include "store_appender.hpp"

#include <chrono>

namespace sessionkit_bench {

namespace sk = sessionkit;

namespace {

std::string encoded(sk::Entry const& entry) {
  std::string line;
  require(sk::native_dialect().encode(entry, line).ok(), "cannot write the line");
  return line;
}

}

std::string finished_line() {
  sk::Entry entry;
  entry.id = sk::EntryId("entry-100000");
  entry.link = sk::Parent::entry;
  entry.parent = entry.id;
  entry.body = sk::user(message_text());
  return encoded(entry);
}

StoreAppender::StoreAppender(std::shared_ptr<sk::SessionStore> store)
    : store_(std::move(store)),
      session_(value_of(sk::Session::create(store_, {"main:cli:user"}), "create")),
      info_(value_of(session_.info(), "info")) {
  entry_.id = sk::EntryId(std::to_string(count_));
  entry_.link = sk::Parent::entry;
  entry_.parent = sk::EntryId("x");
  entry_.at = info_.updated;
  entry_.body = sk::user(message_text());
  line_ = encoded(entry_);
  id_at_ = line_.find(entry_.id.str());
}

// The line of an entry differs from the one before in its id.
void StoreAppender::append(std::size_t count, bool durable) {
  std::vector<std::string> lines, ids;
  sk::Append batch;
  batch.expected = info_.end;
  batch.expected_crc = info_.end_crc;
  batch.durable = durable;
  for (std::size_t i = 0; i < count; ++i) {
    std::string const id = std::to_string(++count_);
    entry_.id = sk::EntryId(id);
    entry_.at += std::chrono::milliseconds(1);
    line_.replace(id_at_, id.size(), id);
    ids.push_back(id);
    lines.push_back(line_);
    sk::fold(info_, entry_, {}, line_);
  }
  for (std::size_t i = 0; i < count; ++i)
    batch.records.push_back({ids[i], "message", lines[i], sk::Parent::entry, "x"});
  batch.after = &info_;
  info_.end = value_of(store_->append(session_.id(), batch), "append");
}

}
