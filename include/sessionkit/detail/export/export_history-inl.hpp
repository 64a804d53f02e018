// SPDX-License-Identifier: MIT
// Rebuilds a session for another program, cuts it at its compactions, and lists what no message has.
#pragma once
#include <sessionkit/detail/dialects/summary_wording.hpp>
#include <sessionkit/detail/export/export_history.hpp>
#include <sessionkit/detail/export/export_ids.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace export_history_inl { namespace {

using detail::ExportHistory;
using detail::ExportMessage;
using detail::ExportPiece;
using detail::ExportSegment;
using Ids = std::unordered_set<std::string>;

// The entries of one message, part by part. Of the entries that were joined, the first one.
std::vector<EntryId> entries_of(History const& history, std::size_t message, Ids& sent) {
  std::vector<EntryId> entries(history.messages[message].parts.size());
  EntryId now = history.sources[message];
  sent.insert(now.str());
  auto const first =
      std::lower_bound(history.part_sources.begin(), history.part_sources.end(), message,
                       [](PartSource const& source, std::size_t wanted) { return source.message < wanted; });
  auto at = first;
  for (std::size_t part = 0; part < entries.size(); ++part) {
    bool begins = true;
    for (; at != history.part_sources.end() && at->message == message && at->part == part; ++at) {
      sent.insert(at->entry.str());
      if (begins && part > 0) now = at->entry;
      begins = false;
    }
    entries[part] = now;
  }
  return entries;
}

// Cuts the messages of a history: the summary, what is kept, and what follows.
class Cutter {
 public:
  Cutter(Context const& context, ExportSegment& segment) : segment_(segment) {
    following_ = !context.compaction;
    if (following_) return;
    for (std::size_t i = 0; i < context.after_compaction; ++i) before_.insert(context.entries[i].id.str());
    segment.compaction = context.compaction->id;
    segment.at = context.compaction->at;
    Compaction const& body = *context.compaction->as<Compaction>();
    segment.summary = body.summary;
    segment.tokens_before = body.tokens_before;
  }

  void add(Message& message, std::vector<EntryId> const& entries, Timestamp at) {
    open_ = nullptr;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].empty() && entries[i] == segment_.compaction) {
        segment_.summary_is_last = !segment_.kept.empty();
        continue;
      }
      following_ = following_ || (!entries[i].empty() && before_.count(entries[i].str()) == 0);
      put(message, {std::move(message.parts[i]), entries[i]}, at);
    }
  }

 private:
  void put(Message const& message, ExportPiece piece, Timestamp at) {
    std::vector<ExportMessage>& where = following_ ? segment_.said : segment_.kept;
    if (open_ != &where) {
      ExportMessage& made = where.emplace_back();
      made.role = message.role;
      made.generation = message.generation;
      made.at = at;
    }
    open_ = &where;
    where.back().pieces.push_back(std::move(piece));
  }

  ExportSegment& segment_;
  Ids before_; ///< what the compaction keeps
  bool following_ = false;
  std::vector<ExportMessage>* open_ = nullptr;
};

template <class Drop> void drop_pieces(std::vector<ExportMessage>& messages, Drop const& drop) {
  for (ExportMessage& message : messages)
    message.pieces.erase(std::remove_if(message.pieces.begin(), message.pieces.end(), drop),
                         message.pieces.end());
  messages.erase(std::remove_if(messages.begin(), messages.end(),
                                [](ExportMessage const& message) { return message.pieces.empty(); }),
                 messages.end());
}

template <class Use> void each_piece(ExportSegment& segment, Use const& use) {
  for (auto* const list : {&segment.kept, &segment.said})
    for (ExportMessage& message : *list)
      for (ExportPiece& piece : message.pieces) use(piece.part);
}

