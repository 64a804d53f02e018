// SPDX-License-Identifier: MIT
// Imports sessions of Gemini CLI: follows the list of messages that the program keeps, and gives an entry for
// each piece when it is first in the list. A list that becomes another one makes a branch or a compaction.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/import/foreign_files.hpp>
#include <sessionkit/detail/import/gemini_cli_messages.hpp>
#include <sessionkit/detail/import/gemini_cli_records.hpp>
#include <sessionkit/detail/import/import_gemini_cli.hpp>

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace import_gemini_cli_inl { namespace {

using detail::find_member;
using detail::ForeignLine;
using detail::GeminiSaid;
using detail::GeminiUnit;
using detail::JsonKind;
using detail::member_text;

class SessionReader {
 public:
  SessionReader(ForeignSession const& which, std::string cwd, ImportOptions const& options,
                EntrySink const& sink)
      : which_(which), cwd_(std::move(cwd)), options_(options), sink_(sink) {}

  Result<ImportReport> run(std::string_view text) && {
    detail::each_gemini_record(text, options_.limits, report_.damage, [&](ForeignLine const& where) {
      if (!status_) return;
      number_ = where.number;
      text_at_ = where.offset;
      text_ = where.text.data();
      record(where.text);
    });
    if (status_ && !header_given_)
      return detail::make_error(Errc::corrupt, "{}: no message of a Gemini CLI conversation; name its file",
                                which_.file);
    finish();
    if (!status_) return status_.error();
    return std::move(report_);
  }

 private:
  // A message in the program's list. `text` is a part of the file. `steps` is the length of the path before
  // it.
  struct Item {
    std::string id;
    std::string_view text;
    std::size_t steps = 0;
  };
  // A unit on the path, and the entry that the next one follows.
  struct Step {
    std::uint64_t key = 0;
    EntryId tip = {};
  };

  void record(std::string_view line) {
    if (std::string_view const target = find_member(line, "$rewindTo");
        detail::json_kind(target) == JsonKind::string)
      return rewind(detail::to_text(target));
    bool const document = detail::json_kind(find_member(line, "messages")) == JsonKind::array
                          && (!member_text(line, "sessionId").empty() || find_member(line, "type").empty());
    if (!document && !find_member(line, "id").empty()) return message(line);
    std::string_view const set = find_member(line, "$set");
    if (detail::json_kind(set) == JsonKind::object) return change(set);
    if (document || !member_text(line, "sessionId").empty()) return session(line);
    pass_over(set.empty() ? "(no type)" : "$set");
  }

  void pass_over(std::string const& type) {
    constexpr std::size_t most_types = 1000; // a damaged file may have a type of its own on each line
    auto& counts = report_.passed_over;
    ++counts[counts.size() < most_types || counts.count(type) != 0 ? type : "(other)"];
  }

  // The line at the beginning and at each resume, or a whole document.
  void session(std::string_view line) {
    flush();
    at_ = detail::line_time(find_member(line, "startTime"));
    header();
    resuming_ = true;
    std::string_view const messages = find_member(line, "messages");
    if (messages.empty()) return pass_over("(session)");
    detail::for_elements(messages, [&](std::string_view one) {
      message(one);
      return status_.ok();
    });
    at_ = detail::line_time(find_member(line, "lastUpdated"));
    title(find_member(line, "summary"));
  }

  void change(std::string_view set) {
    title(find_member(set, "summary"));
    std::string_view const messages = find_member(set, "messages");
    if (detail::json_kind(messages) == JsonKind::array) return replace(messages);
    pass_over("$set");
  }

  void title(std::string_view raw) {
    if (detail::json_kind(raw) != JsonKind::string) return;
    header();
    std::string const text = detail::to_text(raw);
    // A document is written as a whole, and messages that are added to it come before its title.
    bool const in_document = number_ == 0;
    if ((in_document && !options_.finished) || std::exchange(title_, text) == text) return;
    give(TitleChange{text, false}, own_id("title-" + detail::format_text("{:x}", number_)), tip());
  }

  void message(std::string_view line) {
    std::string id = member_text(line, "id");
    if (id.empty() || member_text(line, "type").empty()) return pass_over("(no type)");
    if (line.size() > options_.limits.max_line) {
      auto const inside = static_cast<std::uint64_t>(line.data() - text_);
      report_.damage.push_back({text_at_ + inside, line.size(), DamageKind::oversize,
                                "a message longer than ImportLimits::max_line; it is skipped"});
      return;
    }
    if (!header_given_) at_ = detail::line_time(find_member(line, "timestamp"));
    header();
    auto const found = places_.find(id);
    if (found == places_.end()) {
      flush();
      if (emptied_) sync();
      add(std::move(id), line);
    } else if (list_[found->second].text != line) {
      list_[found->second].text = line;
      if (!pending_ || found->second + 1 != list_.size()) rewritten_ = true;
    }
  }

  void add(std::string id, std::string_view line) {
    resuming_ = false;
    places_[id] = list_.size();
    list_.push_back({std::move(id), line, path_.size()});
    pending_ = true;
    // Only answers are written again, with their calls.
    if (member_text(line, "type") != "gemini") flush();
  }

  void flush() {
    if (!std::exchange(pending_, false)) return;
    list_.back().steps = path_.size();
    emit(list_.back(), 0);
  }

  // Gives the units of a message from the `skip`-th on; those before are on the path.
  void emit(Item const& item, std::size_t skip) {
    std::vector<GeminiUnit> units = units_of(item, path_.size());
    for (std::size_t i = skip; i < units.size(); ++i) {
      count_once(item.id, units[i].message);
      EntryBody body = body_of(units[i], false);
      push(std::move(body), item.id + suffix(units[i]), units[i].key);
    }
    if (units.empty()) note(item);
  }

  // An answer that is given again, on another branch, has no usage.
  void count_once(std::string const& id, Message& message) {
    if (message.generation && message.generation->usage && !counted_.insert(id).second)
      message.generation->usage.reset();
  }

  static std::string suffix(GeminiUnit const& unit) {
    if (unit.kind == GeminiUnit::result) return ".result";
    return unit.kind == GeminiUnit::tool_text ? ".text" : "";
  }

  std::vector<GeminiUnit> units_of(Item const& item, std::size_t position) {
    at_ = detail::line_time(find_member(item.text, "timestamp"));
    if (!is_sent(item)) return {};
    return detail::read_gemini_message(item.text, position, calls_);
  }

  // `again`: a compaction keeps it, so an earlier entry has it too.
  EntryBody body_of(GeminiUnit& unit, bool again) {
    Message& message = unit.message;
    bool const spoken = unit.kind == GeminiUnit::spoken || unit.kind == GeminiUnit::tool_text;
    if (again && message.generation) message.generation->usage.reset();
    if (!spoken || (unit.kind == GeminiUnit::spoken && !again)) return std::move(message);
    std::vector<ToolContent> content = detail::injected_content(std::move(message.parts));
    return detail::injected_text(again ? "gemini-cli.kept" : "gemini-cli.tool-text", std::move(content),
                                 true);
  }

  // A message that the program stores and does not send. It is given once.
  void note(Item const& item) {
    std::string const type = member_text(item.text, "type");
    if (ids_.count(item.id) != 0) return pass_over(type);
    if (type == "gemini") return pass_over("gemini (empty)");
    if (type != "user")
      return hang(Custom{"gemini-cli." + type, detail::gemini_json(item.text)}, own_id(item.id));
    GeminiSaid const said = detail::gemini_said(item.text);
    if (said == GeminiSaid::said) return pass_over("user (repeated results)");
    if (said == GeminiSaid::empty) return pass_over("user (empty)");
    bool const command = said == GeminiSaid::command;
    hang(detail::injected_text(command ? "gemini-cli.command" : "gemini-cli.context",
                               {Text{detail::gemini_text(item.text)}}, false),
         own_id(item.id));
  }

  void header() {
    if (std::exchange(header_given_, true)) return;
    if (status_) status_ = sink_(detail::imported_header(which_, {}, std::move(cwd_), at_));
  }

  EntryId tip() const { return path_.empty() ? root_tip_ : path_.back().tip; }

  // The id of an entry. The same message may become several: on another branch, or kept by a compaction.
  std::string own_id(std::string const& id) {
    std::size_t& times = ids_[id];
    if (times++ == 0) return id;
    std::string other;
    do other = id + '~' + std::to_string(times);
    while (ids_.count(other) != 0 && ++times != 0);
    ids_[other] = 1;
    return other;
  }

  EntryId give(EntryBody body, std::string id, EntryId const& parent) {
    Entry entry = detail::imported_entry(std::move(body), std::move(id), parent, at_);
    EntryId given = entry.id;
    if (status_) status_ = sink_(std::move(entry));
    return given;
  }

  void push(EntryBody body, std::string const& id, std::uint64_t key) {
    EntryId const given = give(std::move(body), own_id(id), tip());
    if (key != 0)
      path_.push_back({key, given});
    else
      set_tip(given);
  }
  // An entry that is on the path, and of which the program sends nothing.
  void hang(EntryBody body, std::string id) { set_tip(give(std::move(body), std::move(id), tip())); }
  void set_tip(EntryId const& id) { (path_.empty() ? root_tip_ : path_.back().tip) = id; }

  // The path ends after its first `steps` units.
  void cut(std::size_t steps) {
    if (steps >= path_.size()) return;
    path_.resize(steps);
    if (steps == 0) root_tip_ = {};
    kept_ = std::min(kept_, steps);
    calls_.forget_after(steps);
  }
  // The conversation goes on at an earlier place, also if nothing follows yet.
  void mark_cut() {
    hang(Custom{"gemini-cli.rewound", RawJson{}}, own_id("cut-" + detail::format_text("{:x}", number_)));
  }

  // Deletes the message and all after it; an unknown one, and everything goes.
  void rewind(std::string const& id) {
    flush();
    header();
    auto const found = places_.find(id);
    std::size_t const at = found == places_.end() ? 0 : found->second;
    std::size_t const steps = at < list_.size() ? list_[at].steps : path_.size();
    for (std::size_t i = at; i < list_.size(); ++i) places_.erase(list_[i].id);
    list_.resize(at);
    if (rewritten_ || emptied_) return; // the path is compared when the list is known
    if (steps >= path_.size()) return;
    if (steps < kept_) {
      rewritten_ = true; // a compaction that keeps less is made once, at the end
      return;
    }
    cut(steps);
    mark_cut();
  }

  void replace(std::string_view messages) {
    flush();
    header();
    list_.clear();
    places_.clear();
    detail::for_elements(messages, [&](std::string_view one) {
      std::string id = member_text(one, "id");
      if (id.empty() || member_text(one, "type").empty()) return true;
      auto const place = places_.emplace(id, list_.size());
      if (place.second)
        list_.push_back({std::move(id), one});
      else
        list_[place.first->second].text = one;
      return true;
    });
    sync();
  }

  // Makes the path that of the list. A resume first writes the session and a list with the context only, then
  // the whole list again; so the path is kept until more is known.
  void sync() {
    bool const resuming = std::exchange(resuming_, false);
    emptied_ = rewritten_ = false;
    detail::GeminiCalls before = std::exchange(calls_, {});
    std::size_t same = 0, item = 0, skip = 0;
    bool differs = false;
    for (; item < list_.size() && !differs; ++item) {
      list_[item].steps = same;
      std::vector<GeminiUnit> const units = units_of(list_[item], same);
      for (skip = 0; skip < units.size() && !differs; ++skip) {
        if (units[skip].key == 0) continue;
        differs = same >= path_.size() || path_[same].key != units[skip].key;
        if (!differs) ++same;
        if (differs) break;
      }
      if (differs) break;
    }
    if (!differs && same == 0 && !path_.empty() && resuming) {
      calls_ = std::move(before);
      emptied_ = true;
      for (Item const& one : list_) note_again(one);
      return;
    }
    bool const another = same < kept_ || (differs && same == 0 && !path_.empty());
    if (another && is_snapshot()) return compact();
    if (same < kept_) same = 0; // what a compaction keeps is not on the path before it
    bool const shorter = same < path_.size();
    cut(same);
    if (!differs) {
      for (Item const& one : list_) note_again(one);
      if (shorter) mark_cut();
      return;
    }
    for (std::size_t i = 0; i < item; ++i) note_again(list_[i]);
    go_on(item, skip);
  }

  // Messages of a list that are not sent, and were not in an earlier list.
  void note_again(Item const& item) {
    if (ids_.count(item.id) != 0 || is_sent(item)) return;
    at_ = detail::line_time(find_member(item.text, "timestamp"));
    note(item);
  }

  // Gives what the list has and the path has not.
  void go_on(std::size_t item, std::size_t skip) {
    calls_.forget_after(list_[item].steps);
    for (; item < list_.size(); ++item, skip = 0) {
      if (skip == 0) list_[item].steps = path_.size();
      emit(list_[item], skip);
    }
  }

  bool is_snapshot() const { return snapshot_item() < list_.size(); }
  // The first message that is sent, if it is the summary of a compression.
  std::size_t snapshot_item() const {
    std::size_t const first = next_sent(0), second = next_sent(first + 1);
    bool const found =
        first < list_.size()
        && detail::is_gemini_summary(list_[first].text, second < list_.size() ? list_[second].text : "{}");
    return found ? first : list_.size();
  }
  // The first message from the `at`-th on that is sent.
  std::size_t next_sent(std::size_t at) const {
    while (at < list_.size() && !is_sent(list_[at])) ++at;
    return at;
  }
  static bool is_sent(Item const& item) {
    std::string const type = member_text(item.text, "type");
    return type == "gemini" || (type == "user" && detail::gemini_said(item.text) == GeminiSaid::said);
  }

  // The list begins with a summary. What it keeps is given again, directly before the compaction.
  void compact() {
    std::size_t item = snapshot_item();
    EntryId at = tip();
    path_.clear();
    calls_ = {};
    kept_ = 0;
    for (std::size_t i = 0; i < item && i < list_.size(); ++i) note_again(list_[i]);
    Item& summary = list_[item];
    summary.steps = 0;
    std::vector<GeminiUnit> const first = units_of(summary, 0);
    Timestamp const when = at_;
    path_.push_back({first.empty() ? 1 : first.front().key, at});
    Compaction body;
    body.summary = detail::gemini_text(summary.text);
    for (++item; item < list_.size(); ++item) {
      list_[item].steps = path_.size();
      for (GeminiUnit& unit : units_of(list_[item], path_.size())) {
        push(body_of(unit, true), list_[item].id + suffix(unit), unit.key);
        if (body.first_kept.empty()) body.first_kept = tip();
      }
    }
    at_ = when;
    kept_ = path_.size();
    std::string id = own_id(summary.id);
    if (body.first_kept.empty()) body.first_kept = EntryId(id);
    hang(std::move(body), std::move(id));
  }

  void finish() {
    if (!options_.finished) {
      if (pending_ || emptied_ || rewritten_) ++report_.held_back;
      return;
    }
    flush();
    if (rewritten_) return sync();
    if (emptied_)
      report_.losses.push_back({tip(), "the program was stopped while it resumed, and its file has an empty "
                                       "list; the conversation before it is kept"});
  }

  ForeignSession const& which_;
  std::string cwd_;
  ImportOptions const& options_;
  EntrySink const& sink_;
  ImportReport report_;
  Result<void> status_ = {};
  std::vector<Item> list_;                              ///< what the program has in memory
  std::unordered_map<std::string, std::size_t> places_; ///< in `list_`, by id
  std::vector<Step> path_;                              ///< what was given of it
  EntryId root_tip_;                                    ///< the tip of an empty path
  std::size_t kept_ = 0;                                ///< units of the path that the last compaction has
  detail::GeminiCalls calls_;
  std::unordered_map<std::string, std::size_t> ids_; ///< of entries, and how often each was given
  std::unordered_set<std::string> counted_;          ///< ids of answers whose usage was given
  std::string title_;
  Timestamp at_ = {};
  std::size_t number_ = 0;
  std::uint64_t text_at_ = 0;  ///< of the record that is read, in the file
  char const* text_ = nullptr; ///< its first byte
  bool header_given_ = false;
  bool resuming_ = false;  ///< the session was written, and neither a message nor a list since then
  bool pending_ = false;   ///< the last message of the list was not given yet
  bool rewritten_ = false; ///< a message that was given was written again with another content
  bool emptied_ = false;   ///< the list has no message that is sent, and the path has
};

bool recognises(std::string_view file, std::string_view begin) {
  for (std::string_view const extension : {".jsonl", ".json"})
    if (file.size() > extension.size() && file.substr(file.size() - extension.size()) == extension)
      return detail::begins_gemini_cli(begin);
  return false;
}

// The folder of a file, or an empty name.
std::string folder_of(std::string const& file) {
  std::size_t const slash = file.rfind('/');
  return slash == std::string::npos ? std::string{} : file.substr(0, slash);
}

Result<std::vector<ForeignSession>> list(ForeignFiles& files, std::string const& file) {
  constexpr std::size_t begin_bytes = std::size_t{64} << 10;
  Result<std::string> const begin = files.read(file, 0, begin_bytes);
  if (!begin) return begin.error();
  ForeignSession session;
  session.importer = "gemini-cli";
  if (!detail::begins_gemini_cli(*begin, &session.id)) session.id = detail::file_stem(file);
  session.file = file;
  std::string const folder = folder_of(file), above = folder_of(folder);
  if (detail::file_stem(above) == "chats") session.parent = folder.substr(above.size() + 1); // a subagent's
  return std::vector<ForeignSession>{std::move(session)};
}

// The program names the working directory in a file beside the folder of the conversations.
std::string project_root(ForeignFiles& files, std::string const& file) {
  std::string folder = folder_of(file);
  for (int up = 0; up < 2 && !folder.empty(); ++up, folder = folder_of(folder)) {
    if (detail::file_stem(folder) != "chats") continue;
    std::string const above = folder_of(folder);
    Result<std::string> const root =
        files.read(above.empty() ? ".project_root" : above + "/.project_root", 0, 4096);
    return root ? std::string(detail::trim_space(*root)) : std::string{};
  }
  return {};
}

Result<ImportReport> read(ForeignFiles& files, ForeignSession const& which, ImportOptions const& options,
                          EntrySink const& sink) {
  Result<std::string> const text = detail::read_foreign_file(files, which.file, options.limits);
  if (!text) return text.error();
  return SessionReader(which, project_root(files, which.file), options, sink).run(*text);
}

constexpr Importer importer{"gemini-cli", "Gemini CLI",          recognises, list,
                            read,         &profiles::gemini_cli, nullptr,    "chats"};

}}

Importer const& gemini_cli_importer() noexcept { return import_gemini_cli_inl::importer; }

}}
