// SPDX-License-Identifier: MIT
// Converts a log from one dialect into another, and reports what is lost.
#pragma once
#include <sessionkit/blades.hpp>
#include <sessionkit/convert.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/blades_dialect.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/detail/dialects/reserved_members.hpp>
#include <sessionkit/detail/dialects/storable_answer.hpp>
#include <sessionkit/detail/exchange/blades_export.hpp>
#include <sessionkit/detail/exchange/conversion_path.hpp>
#include <sessionkit/detail/exchange/shadowed_members.hpp>
#include <sessionkit/detail/exchange/time_spelling.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/model/blob_refs.hpp>
#include <sessionkit/detail/model/tool_results.hpp>
#include <sessionkit/transcript_writer.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace convert_inl { namespace {

using detail::Standing;

class LogConverter {
 public:
  LogConverter(Log const& log, Dialect const& from, Dialect const& to)
      : log_(log), from_(from), to_(to), times_(from) {}

  Result<Converted> run(SessionId const& id) && {
    detail::list_damage(log_, out_.losses);
    standings_ = from_.has_ids ? std::vector<Standing>(log_.entries.size()) : detail::standings(log_.entries);
    Result<void> const begun = begin(id);
    if (!begun) return begun.error();
    if (to_.has_ids) {
      parents_ = detail::parents_of(log_);
      written_.resize(log_.entries.size());
      reserve_names();
      for (std::size_t i = 0; i < log_.entries.size(); ++i)
        if (!log_.entries[i].as<Header>()) add(i);
    } else {
      for (std::size_t const i : detail::path_to_last(log_, out_.losses)) add(i);
    }
    write_results();
    return std::move(out_);
  }

 private:
  // The ids under which a source entry was written: its first line, and the line that its children follow.
  // Empty: it was not written.
  struct Written {
    std::string first, last;
  };

  void leave_out(Entry const& entry, std::string what) { out_.losses.push_back({entry.id, std::move(what)}); }

  Result<void> begin(SessionId const& id) {
    Entry header = detail::header_of(log_, id);
    auto const& about = std::get<Header>(header.body);
    copies_ = &from_ == &to_ && log_.lines.size() == log_.entries.size() && about.version >= 3;
    std::size_t place = 0;
    while (place < log_.entries.size() && !log_.entries[place].as<Header>()) ++place;
    bool const whole = place < log_.entries.size()
                       && (!from_.has_ids || !std::get<Header>(log_.entries[place].body).id.empty());
    if (copies_ && whole) {
      out_.text.append(log_.lines[place]) += '\n';
      return {};
    }
    detail::list_spelling(log_, place, out_.losses);
    foreign_members(header);
    in_range(header);
    keep_time(place, header);
    std::optional<Entry> const spelled = with_kept_time(header);
    Result<void> encoded = spelled ? Result<void>{} : to_.encode(header, out_.text);
    if (!encoded) return encoded;
    list_shadowed(spelled ? *spelled : header, out_.text);
    if (!end_line(0)) return detail::make_error(Errc::unsupported, "the header: {}", refusal_);
    return {};
  }

  // A generated id must not be in the log, nor be mentioned there.
  void reserve_names() {
    for (Entry const& entry : log_.entries) {
      reserved_.insert(entry.id.str());
      if (auto const* compaction = entry.as<Compaction>()) reserved_.insert(compaction->first_kept.str());
      if (auto const* label = entry.as<Label>()) reserved_.insert(label->target.str());
      if (auto const* branch = entry.as<BranchSummary>()) reserved_.insert(branch->from.str());
    }
  }

  // Removes and lists unknown members whose names have a meaning in a dialect; the others are copied.
  void foreign_members(Entry& entry) {
    if (&from_ == &to_ || !entry.extra.is_object()) return;
    for (std::string const& name : detail::strip_line_names(entry.extra))
      leave_out(entry, detail::format_text("its member \"{}\" means something else there", name));
  }

  void in_range(Entry& entry) {
    if (&to_ != &panel_dialect()) detail::list_time_of_years(entry, out_.losses);
  }