// Within a segment the ids differ already.
void rename_calls(ExportHistory& history) {
  Ids later;
  std::size_t renamed = 0;
  for (auto segment = history.segments.rbegin(); segment != history.segments.rend(); ++segment) {
    Ids here;
    each_piece(*segment, [&](Part& part) {
      auto* const call = std::get_if<ToolUse>(&part);
      auto* const result = std::get_if<ToolResult>(&part);
      if (!call && !result) return;
      std::string& id = call ? call->id : result->tool_use_id;
      here.insert(id);
      if (later.count(id) == 0) return;
      renamed += call ? 1U : 0U;
      std::string seed = id;
      seed += '/';
      seed += std::to_string(segment - history.segments.rbegin());
      id = "call_" + detail::letters_of(seed, 24);
    });
    later.insert(here.begin(), here.end());
  }
  detail::add_loss(history.losses, renamed, "calls that a compaction hides",
                   "written with other ids, because later calls have theirs");
}

char const* kind_of(Entry const& entry) {
  if (entry.as<StateChange>()) return "changes of the host's state";
  if (entry.as<ArchiveChange>()) return "archivings";
  if (entry.as<Label>()) return "labels";
  if (entry.as<ModelChange>()) return "changes of the model";
  if (entry.as<Custom>()) return "entries with data of a program";
  auto const* const text = entry.as<CustomMessage>();
  return text && !text->in_context ? "texts that are never sent" : nullptr;
}

bool has_own_members(Entry const& entry) {
  auto const* const message = entry.as<Message>();
  bool found = false;
  if (message)
    detail::for_members(message->metadata.str(), [&](std::string_view key, std::string_view) {
      found = found || !detail::key_is(key, "timestamp"); // the entry has the time too
      return true;
    });
  detail::for_members(entry.extra.str(), [&](std::string_view key, std::string_view) {
    found = found || !(detail::key_is(key, "origin") || detail::key_is(key, "toolUseResult"));
    return true;
  });
  return found;
}

class Maker {
 public:
  Maker(ExportSource const& source, detail::ExportTarget const& target) : source_(source), target_(target) {}

  ExportHistory run() && {
    for (std::size_t i = 0; i < source_.contexts.size(); ++i)
      segment(source_.contexts[i], i + 1 < source_.contexts.size());
    if (out_.segments.empty()) out_.segments.emplace_back();
    if (Header const* const header = detail::header_of(source_)) out_.header = *header;
    for (Entry const& entry : source_.log.entries)
      if (auto const* const title = entry.as<TitleChange>()) out_.title = title;
    if (out_.title && out_.title->title.empty()) out_.title = nullptr;
    times();
    entries();
    header();
    return std::move(out_);
  }

 private:
  void segment(Context const& context, bool replaced) {
    Context copy = context;
    if (copy.compaction && target_.introduces_summary) introduce(std::get<Compaction>(copy.compaction->body));
    History history = HistoryRebuilder(target_.target).rebuild(copy);
    ExportSegment& made = out_.segments.emplace_back();
    Cutter cut(copy, made);
    for (std::size_t i = 0; i < history.messages.size(); ++i)
      cut.add(history.messages[i], entries_of(history, i, sent_), history.times[i]);
    if (replaced) // what repairs made is for what is sent
      drop_pieces(made.said, [](ExportPiece const& piece) { return piece.entry.empty(); });
    for (Repair const& repair : history.report) add(repair, replaced);
  }

  // Unless it introduces itself already.
  static void introduce(Compaction& body) {
    std::string const words = detail::compaction_summary_text({});
    std::string_view const begin = std::string_view(words).substr(0, words.find('<'));
    if (body.summary.compare(0, begin.size(), begin) != 0)
      body.summary = detail::compaction_summary_text(body.summary);
  }

  void add(Repair const& repair, bool replaced) {
    constexpr std::array<std::string_view, 2> only_regrouped{"consecutive_user", "joined_messages"};
    bool const regrouped =
        std::find(only_regrouped.begin(), only_regrouped.end(), repair.rule) != only_regrouped.end();
    bool const made_later = replaced && repair.before.empty(); // the entry may still come
    if (regrouped || made_later) return;
    std::string what(repair.rule);
    what += ": ";
    what += repair.before.empty() ? std::string("nothing") : repair.before;
    what += repair.after.empty() ? std::string(" is left out") : " is written as " + repair.after;
    if (noted_.emplace(repair.entry.str(), what).second)
      out_.losses.push_back({repair.entry, std::move(what)});
  }

