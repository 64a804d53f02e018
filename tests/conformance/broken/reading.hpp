// SPDX-License-Identifier: MIT
// Stores that read wrongly, or fold wrongly.
#pragma once
#include "broken/good.hpp"

#include <algorithm>

namespace sessionkit_test { namespace broken {

template <class Change> Result<RecordPage> changed(Result<RecordPage> page, Change change) {
  if (!page) return page;
  RecordPage out;
  for (auto const& item : page->items()) {
    std::string line(item.line), id(item.id);
    RecordView view = item;
    change(view, line, id);
    view.line = line;
    view.id = id;
    out.add(item.end, view);
  }
  out.more = page->more, out.next = page->next, out.log_end = page->log_end;
  return out;
}

struct ReadsOnlyHundreds : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    Result<RecordPage> page = in->read(id, range);
    if (page && range.order == ReadRange::oldest_first && page->next.value() > 400) page->more = false;
    return page;
  }
};
struct CountsOnlyHundreds : Good {
  Result<SessionInfo> info(SessionId const& id) override {
    Result<SessionInfo> info = in->info(id);
    if (info) info->entries = std::min<std::uint64_t>(info->entries, 400);
    return info;
  }
};
struct AlwaysNative : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    Result<RecordPage> page = in->read(id, range);
    if (page) page->dialect = "native";
    return page;
  }
};
struct MissingIsEmpty : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto got = in->read(id, range);
    if (!got) return RecordPage{};
    return got;
  }
};
struct IgnoresOrder : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    ReadRange forward = range;
    forward.order = ReadRange::oldest_first;
    return in->read(id, forward);
  }
};
struct IgnoresMostRecords : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    ReadRange all = range;
    all.max_records = 256;
    return in->read(id, all);
  }
};
struct IgnoresMostBytes : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    ReadRange all = range;
    all.max_bytes = 1U << 20;
    return in->read(id, all);
  }
};
struct EmptyPageForLongLine : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto page = in->read(id, range);
    if (page && !page->items().empty() && page->items()[0].line.size() > range.max_bytes) {
      RecordPage none;
      none.more = page->more, none.next = page->next, none.log_end = page->log_end;
      return none;
    }
    return page;
  }
};
struct FromIsInclusive : Good { // the record that ends there, once more
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    ReadRange wider = range;
    if (range.from && range.order == ReadRange::oldest_first && range.from->value() > 0)
      wider.from = Position{range.from->value() - 1};
    return in->read(id, wider);
  }
};
struct PagesOverlap : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto page = in->read(id, range);
    if (page && page->items().size() > 1 && range.order == ReadRange::oldest_first)
      page->next = page->items()[page->items().size() - 2].end;
    return page;
  }
};
struct ReadingNeverEnds : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto page = in->read(id, range);
    if (page) page->more = true;
    return page;
  }
};
struct LogEndIsOfPage : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    auto page = in->read(id, range);
    if (page) page->log_end = page->items().empty() ? Position{} : page->items().back().end;
    return page;
  }
};
struct NormalisesJson : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    return changed(in->read(id, range), [](RecordView&, std::string& line, std::string&) {
      for (std::size_t at; (at = line.find("[ 1 ,\t2 ]")) != std::string::npos;) line.replace(at, 9, "[1,2]");
    });
  }
};
struct ReplacesBytes : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    return changed(in->read(id, range), [](RecordView&, std::string& line, std::string&) {
      for (std::size_t at; (at = line.find('\xFF')) != std::string::npos;)
        line.replace(at, 1, "\xEF\xBF\xBD");
    });
  }
};
struct CutsIdsAtNul : Good {
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    return changed(in->read(id, range),
                   [](RecordView&, std::string&, std::string& entry) { entry = entry.c_str(); });
  }
};
struct CutsLongLines : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    std::vector<std::string> lines;
    Append cut = batch;
    lines.reserve(cut.records.size());
    for (RecordView& record : cut.records)
      if (record.line.size() > 1U << 20)
        record.line = lines.emplace_back(std::string(record.line.substr(0, 1U << 20)) + "}");
    return in->append(id, cut);
  }
};
struct FoldsCase : Good {
  static SessionId lower(SessionId const& id) {
    std::string text = id.str();
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return SessionId::parse(text).value();
  }
  Result<Position> append(SessionId const& id, Append const& b) override { return in->append(lower(id), b); }
  Result<RecordPage> read(SessionId const& id, ReadRange const& r) override { return in->read(lower(id), r); }
  Result<SessionInfo> info(SessionId const& id) override { return in->info(lower(id)); }
  Result<void> remove(SessionId const& id) override { return in->remove(lower(id)); }
};
struct InfoIsOld : Good {
  std::map<SessionId, SessionInfo> first;
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (got) return first.emplace(id, *got).first->second;
    return got;
  }
};
struct InfoLosesState : Good {
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (got) got->state.clear();
    return got;
  }
};
struct ListLosesUsage : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    auto got = in->list(query);
    if (got)
      for (auto& info : got->sessions) info.usage = {};
    return got;
  }
};
struct IgnoresAfter : Good {
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Append plain = batch;
    plain.after = nullptr;
    return in->append(id, plain);
  }
};
struct NeedsAfter : Good {
  std::map<SessionId, SessionInfo> known;
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto const got = in->append(id, batch);
    if (got && (batch.after != nullptr || known.count(id) == 0))
      known.insert_or_assign(id, in->info(id).value());
    return got;
  }
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    return got && known.count(id) > 0 ? known.at(id) : got;
  }
};
struct AfterGoesBack : Good {
  std::map<SessionId, SessionInfo> known;
  Result<Position> append(SessionId const& id, Append const& batch) override {
    auto const got = in->append(id, batch);
    if (!got || batch.records.empty()) return got;
    SessionInfo now = batch.after ? *batch.after : in->info(id).value();
    now.end = *got;
    known.insert_or_assign(id, now);
    return got;
  }
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (got && known.count(id) > 0) {
      known.at(id).end_crc = got->end_crc;
      return known.at(id);
    }
    return got;
  }
};
struct NoEndCrc : Good {
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (got) got->end_crc = 0;
    return got;
  }
};

}}
