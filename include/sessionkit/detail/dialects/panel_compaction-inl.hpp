// SPDX-License-Identifier: MIT
// Recognises the messages that a compaction of ai-panel writes again.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/detail/json/json_write.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace panel_compaction_inl { namespace {

// The entries after a compaction that it may have kept, at most `most`.
std::vector<std::size_t> said_behind(std::vector<Entry> const& log, std::size_t compaction,
                                     std::size_t most) {
  std::vector<std::size_t> behind;
  for (std::size_t i = compaction + 1; i < log.size() && behind.size() < most; ++i) {
    if (log[i].as<Compaction>()) break;
    if (is_said(log[i])) behind.push_back(i);
  }
  return behind;
}

bool same_words(Entry const& a, Entry const& b) {
  return words_of(std::get<Message>(a.body)) == words_of(std::get<Message>(b.body));
}

}}

bool is_said(Entry const& entry) noexcept {
  auto const* message = entry.as<Message>();
  return message && message->role != Role::system;
}

bool is_kept_again(Entry const& entry) noexcept {
  if (!is_said(entry) || entry.link != Parent::previous || !entry.extra.is_object()) return false;
  return to_uint(find_member(entry.extra.str(), again_member)).value_or(0) != 0;
}

std::string words_of(Message const& message) {
  std::string text(1, message.role == Role::assistant ? 'a' : 'u');
  write_content(text, message, false);
  return text;
}

std::vector<Entry> take_kept(Compaction& compaction, std::vector<Entry> const& context) {
  std::vector<Entry> kept;
  bool keeps = false;
  std::uint64_t left_out = 0;
  for (Entry const& entry : context) {
    keeps = keeps || (!compaction.first_kept.empty() && entry.id == compaction.first_kept);
    if (!is_said(entry)) continue;
    if (keeps)
      kept.push_back(entry);
    else
      ++left_out;
  }
  compaction.first_kept = EntryId(detail::format_text("{}{}", panel_label, left_out));
  compaction.kept_again.reset();
  if (!kept.empty()) compaction.kept_again = kept.size();
  return kept;
}

RawJson again_mark(RawJson const& others) {
  std::string members;
  JsonWriter json(members);
  json.begin_object().member_raw(again_member, "1");
  write_members(json, others);
  json.end_object();
  return RawJsonAccess::trust(std::move(members));
}

std::string line_again(std::string_view line) {
  std::uint64_t times = 1;
  std::string again;
  for_members(line, [&](std::string_view key, std::string_view value) {
    if (key_is(key, again_member))
      times = to_uint(value).value_or(0) + 1;
    else
      again.append(again.empty() ? "{\"" : ",\"").append(key).append("\":").append(value);
    return true;
  });
  again += detail::format_text(",\"{}\":{}}}", again_member, times);
  return is_utf8(again) ? again : replace_invalid(again);
}

Damage cut_short_damage(Entry const& compaction, std::uint64_t offset, std::uint64_t length) {
  return {
      offset, length, DamageKind::missing_first_kept,
      detail::format_text("not all {} messages that the compaction keeps follow it: it does not count, and "
                          "what it replaces does",
                          compaction.as<Compaction>()->kept_again.value_or(0))};
}

void take_out_cut_short(std::vector<Entry>& entries) {
  bool behind = false; // a compaction that goes
  auto const goes = [&](Entry const& entry) {
    if (entry.as<Compaction>()) return behind = true;
    if (is_said(entry) && !is_kept_again(entry)) behind = false;
    return behind && is_said(entry);
  };
  std::vector<Entry> all = std::exchange(entries, {});
  for (Entry& entry : all)
    if (!goes(entry)) entries.push_back(std::move(entry));
}

std::vector<Standing> standings(std::vector<Entry> const& log) {
  std::vector<Standing> all(log.size());
  std::vector<std::size_t> said; // since the last compaction, what it keeps included
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (is_said(log[i]) && all[i].kind == Standing::once) said.push_back(i);
    auto const* compaction = log[i].as<Compaction>();
    if (!compaction) continue;
    auto const next = log.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (!said.empty() && !is_whole(log[i], next, log.end())) {
      all[i].kind = Standing::cut_short;
      for (std::size_t const again : panel_compaction_inl::said_behind(log, i, log.size())) {
        if (!is_kept_again(log[again])) break;
        all[again].kind = Standing::cut_short;
      }
      continue;
    }
    said.erase(said.begin(), said.end() - static_cast<std::ptrdiff_t>(messages_kept(log[i], said.size())));
    std::vector<std::size_t> const behind = panel_compaction_inl::said_behind(log, i, said.size());
    auto const repeats = [&](std::size_t original, std::size_t again) {
      bool const marked = is_kept_again(log[again]) || !compaction->kept_again;
      return marked && panel_compaction_inl::same_words(log[original], log[again]);
    };
    if (behind.size() != said.size() || !std::equal(said.begin(), said.end(), behind.begin(), repeats))
      said.clear();
    for (std::size_t n = 0; n < said.size(); ++n) all[behind[n]] = {Standing::again, said[n]};
  }
  return all;
}

}}}