  void add(std::size_t place) {
    Entry const& source = log_.entries[at_ = place];
    if (to_.has_ids && parents_[at_] != detail::no_parent) written_[at_].last = written_[parents_[at_]].last;
    if ((copies_ && copy(source)) || (&from_ != &to_ && adds_nothing(source))) return;
    detail::list_spelling(log_, place, out_.losses);
    Entry entry = source;
    in_range(entry);
    foreign_members(entry);
    if (!is_joined(source)) keep_time(place, entry);
    if (auto const* unknown = source.as<Unknown>(); unknown && &from_ != &to_)
      return leave_out(source, detail::format_text("a line of type '{}'{}, which only its own dialect knows",
                                                   unknown->type, role_in(unknown->line)));
    if (auto const* message = source.as<Message>()) return add_message(std::move(entry), *message);
    if (auto const* compaction = source.as<Compaction>())
      return add_compaction(std::move(entry), *compaction);
    if (&from_ == &to_) keep_shell(entry);
    link(entry);
    if (!write(entry))
      leave_out(source, detail::format_text("{}: {}", detail::kind_of(entry.body), refusal_));
  }

  // A message may be an unknown line because of its role, so the role is reported.
  static std::string role_in(RawJson const& line) {
    std::string_view role = detail::find_member(line.str(), "role");
    if (role.empty()) role = detail::find_member(detail::find_member(line.str(), "message"), "role");
    return role.empty() ? std::string{} : detail::format_text(" with the role {}", role.substr(0, 40));
  }

  // Copies the line, with only its ids changed. False: it has to be written again from the entry.
  bool copy(Entry const& source) {
    std::string const& line = log_.lines[at_];
    if (line.empty()) return false;
    if (!to_.has_ids) {
      out_.text.append(line) += '\n';
      return true;
    }
    Entry entry = source;
    link(entry);
    auto* compaction = std::get_if<Compaction>(&entry.body);
    if (compaction) name_first_kept(entry, *source.as<Compaction>());
    bool const same_kept = !compaction || compaction->first_kept == source.as<Compaction>()->first_kept;
    bool const root = source.link == Parent::root || (source.link == Parent::entry && source.parent.empty());
    bool const same_link =
        root ? entry.link == Parent::root
             : source.link == Parent::entry && entry.link == Parent::entry && entry.parent == source.parent;
    if (same_kept && same_link && entry.id == source.id) {
      out_.text.append(line) += '\n';
      note_written(entry);
      return true;
    }
    detail::list_spelling(log_, at_, out_.losses);
    in_range(entry);
    if (!compaction)
      entry.body = Unknown{detail::to_text(detail::find_member(line, "type")),
                           RawJsonAccess::trust(std::string(line))},
      entry.extra = RawJson{};
    keep_time(at_, entry);
    if (!write(entry))
      leave_out(source, detail::format_text("{}: {}", detail::kind_of(source.body), refusal_));
    return true;
  }

  // pi's terminal writes a command in a shape of its own, which is in the details.
  static void keep_shell(Entry& entry) {
    auto const* shell = entry.as<CustomMessage>();
    if (!shell || shell->type != "bashExecution" || !detail::has_member(shell->details, "role")) return;
    RawJson message = RawJsonAccess::trust("{\"message\":" + shell->details.str() + '}');
    entry.body = Unknown{"message", std::move(message)};
  }

  void add_message(Entry entry, Message message) {
    if (!to_.has_ids && detail::has_blob_refs(message)) {
      detail::replace_blob_refs(message, [&](Image const& image) {
        leave_out(entry, "an image by reference: " + std::get<BlobRef>(image.source).digest);
      });
      entry.body = message;
    }
    if (std::string const names = strip_members(message); !names.empty()) {
      leave_out(entry, detail::format_text("members of a part that are not the API's: {}", names));
      entry.body = message;
    }
    for (Part const& part : message.parts)
      if (auto const* call = std::get_if<ToolUse>(&part)) tool_names_[call->id] = call->name;
    if (to_.joins_results && &from_ != &to_ && detail::is_only_results(message))
      return hold_results(std::move(entry), message);
    write_results();
    put_message(std::move(entry), message);
  }

  void keep_time(std::size_t place, Entry& entry) {
    auto const kept = times_.keep(log_, place, entry);
    own_time_ = kept == detail::TimeKeeper::Kept::time;
    if (kept == detail::TimeKeeper::Kept::taken)
      leave_out(entry, "the text of its time: a member of the line has the name under which it is kept");
  }

  // Within one dialect, only a time that was kept just now is one, or one that a document of blades kept: a
  // member of the line is data of its own.
  std::optional<Entry> with_kept_time(Entry const& entry) {
    bool const from_document =
        log_.lines.empty() && detail::has_member(entry.extra, detail::blades_time); // it has both times
    if (&from_ == &to_ && !own_time_ && !from_document) return std::nullopt;
    return detail::encode_with_kept_time(to_, entry, out_.text);
  }

