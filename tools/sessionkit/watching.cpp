// SPDX-License-Identifier: MIT
#include "watching.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/session_store.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

/// Reports the bytes of the lines that pass by: one page of a filtered reading may be the whole log.
class CountingFilter final : public sk::LineFilter {
 public:
  CountingFilter(sk::LineFilter const& inner, std::function<void(std::uint64_t)> report)
      : inner_(inner), report_(std::move(report)) {}
  bool passes(std::string_view line) const noexcept override {
    constexpr std::uint64_t step = std::uint64_t{1} << 18;
    bytes_ += line.size() + 1;
    if (bytes_ - reported_ >= step) report_(reported_ = bytes_);
    return inner_.passes(line);
  }

 private:
  sk::LineFilter const& inner_;
  std::function<void(std::uint64_t)> report_;
  mutable std::uint64_t bytes_ = 0, reported_ = 0;
};

/// Positions in a file are bytes, so they say how far a pass is. Those of databases do not.
class Watched final : public sk::SessionStore {
 public:
  Watched(Console& console, StorePtr inner)
      : SessionStore(inner->profile()), console_(console), inner_(std::move(inner)) {}

  sk::Result<sk::Position> append(sk::SessionId const& id, sk::Append const& batch) override {
    return inner_->append(id, batch);
  }
  sk::Result<sk::RecordPage> read(sk::SessionId const& id, sk::ReadRange const& range) override {
    if (!is_file(id)) return inner_->read(id, range);
    bool const backwards = range.order == sk::ReadRange::newest_first;
    auto page = range.filter != nullptr && !backwards ? read_filtered(id, range) : inner_->read(id, range);
    if (!page) return page;
    auto const end = page->log_end.value(), next = page->next.value();
    bool const moves = next <= end && !page->items().empty();
    if (moves) console_.progress_within(!page->more ? end : backwards ? end - next : next, end);
    return page;
  }
  sk::Result<sk::SessionInfo> info(sk::SessionId const& id) override { return inner_->info(id); }
  sk::Result<sk::SessionPage> list(sk::ListQuery const& query) override { return inner_->list(query); }
  sk::Result<void> remove(sk::SessionId const& id) override { return inner_->remove(id); }
  sk::Result<void> remove_permanently(sk::SessionId const& id) override {
    return inner_->remove_permanently(id);
  }

 private:
  bool is_file(sk::SessionId const& id) const {
    return sk::transcript_session(*inner_) || !sk::transcript_path(*inner_, id).empty();
  }

  sk::Result<sk::RecordPage> read_filtered(sk::SessionId const& id, sk::ReadRange range) {
    auto const from = range.from.value_or(sk::Position{}).value();
    std::optional<std::uint64_t> end;
    CountingFilter const filter(*range.filter, [&](std::uint64_t bytes) {
      if (!end) end = end_of(id);
      if (from + bytes < *end) console_.progress_within(from + bytes, *end);
    });
    range.filter = &filter;
    return inner_->read(id, range);
  }

  /// 0 if it cannot be read.
  std::uint64_t end_of(sk::SessionId const& id) {
    sk::ReadRange last;
    last.order = sk::ReadRange::newest_first;
    last.max_records = 1;
    last.max_bytes = 1;
    auto const page = inner_->read(id, last);
    return page ? page->log_end.value() : 0;
  }

  Console& console_;
  StorePtr inner_;
};

}

StorePtr watched(Console& console, StorePtr store) {
  return std::make_shared<Watched>(console, std::move(store));
}

}