  void times() {
    for (ExportSegment const& segment : out_.segments)
      for (auto const* list : {&segment.kept, &segment.said})
        for (ExportMessage const& message : *list) {
          if (message.at == Timestamp{}) continue;
          if (out_.begin == Timestamp{}) out_.begin = message.at;
          out_.end = std::max(out_.end, message.at);
        }
    if (out_.begin == Timestamp{} && !source_.log.entries.empty())
      out_.begin = out_.end = source_.log.entries.front().at;
  }

  void entries() {
    std::map<std::string, std::size_t> kinds;
    std::size_t members = 0, branches = 0;
    Ids on_path;
    for (Entry const& entry : source_.path) {
      on_path.insert(entry.id.str());
      if (char const* const kind = kind_of(entry)) ++kinds[kind];
      if (entry.as<BranchSummary>() && sent_.count(entry.id.str()) != 0)
        out_.losses.push_back({entry.id, "the summary of a left branch is written as a text of the user"});
      members += has_own_members(entry) ? 1U : 0U;
    }
    for (Entry const& entry : source_.log.entries)
      if (!entry.as<Header>() && !entry.as<TitleChange>() && on_path.count(entry.id.str()) == 0) ++branches;
    for (auto const& [kind, count] : kinds) detail::add_loss(out_.losses, count, kind, "not written");
    detail::add_loss(out_.losses, members, "entries",
                     "members that only their own program knows are not written");
    detail::add_loss(out_.losses, branches, "entries of other branches", "not written");
  }

  void header() {
    Header const& header = out_.header;
    std::string names;
    auto const name = [&](bool there, char const* what) {
      if (there) names += (names.empty() ? "" : ", ") + std::string(what);
    };
    name(!header.key.empty(), "key");
    name(!header.agent.empty(), "agent");
    name(!header.user.empty(), "user");
    name(!header.parent_session.empty(), "parent session");
    bool own = false;
    detail::for_members(header.metadata.str(), [&](std::string_view key, std::string_view) {
      own = own || !detail::key_is(key, "origin");
      return true;
    });
    name(own, "metadata");
    if (!names.empty()) out_.losses.push_back({{}, "the session's " + names + ": not written"});
  }

  ExportSource const& source_;
  detail::ExportTarget const& target_;
  ExportHistory out_;
  Ids sent_;
  std::set<std::pair<std::string, std::string>> noted_;
};

}}

namespace detail {

Message ExportMessage::message() const {
  Message message;
  message.role = role;
  message.generation = generation;
  for (ExportPiece const& piece : pieces) message.parts.push_back(piece.part);
  return message;
}

ExportHistory make_export_history(ExportSource const& source, ExportTarget const& target) {
  return export_history_inl::Maker(source, target).run();
}

void write_once(ExportHistory& history) {
  export_history_inl::Ids later;
  std::size_t moved = 0;
  for (auto segment = history.segments.rbegin(); segment != history.segments.rend(); ++segment) {
    for (auto* const list : {&segment->kept, &segment->said})
      export_history_inl::drop_pieces(
          *list, [&](ExportPiece const& piece) { return later.count(piece.entry.str()) != 0; });
    moved += segment->kept.size();
    for (ExportMessage const& message : segment->kept)
      for (ExportPiece const& piece : message.pieces)
        if (!piece.entry.empty()) later.insert(piece.entry.str());
  }
  add_loss(history.losses, moved, "messages that a compaction keeps", "written after its summary");
  export_history_inl::rename_calls(history);
}

bool is_session_of(ExportSource const& source, std::string_view program) {
  Header const* const header = header_of(source);
  return header && header->metadata.is_object()
         && member_text(find_member(header->metadata.str(), "origin"), "program") == program;
}

ExportTarget export_target(ExportSource const& source, Exporter const& exporter, Provider provider) {
  ExportTarget out;
  out.target.provider = provider;
  out.introduces_summary = !is_session_of(source, exporter.name);
  if (out.introduces_summary)
    out.target.wording.summary = Wording::Summary::first_user;
  else
    out.target.wording = exporter.profile->wording;
  return out;
}

void add_loss(std::vector<Loss>& losses, std::size_t count, std::string_view things, std::string_view what) {
  if (count == 0) return;
  std::string text(things);
  text += " (" + std::to_string(count) + "): ";
  losses.push_back({{}, std::move(text.append(what))});
}

}

}}