  bool is_joined(Entry const& entry) const {
    auto const* message = entry.as<Message>();
    return results_ && message && detail::is_only_results(*message);
  }

  // Holds results of one group of calls, and writes them as one message before anything else is written.
  void hold_results(Entry entry, Message const& message) {
    if (!results_) {
      results_ = std::move(entry);
      results_time_ = detail::time_in_line(log_, at_, from_);
      return;
    }
    joined_[entry.id.str()] = results_->id;
    if (entry.at != results_->at || detail::time_in_line(log_, at_, from_) != results_time_)
      leave_out(entry, "the time of a result: it is joined with others");
    for (std::string const& name : detail::join_results(std::get<Message>(results_->body), message))
      leave_out(entry,
                detail::format_text("\"{}\" of a result: it is joined with others that have one", name));
    if (!entry.extra.is_null()) leave_out(entry, "members of a result's line: it is joined with others");
  }

  void write_results() {
    if (!results_) return;
    Entry entry = std::move(*results_);
    results_.reset();
    Message const message = std::get<Message>(entry.body);
    put_message(std::move(entry), message);
  }

  void put_message(Entry entry, Message const& message) {
    EntryId const source = entry.id;
    std::vector<Message> lines = to_.split(message);
    if (std::string_view const lost = detail::lost_order(message); lines.size() > 1 && !lost.empty())
      leave_out(entry, std::string(lost));
    if (std::all_of(lines.begin(), lines.end(), [](Message const& one) { return one.metadata.is_null(); }))
      lines.front().metadata = message.metadata; // of several results
    list_border(entry, message);
    for (Message& one : lines) {
      if (std::string const name = unnamed_tool(one); !name.empty())
        leave_out(entry, detail::format_text("the name of the tool that a result is of: {}", name));
      for (Part& part : one.parts)
        if (auto* result = std::get_if<ToolResult>(&part)) name_tool(*result);
      entry.body = std::move(one);
      entry.id = source;
      link(entry);
      bool const written = write_message(entry, source);
      if (written) entry.extra = detail::kept_times(entry.extra, from_, to_);
      remember(entry, written);
    }
  }

  // Remembers what a later compaction may keep and write again. An entry that was not written cannot be kept.
  void remember(Entry entry, bool written) {
    if (&to_ != &panel_dialect()) return;
    if (!written) entry.body = Unknown{};
    segment_.push_back(std::move(entry));
  }

  // A flat line holds one part; only what is between lines shows which of them belong to one answer. Lists
  // a border between two answers that is lost.
  void list_border(Entry const& entry, Message const& message) {
    if (&to_ != &flat_dialect()) return;
    bool const assistant = message.role == Role::assistant, many = message.parts.size() > 1;
    if (assistant && open_calls_ && (many || open_many_))
      leave_out(entry, "that it is another message than the one before");
    open_many_ = assistant && many;
    open_calls_ = assistant && !message.tool_uses().empty();
  }

  std::string strip_members(Message& message) const {
    return from_.has_ids && !to_.has_ids ? detail::strip_strange_members(message) : std::string{};
  }

  // The tool name of a result, if its call does not give it and the line has no place for it.
  std::string unnamed_tool(Message const& message) const {
    if (std::string_view(to_.name) != "panel") return {};
    for (Part const& part : message.parts)
      if (auto const* result = std::get_if<ToolResult>(&part); result && !result->tool_name.empty()) {
        auto const known = tool_names_.find(result->tool_use_id);
        if (known == tool_names_.end() || known->second != result->tool_name) return result->tool_name;
      }
    return {};
  }

  // pi needs the name of the tool with each result.
  void name_tool(ToolResult& result) const {
    auto const known = tool_names_.find(result.tool_use_id);
    if (to_.has_ids && result.tool_name.empty() && known != tool_names_.end())
      result.tool_name = known->second;
  }

  bool write_message(Entry& entry, EntryId const& source) {
    if (write(entry)) return true;
    std::string const why = refusal_;
    auto& message = std::get<Message>(entry.body);
    bool stripped = detail::strip_proofs(message);
    std::string const what = stripped ? "a signature or reasoning: " : "a part of a message: ";
    if (message.role == Role::assistant) stripped = !detail::make_storable(message, to_).empty() || stripped;
    bool const said = stripped && !message.parts.empty() && write(entry);
    out_.losses.push_back({source, (said ? what : "a part of a message: ") + why});
    return said;
  }

