// SPDX-License-Identifier: MIT
// Imports rollouts of Codex: gives one entry for each item, and writes again what a compaction keeps.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/import/codex_items.hpp>
#include <sessionkit/detail/import/foreign_files.hpp>
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/import/import_codex.hpp>
#include <sessionkit/detail/import/line_stream.hpp>

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace import_codex_inl { namespace {

using detail::CodexItem;
using detail::find_member;
using detail::ForeignLine;
using detail::JsonKind;
using detail::member_text;

class RolloutReader {
 public:
  RolloutReader(ForeignFiles& files, ForeignSession const& which, ImportOptions const& options,
                EntrySink const& sink)
      : files_(files), which_(which), options_(options), sink_(sink) {}

  Result<ImportReport> run() && {
    rollout(which_.file, {}, std::numeric_limits<std::uint64_t>::max());
    if (status_ && !header_given_)
      return detail::make_error(Errc::corrupt, "{}: no line of a Codex conversation; name its rollout file",
                                which_.file);
    if (pending_ && options_.finished) flush();
    if (pending_) ++report_.held_back;
    if (options_.finished && !which_.title.empty()) // a later name would change the entry
      give(detail::imported_entry(TitleChange{which_.title, true}, "title",
                                  path_.empty() ? EntryId{} : path_.back().id, at_));
    if (!status_) return status_.error();
    return std::move(report_);
  }

 private:
  // An entry on the path, and whether a person said it.
  struct Step {
    EntryId id;
    bool by_person, kept_again;
  };

  // Reads the lines whose ordinal is less than `end`. `prefix` makes the ids of another thread's lines ours.
  void rollout(std::string const& file, std::string const& prefix, std::uint64_t end) {
    std::vector<Damage> damage;
    Result<void> const read =
        detail::each_line_of(files_, file, options_.limits, damage, [&](ForeignLine const& where) {
          std::uint64_t const ordinal =
              detail::to_uint(find_member(where.text, "ordinal")).value_or(where.number);
          if (status_ && ordinal < end) line(file, prefix, where);
        });
    if (status_ && !read) status_ = read.error();
    for (Damage& one : damage) {
      if (file != which_.file) one.what = file + ": " + one.what;
      report_.damage.push_back(std::move(one));
    }
  }

  void line(std::string const& file, std::string const& prefix, ForeignLine const& where) {
    std::string const type = member_text(where.text, "type");
    std::string_view const payload = find_member(where.text, "payload");
    if (type.empty() || detail::json_kind(payload) != JsonKind::object)
      return pass_over(type.empty() ? "(no type)" : type);
    at_ = detail::line_time(find_member(where.text, "timestamp"));
    id_ = prefix + detail::format_text("{:08x}", where.number);
    if (type == "session_meta") return meta(file, payload);
    if (type == "response_item") return item(payload);
    if (type == "compacted") return compacted(payload);
    if (type == "turn_context") model_ = member_text(payload, "model");
    if (type == "token_usage_record") usage(find_member(payload, "usage"));
    if (type == "event_msg") return event(payload);
    pass_over(type);
  }

  void pass_over(std::string const& type) {
    constexpr std::size_t most_types = 1000; // a damaged file may have a type of its own on each line
    auto& counts = report_.passed_over;
    ++counts[counts.size() < most_types || counts.count(type) != 0 ? type : "(other)"];
  }

  void header(std::string const& version, std::string cwd, std::string const& parent) {
    if (header_given_) return;
    header_given_ = true;
    ForeignSession which = which_;
    if (!parent.empty()) which.parent = parent;
    give(detail::imported_header(which, version, std::move(cwd), at_));
  }

  void meta(std::string const& file, std::string_view payload) {
    if (!seen_.insert(file).second) return pass_over("session_meta"); // a copy that an older fork has
    std::string const thread = member_text(find_member(payload, "history_base"), "thread_id");
    header(member_text(payload, "cli_version"), member_text(payload, "cwd"),
           thread.empty() ? member_text(payload, "forked_from_id") : thread);
    if (!thread.empty())
      base(file, thread, find_member(find_member(payload, "history_base"), "end_ordinal_exclusive"));
    provider_ = member_text(payload, "model_provider");
  }

  // A fork begins with lines of the thread that it came from.
  void base(std::string const& file, std::string const& thread, std::string_view end) {
    Result<std::string> const found = detail::find_codex_thread(files_, file, thread, options_.limits);
    if (!found) {
      status_ = found.error();
      return;
    }
    std::optional<std::uint64_t> const limit = detail::to_uint(end);
    if (found->empty() || !limit || seen_.count(*found) != 0 || seen_.size() > options_.limits.max_depth) {
      report_.damage.push_back(
          {0, 0, DamageKind::missing_parent,
           "the thread " + thread
               + " from which the conversation was forked cannot be read; its lines are missing"});
      return;
    }
    rollout(*found, "base" + std::to_string(seen_.size()) + '-', *limit);
  }

  void give(Entry&& entry) {
    if (status_) status_ = sink_(std::move(entry));
  }
  void flush() {
    if (pending_) give(*std::exchange(pending_, std::nullopt));
  }

  void add(EntryBody body, std::string_view suffix, bool by_person, bool kept_again = false) {
    header({}, {}, {});
    flush();
    Entry entry;
    entry.id = EntryId(id_ + std::string(suffix));
    entry.link = path_.empty() ? Parent::root : Parent::entry;
    if (!path_.empty()) entry.parent = path_.back().id;
    entry.at = at_;
    entry.body = std::move(body);
    path_.push_back({entry.id, by_person, kept_again});
    auto const* const message = entry.as<Message>();
    if (message && message->role == Role::assistant)
      pending_ = std::move(entry); // its usage follows
    else
      give(std::move(entry));
  }

  // `kept_again`: a compaction keeps it, so an earlier entry has it too.
  void item(std::string_view raw, std::string_view suffix = {}, bool kept_again = false) {
    CodexItem item = detail::read_codex_item(raw);
    Message& message = item.message;
    bool const by_person = message.role == Role::user && item.kind == CodexItem::spoken;
    if (message.role == Role::assistant) {
      message.generation.emplace();
      message.generation->provider = provider_;
      message.generation->model = model_;
      message.generation->api = "openai-responses";
    }
    if (message.role != Role::user || (by_person && !kept_again))
      return add(std::move(message), suffix, by_person, kept_again);
    std::vector<ToolContent> content = detail::injected_content(std::move(message.parts));
    char const* const type = by_person                              ? "codex.kept"
                             : item.kind == CodexItem::interruption ? "codex.interrupted"
                                                                    : "codex.context";
    add(detail::injected_text(type, std::move(content), item.kind != CodexItem::injected), suffix, by_person,
        kept_again);
  }

  void compacted(std::string_view payload) {
    Compaction body;
    std::string const text = member_text(payload, "message");
    std::string_view const kept = find_member(payload, "replacement_history");
    std::vector<std::string_view> items;
    detail::for_elements(kept, [&](std::string_view raw) {
      items.push_back(raw);
      return true;
    });
    std::size_t const n = items.size();
    bool const last_is_summary = n > 0 && detail::read_codex_item(items.back()).message.text() == text;
    body.summary = last_is_summary || n == 0 ? text : std::string{};
    body.first_kept = EntryId(id_);
    for (std::size_t i = 0; i + (last_is_summary ? 1 : 0) < n; ++i) {
      std::string const suffix = '.' + std::to_string(i);
      if (i == 0) body.first_kept = EntryId(id_ + suffix);
      item(items[i], suffix, true);
    }
    if (kept.empty())
      report_.losses.push_back(
          {EntryId(id_), "the compaction does not list what it keeps; only its summary is kept"});
    add(std::move(body), {}, false, true);
  }

  void event(std::string_view payload) {
    std::string const type = member_text(payload, "type");
    if (type == "token_count") usage(find_member(find_member(payload, "info"), "last_token_usage"));
    if (type == "thread_rolled_back") return roll_back(payload);
    pass_over("event_msg/" + type);
  }

  // Of the answer whose items came before. Both records of a usage say the same.
  void usage(std::string_view raw) {
    if (detail::json_kind(raw) != JsonKind::object || !pending_) return;
    detail::Fields fields(raw);
    std::uint64_t const input = fields.count("input_tokens"), cached = fields.count("cached_input_tokens");
    auto& message = std::get<Message>(pending_->body);
    message.generation->usage = Usage{input - std::min(input, cached), fields.count("output_tokens"), cached,
                                      fields.count("cache_write_input_tokens")};
    flush();
  }

  // The conversation goes on before the last `turns` messages of the user, also if nothing follows yet.
  void roll_back(std::string_view payload) {
    flush();
    std::uint64_t turns = detail::to_uint(find_member(payload, "num_turns")).value_or(0);
    for (; turns > 0 && !path_.empty() && !path_.back().kept_again; path_.pop_back())
      if (path_.back().by_person) --turns;
    if (turns > 0 && !path_.empty())
      report_.losses.push_back({EntryId(id_),
                                "the conversation was rolled back to before a compaction; what the "
                                "compaction keeps stays"});
    add(Custom{"codex.rolled_back", RawJson::from(std::string(payload))}, {}, false);
  }

  ForeignFiles& files_;
  ForeignSession const& which_;
  ImportOptions const& options_;
  EntrySink const& sink_;
  ImportReport report_;
  Result<void> status_ = {};
  std::optional<Entry> pending_;
  std::vector<Step> path_;
  std::set<std::string> seen_; ///< files whose first line was read
  Timestamp at_ = {};
  std::string id_, model_, provider_;
  bool header_given_ = false;
};

bool recognises(std::string_view file, std::string_view begin) {
  constexpr std::string_view extension = ".jsonl";
  if (file.size() <= extension.size() || file.substr(file.size() - extension.size()) != extension)
    return false;
  bool found = false;
  detail::first_lines(begin, 1, [&](std::string_view line) {
    // The first line has the program's instructions and may be longer than what is given.
    std::string_view const payload = line.substr(std::min(line.find("\"payload\""), line.size()));
    found = member_text(line, "type") == "session_meta" && !payload.empty();
    return false;
  });
  return found;
}

// A rollout is named after its time and its thread, which is a UUID.
std::string thread_of(std::string const& file) {
  constexpr std::size_t uuid = 36;
  std::string const stem = detail::file_stem(file);
  return stem.size() > uuid ? stem.substr(stem.size() - uuid) : stem;
}

// The names that people gave to threads. Codex appends a line for each name, so the last line counts.
struct ThreadNames {
  static constexpr char const* file = "session_index.jsonl";
  std::int64_t modified = 0; ///< when they were read
  std::map<std::string, std::string> by_thread = {};
};

// Null if the rollout is not where Codex keeps it: then the names are not those of its program.
std::shared_ptr<ThreadNames> thread_names(ForeignFiles& files, std::string const& rollout) {
  if (rollout.rfind("sessions/", 0) != 0 && rollout.rfind("archived_sessions/", 0) != 0) return nullptr;
  Result<std::int64_t> const modified = files.modified(ThreadNames::file);
  if (!modified) return nullptr; // a folder of rollouts alone
  auto known = std::static_pointer_cast<ThreadNames>(files.kept(ThreadNames::file));
  if (known && known->modified == *modified) return known;
  auto names = std::make_shared<ThreadNames>();
  names->modified = *modified;
  std::vector<Damage> damage; // costs names only
  Result<void> const read =
      detail::each_line_of(files, ThreadNames::file, files.limits(), damage, [&](ForeignLine const& line) {
        names->by_thread[member_text(line.text, "id")] = member_text(line.text, "thread_name");
      });
  if (read) files.keep(ThreadNames::file, names);
  return names;
}

Result<std::vector<ForeignSession>> list(ForeignFiles& files, std::string const& file) {
  ForeignSession session;
  session.importer = "codex";
  session.id = thread_of(file);
  session.file = file;
  if (auto const names = thread_names(files, file)) {
    auto const named = names->by_thread.find(session.id);
    if (named != names->by_thread.end()) session.title = named->second;
  }
  return std::vector<ForeignSession>{std::move(session)};
}

Result<ImportReport> read(ForeignFiles& files, ForeignSession const& which, ImportOptions const& options,
                          EntrySink const& sink) {
  return RolloutReader(files, which, options, sink).run();
}

constexpr Importer importer{"codex", "Codex", recognises, list, read, &profiles::codex, nullptr, "sessions"};

// In one folder, and below it as deep as `depth` says. `left` is how many names may still be looked at.
Result<std::string> find_below(ForeignFiles& files, std::string const& folder, std::string const& end,
                               std::size_t depth, std::size_t& left) {
  auto const names = files.list(folder);
  if (!names) return names.error();
  for (std::string const& name : *names) {
    if (left == 0) return std::string{};
    --left;
    std::string path = folder;
    if (!path.empty()) path += '/';
    path += name;
    if (name.back() != '/') {
      if (name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
        return path;
    } else if (depth > 0) {
      auto found = find_below(files, path.substr(0, path.size() - 1), end, depth - 1, left);
      if (!found || !found->empty()) return found;
    }
  }
  return std::string{};
}

}}

namespace detail {

Result<std::string> find_codex_thread(ForeignFiles& files, std::string const& beside,
                                      std::string const& thread, ImportLimits const& limits) {
  std::size_t const slash = beside.rfind('/');
  std::string const folder = slash == std::string::npos ? std::string{} : beside.substr(0, slash);
  std::size_t left = limits.max_files;
  auto found = import_codex_inl::find_below(files, folder, thread + ".jsonl", 0, left);
  if (!found || !found->empty()) return found;
  return import_codex_inl::find_below(files, {}, thread + ".jsonl", limits.max_depth, left);
}

}

Importer const& codex_importer() noexcept { return import_codex_inl::importer; }

}}
