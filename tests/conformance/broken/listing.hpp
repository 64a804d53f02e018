// SPDX-License-Identifier: MIT
// Stores that list or remove wrongly.
#pragma once
#include "broken/good.hpp"

#include <algorithm>
#include <functional>

namespace sessionkit_test { namespace broken {

template <class Change> Result<SessionPage> all_of(Shared const& in, ListQuery const& query, Change change) {
  ListQuery all = query;
  all.limit = 1U << 20;
  auto page = in->list(all);
  if (!page) return page;
  change(page->sessions);
  if (page->sessions.size() > query.limit) {
    page->sessions.erase(page->sessions.begin() + static_cast<std::ptrdiff_t>(query.limit),
                         page->sessions.end());
    auto const& last = page->sessions.back();
    page->next = std::to_string(sk::to_unix_ms(last.updated)) + ":" + last.id.str();
  }
  return page;
}
struct ListByName : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    return all_of(in, query, [](auto& sessions) {
      std::sort(sessions.begin(), sessions.end(), [](auto const& a, auto const& b) { return a.id < b.id; });
    });
  }
};
struct ListOldestFirst : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    return all_of(in, query, [](auto& sessions) { std::reverse(sessions.begin(), sessions.end()); });
  }
};
struct IgnoresAgent : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    any.agent.reset();
    return in->list(any);
  }
};
struct IgnoresArchived : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    any.archived.reset();
    return in->list(any);
  }
};
struct IgnoresUserOfKey : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    if (any.key) any.user.reset();
    return in->list(any);
  }
};
struct IgnoresArchivedOfKey : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    if (any.key) any.archived.reset();
    return in->list(any);
  }
};
struct CutsBeforeItFilters : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    any.archived.reset();
    Result<SessionPage> page = in->list(any);
    if (!page || !query.archived) return page;
    auto& all = page->sessions;
    auto const others = [&](SessionInfo const& info) { return info.archived != *query.archived; };
    all.erase(std::remove_if(all.begin(), all.end(), others), all.end());
    return page;
  }
};
struct KeyByPrefix : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    any.key.reset();
    return all_of(in, any, [&](auto& sessions) {
      sessions.erase(
          std::remove_if(sessions.begin(), sessions.end(),
                         [&](auto const& info) { return query.key && info.key.find(*query.key) != 0; }),
          sessions.end());
    });
  }
};
struct PagesByOffset : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery all = query;
    all.cursor.clear();
    all.limit = 1U << 20;
    std::size_t at = 0;
    for (char const c : query.cursor) {
      if (c < '0' || c > '9' || at > 100000) return Error{Errc::invalid_argument, 0, "no cursor"};
      at = at * 10 + static_cast<std::size_t>(c - '0');
    }
    if (at == 12) return Error{Errc::invalid_argument, 0, "no cursor"};
    auto page = in->list(all);
    if (!page) return page;
    auto& sessions = page->sessions;
    sessions.erase(sessions.begin(),
                   sessions.begin() + static_cast<std::ptrdiff_t>(std::min(at, sessions.size())));
    page->next.clear();
    if (sessions.size() > query.limit) {
      sessions.erase(sessions.begin() + static_cast<std::ptrdiff_t>(query.limit), sessions.end());
      if (query.limit > 0) page->next = std::to_string(at + query.limit);
    }
    return page;
  }
};
struct NextAlways : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    auto page = in->list(query);
    if (page && !page->sessions.empty()) {
      auto const& last = page->sessions.back();
      page->next = std::to_string(sk::to_unix_ms(last.updated)) + ":" + last.id.str();
    }
    return page;
  }
};
struct BadCursorStartsAgain : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    auto page = in->list(query);
    if (page) return page;
    ListQuery first = query;
    first.cursor.clear();
    return in->list(first);
  }
};
struct LimitZeroIsAll : Good {
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery any = query;
    if (any.limit == 0) any.limit = 1000;
    return in->list(any);
  }
};
struct CursorByTimeAlone : Good { // skips sessions of one time
  Result<SessionPage> list(ListQuery const& query) override {
    ListQuery strict = query;
    if (auto const colon = strict.cursor.find(':');
        colon != std::string::npos && sk::SessionId::parse(strict.cursor.substr(colon + 1)))
      strict.cursor = strict.cursor.substr(0, colon + 1) + std::string(128, 'z');
    return in->list(strict);
  }
};
struct RemoveDoesNot : Good {
  Result<void> remove(SessionId const& id) override {
    if (auto const got = in->info(id); !got) return got.error();
    return {};
  }
};
struct KeepsPermanently : Good {
  Result<void> remove_permanently(SessionId const& id) override {
    if (auto const got = in->info(id); !got) return got.error();
    return {};
  }
};
struct RemoveTwiceIsFine : Good {
  Result<void> remove(SessionId const& id) override {
    (void)in->remove(id);
    return {};
  }
};
struct RemovedHaunts : Good { // its row stays
  std::map<SessionId, std::string> keys;
  Result<SessionInfo> info(SessionId const& id) override {
    auto got = in->info(id);
    if (got) got->key = keys.emplace(id, got->key).first->second;
    return got;
  }
};

}}