  // In one kind of dialect the entries that a compaction keeps are before it; in the other they are after it,
  // written again.
  void add_compaction(Entry entry, Compaction const& source) {
    write_results();
    auto& compaction = std::get<Compaction>(entry.body);
    if (std::optional<std::uint64_t> const index = source.first_kept_index;
        index && source.first_kept.empty())
      if (*index > 0 && *index < log_.entries.size()) compaction.first_kept = log_.entries[*index].id;
    bool const can = to_.can(entry.body.index());
    if (can && !to_.has_ids) return from_.has_ids ? add_with_kept(std::move(entry)) : add_as_it_is(entry);
    Compaction const named = compaction;
    link(entry);
    if (can) name_first_kept(entry, named);
    if (!write(entry)) leave_out(log_.entries[at_], "a compaction: " + refusal_);
  }

  void add_as_it_is(Entry const& entry) {
    if (!write(entry)) leave_out(entry, "a compaction: " + refusal_);
  }

  void add_with_kept(Entry entry) {
    EntryId& named = std::get<Compaction>(entry.body).first_kept;
    if (auto const joined = joined_.find(named.str()); joined != joined_.end()) named = joined->second;
    auto& compaction = std::get<Compaction>(entry.body);
    auto const kept = compaction.first_kept.empty()
                          ? segment_.rend()
                          : std::find_if(segment_.rbegin(), segment_.rend(), [&](Entry const& message) {
                              return message.id == compaction.first_kept;
                            });
    if (kept == segment_.rend() && compaction.first_kept == entry.id)
      compaction.first_kept = EntryId{}; // pi's way to say that nothing is kept
    if (kept == segment_.rend() && !compaction.first_kept.empty())
      leave_out(entry, "what a compaction keeps: its first kept entry is not among what the model saw");
    for (auto earlier = kept; earlier != segment_.rend() && ++earlier != segment_.rend();)
      if (earlier->id == compaction.first_kept) earlier->id = EntryId{}; // only the nearest such id counts
    if (!compaction.details.is_null() || compaction.from_hook) {
      leave_out(entry, "the details of a compaction");
      compaction.details = RawJson{}, compaction.from_hook = false;
    }
    std::vector<Entry> const again = detail::take_kept(compaction, segment_);
    if (!write(entry)) return leave_out(entry, "a compaction: " + refusal_);
    segment_ = again;
    for (Entry copy : again) {
      copy.extra = detail::again_mark(copy.extra); // it has only the times that were kept
      write_message(copy, entry.id);
    }
  }

  // A compaction that names itself keeps nothing, in pi's files too, unless an earlier entry has that id.
  void name_first_kept(Entry& entry, Compaction const& source) {
    auto& compaction = std::get<Compaction>(entry.body);
    compaction.first_kept_index.reset();
    EntryId const kept = from_.has_ids ? source.first_kept : first_written_again();
    bool const own_name = kept == log_.entries[at_].id;
    if (kept.empty() && from_.has_ids) return;
    if (kept.empty() || (own_name && kept == entry.id)) {
      compaction.first_kept = entry.id;
      return;
    }
    std::string first;
    for (std::size_t i = parents_[at_]; i != detail::no_parent && steps_ < most_steps; i = parents_[i]) {
      ++steps_;
      if (!written_[i].first.empty()) first = written_[i].first;
      if (log_.entries[i].id != kept) continue;
      compaction.first_kept = first.empty() ? entry.id : EntryId(first);
      return;
    }
    if (steps_ >= most_steps) leave_out(log_.entries[at_], "what a compaction keeps: too far back to find");
    if (!from_.has_ids || own_name) compaction.first_kept = entry.id;
  }

  // The original of the first message that the current compaction wrote again.
  EntryId first_written_again() const {
    for (std::size_t i = at_ + 1; i < log_.entries.size() && !log_.entries[i].as<Compaction>(); ++i)
      if (standings_[i].kind == Standing::again) return log_.entries[standings_[i].original].id;
    return {};
  }

  // True for a message that a compaction wrote again, because it exists already, and for what was cut short.
  bool adds_nothing(Entry const& entry) {
    Standing::Kind const kind = standings_[at_].kind;
    if (kind == Standing::cut_short && entry.as<Compaction>())
      leave_out(entry, "a compaction whose write was cut short: it does not count");
    return kind != Standing::once;
  }

