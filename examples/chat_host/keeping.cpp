// SPDX-License-Identifier: MIT
// Finds what was said, and takes back what was removed.
#include "client_words.hpp"
#include "conversations.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/search.hpp>

#include <filesystem>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;

namespace {

constexpr std::size_t most_searched = 200; // sessions in one request
constexpr std::size_t most_in_session = 5; // hits

/// Where a store of files keeps the removed log of this name; empty if it has no trash, or names its files by
/// keys that only the index knows (claw0).
std::filesystem::path in_trash(sk::SessionStore const& store, sk::SessionId const& id) {
  std::filesystem::path const file = sk::transcript_path(store, id);
  if (file.empty() || store.profile().keys == sk::KeyScheme::claw0) return {};
  return file.parent_path() / "trash" / file.filename();
}

}

sk::Result<SearchPage> Conversations::search(Caller const& caller, SearchRequest const& wanted) const {
  auto const words = sk::fold_case(wanted.text);
  sk::ListQuery query;
  if (!hosted_.owns_store) query.agent = hosted_.agent;
  query.user = caller.user;
  query.cursor = wanted.cursor;
  query.limit = 1;
  SearchPage found;
  for (std::size_t i = 0; i < most_searched && found.hits.size() < wanted.limit; ++i) {
    auto page = hosted_.store->list(query);
    if (!page && page.error().code == sk::Errc::invalid_argument)
      return sk::Error{sk::Errc::invalid_argument, 0, "'cursor' is not the 'next' of a search"};
    if (!page) return for_client(page.error());
    for (auto const& info : page->sessions) {
      if (!is_ours(info)) continue;
      auto const log = sk::load_log(*hosted_.store, info.id);
      if (!log) continue; // damaged, or removed meanwhile: the others are searched
      for (auto& hit : hits_in(info, log->entries, words, most_in_session))
        found.hits.push_back(std::move(hit));
    }
    found.next = query.cursor = std::move(page->next);
    if (found.next.empty()) break;
  }
  return found;
}

bool Conversations::has_trash() const {
  return !in_trash(*hosted_.store, sk::SessionId::parse("any").value()).empty();
}

sk::Result<sk::SessionInfo> Conversations::restore(Caller const& caller, sk::SessionId const& id) {
  sk::Error none{sk::Errc::not_found, 0, "the trash has no session '" + id.str() + "'"};
  auto const file = in_trash(*hosted_.store, id);
  std::error_code failed;
  if (file.empty() || !std::filesystem::is_regular_file(file, failed)) return none;
  auto place = turns_.reserve(id.str());
  if (!place) return place.error();
  if (hosted_.store->info(id)) return sk::Error{sk::Errc::already_exists, 0, "the session exists"};
  sk::FileStoreOptions how;
  how.read_only = true;
  auto const removed = sk::open_transcript(file.string(), how);
  if (!removed) return for_client(removed.error());
  auto const was = (*removed)->info(id);
  if (!was || was->user != caller.user || !is_ours(*was)) return none;
  auto const copied = sk::copy_session(**removed, *hosted_.store, id);
  if (!copied) return for_client(copied.error());
  std::filesystem::remove(file, failed); // a copy that stays in the trash does no harm
  return find(caller, id);
}

}