  // Links an entry to the last line of its parent, or to the previous line of the same source entry.
  void link(Entry& entry) {
    if (!to_.has_ids) return;
    std::string const own = entry.id.str();
    Written const& written = written_[at_];
    entry.link = written.last.empty() ? Parent::root : Parent::entry;
    entry.parent = EntryId(written.last);
    if (!written.first.empty() || !from_.has_ids || own.empty() || own.front() == '@') {
      entry.id = made_id();
    } else if (owner_ != at_ && used_.insert(own).second) {
      owner_ = at_;
    } else if (owner_ != at_) {
      entry.id = made_id();
      leave_out(log_.entries[at_],
                detail::format_text("its id, which an earlier entry has: here it is {}", entry.id.str()));
    }
  }

  EntryId made_id() {
    for (;;)
      if (std::string id = detail::format_text("{:08x}", ++made_); reserved_.count(id) == 0)
        return EntryId(id);
  }

  void note_written(Entry const& entry) {
    if (!to_.has_ids) return;
    Written& written = written_[at_];
    written.last = entry.id.str();
    if (written.first.empty()) written.first = written.last;
  }

  bool write(Entry const& entry) {
    std::size_t const begin = out_.text.size();
    std::optional<Entry> const spelled = with_kept_time(entry);
    Result<void> const encoded = spelled ? Result<void>{} : to_.encode(entry, out_.text);
    if (!encoded) {
      std::string const& message = encoded.error().message;
      std::size_t const colon = message.find(": ");
      refusal_ = colon == std::string::npos ? message : message.substr(colon + 2);
      return false;
    }
    std::string_view const line = std::string_view(out_.text).substr(begin);
    if (!detail::check_json(line)) { // it could not be read again
      out_.text.resize(begin);
      refusal_ = "its line would be nested deeper than 128";
      return false;
    }
    list_shadowed(spelled ? *spelled : entry, line);
    if (!end_line(begin)) return false;
    note_written(entry);
    return true;
  }

  // False: readers would skip the line, so it was not written.
  bool end_line(std::size_t begin) {
    std::string_view const line = std::string_view(out_.text).substr(begin);
    if (!detail::is_utf8(line)) out_.text.replace(begin, std::string::npos, detail::replace_invalid(line));
    if (std::size_t const length = out_.text.size() - begin; length > default_max_line) {
      out_.text.resize(begin);
      refusal_ = detail::format_text("its line would have {} bytes, and readers skip what is longer than {}",
                                     length, default_max_line);
      return false;
    }
    out_.text += '\n';
    return true;
  }

  void list_shadowed(Entry const& entry, std::string_view line) {
    EntryId const& id = at_ == detail::no_parent || !to_.has_ids ? entry.id : log_.entries[at_].id;
    detail::list_shadowed_members(id, entry, line, to_, out_.losses);
  }

  static constexpr std::size_t most_steps = 50'000'000; // back from compactions to what they keep

  Log const& log_;
  Dialect const& from_;
  Dialect const& to_;
  detail::TimeKeeper times_;
  Converted out_;
  std::optional<Entry> results_;                    ///< not yet written: more may belong to them
  std::string_view results_time_;                   ///< in the line of the first of them
  std::unordered_map<std::string, EntryId> joined_; ///< results joined with others, to the first of these
  bool own_time_ = false;                           ///< the time of the current line was kept
  bool copies_ = false;                             ///< lines are copied if their ids stay
  std::size_t at_ = detail::no_parent,
              owner_ = detail::no_parent; ///< source entry that was given its own id last
  std::vector<std::size_t> parents_;
  std::vector<Written> written_;
  std::vector<Entry> segment_; ///< messages since the last compaction, for panel lines
  std::vector<Standing> standings_;
  std::unordered_map<std::string, std::string> tool_names_;
  std::unordered_set<std::string> reserved_, used_; ///< ids in the log; ids already written
  std::string refusal_;
  bool open_calls_ = false,
       open_many_ = false; ///< the previous message is an answer with calls, and with several parts
  std::size_t steps_ = 0;
  std::uint32_t made_ = 0;
};

}}

Result<Converted> convert_log(Log const& log, Dialect const& from, Dialect const& to, SessionId const& id) {
  if (&to == &detail::blades_dialect()) return detail::export_blades(log, from, id); // one document, no lines
  return convert_inl::LogConverter(log, from, to).run(id);
}

}}
