// SPDX-License-Identifier: MIT
// Writes and reads the logs of channels, which are separate from sessions.
#pragma once
#include <sessionkit/channel_log.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/file_store/writer_cache.hpp>
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/transcript/file_reader.hpp>
#include <sessionkit/detail/upkeep/channel_log.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace channel_log_inl { namespace {

constexpr std::string_view channel_file_end = ".jsonl";

bool is_channel_type(std::string_view type) noexcept {
  return !type.empty() && std::all_of(type.begin(), type.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  });
}

// True for a character that a file name must not contain; '%' is among them because it marks an escape.
bool is_escaped_in_channel(char c) noexcept {
  return c == '/' || c == '\\' || c == '%' || c == '\x7F' || static_cast<unsigned char>(c) < ' ';
}

// The name of a channel's file. Every channel has another; for ai-panel's channels it is ai-panel's name.
std::string channel_file(Channel const& channel) {
  std::string name = channel.type + "-";
  for (char const c : channel.id)
    name += is_escaped_in_channel(c) ? detail::format_text("%{:02X}", static_cast<unsigned char>(c))
                                     : std::string(1, c);
  return name.append(channel_file_end);
}

Result<std::string> file_of_channel(Channel const& channel) {
  if (is_channel_type(channel.type) && !channel.id.empty()) return channel_file(channel);
  return detail::make_error(Errc::invalid_argument,
                            "'{}' is no channel; give a type of letters, digits and '_', and an id",
                            detail::printable(channel.name(), 80));
}

// The channel whose log has this file name; absent: the name is no channel's.
std::optional<Channel> channel_of_file(std::string_view name) {
  if (name.size() <= channel_file_end.size()) return std::nullopt;
  std::size_t const stem = name.size() - channel_file_end.size(), dash = name.find('-');
  if (dash == std::string_view::npos || dash >= stem) return std::nullopt;
  Channel channel{std::string(name.substr(0, dash)), {}};
  for (std::size_t i = dash + 1; i < stem; ++i) {
    char c = name[i];
    if (c == '%' && i + 2 < stem) {
      char const digits[] = {name[i + 1], name[i + 2], '\0'};
      c = static_cast<char>(std::strtoul(digits, nullptr, 16));
      i += 2;
    }
    channel.id += c;
  }
  bool const is_its_own =
      is_channel_type(channel.type) && !channel.id.empty() && channel_file(channel) == name;
  return is_its_own ? std::optional(std::move(channel)) : std::nullopt;
}

std::string channel_line(Channel const& channel, ChannelMessage const& message, Timestamp at,
                         std::string const& id) {
  std::string line;
  detail::JsonWriter json(line);
  json.begin_object();
  json.member("ts", to_rfc3339(at)).member("role", message.role).member("content", message.content);
  json.member("channelId", channel.name()).member("channelType", channel.type);
  if (!message.sender.empty()) json.member("sender", message.sender);
  json.member("id", id);
  detail::write_new_members(line, 0, message.extra);
  json.end_object();
  return line;
}

// Absent: the line is torn bytes that a program ended with a newline.
std::optional<ChannelMessage> channel_message(std::string_view line) {
  if (!detail::is_whole_object(line)) return std::nullopt;
  detail::Fields fields(line);
  ChannelMessage message;
  message.at = detail::line_time(fields.take("ts"));
  message.role = fields.text("role");
  message.content = fields.text("content");
  message.sender = fields.text("sender");
  message.id = fields.text("id");
  for (char const* const member : {"channelId", "channelType"}) fields.take(member);
  message.extra = fields.rest();
  return message;
}

// Damage at the end of a page is reported once, with the next page.
void tell_once(ChannelPage& page, bool forwards) {
  auto const comes_later = [&](Damage const& damage) {
    return forwards ? damage.offset >= page.next.value() : damage.offset < page.next.value();
  };
  page.damage.erase(std::remove_if(page.damage.begin(), page.damage.end(), comes_later), page.damage.end());
}

// Reads a file as pages of messages. A line that cannot be read as a message is reported as damage.
struct ChannelRecords {
  detail::OpenFile file;
  detail::FileReader log;

  Result<ChannelPage> read(ReadRange const& range, ChannelQuery const& query) {
    Result<RecordPage> page = log.read(range);
    if (!page) return page.error();
    ChannelPage out;
    out.damage = std::move(page->damage);
    out.more = page->more;
    out.next = page->next;
    auto const& items = page->items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::optional<ChannelMessage> message = channel_message(items[i].line);
      if (!message) {
        std::uint64_t const length = items[i].line.size();
        out.damage.push_back({items[i].end.value() - std::min(items[i].end.value(), length + 1), length,
                              DamageKind::bad_json, "the line is no whole object; it is passed over"});
      } else if (!query.sender || message->sender == *query.sender) {
        out.messages.push_back(*std::move(message));
      }
      if (out.messages.size() < query.limit || i + 1 == items.size()) continue;
      bool const forwards = query.order == ReadRange::oldest_first;
      out.next = forwards ? items[i].end : items[i + 1].end;
      out.more = true;
      tell_once(out, forwards);
      break;
    }
    return out;
  }
};

}}

struct ChannelLog::State {
  State(detail::FileOps& calls, std::string directory, detail::OpenFile opened, ChannelLogOptions chosen)
      : ops(&calls), root(std::move(directory)), folder(std::move(opened)), options(std::move(chosen)) {
    if (!options.clock) options.clock = system_now;
    if (!options.ids) options.ids = random_entry_id;
    writing.durability = options.durable ? Durability::entry : Durability::os;
    writing.lock_wait = options.lock_wait;
    writing.max_line = options.max_line;
  }

  std::string path_of(std::string const& name) const { return root + "/" + name; }
  Result<channel_log_inl::ChannelRecords> open(std::string const& name) const;
  Result<ChannelSummary> summary_of(Channel const& channel, std::string const& name) const;

  detail::FileOps* ops;
  std::string root;
  detail::OpenFile folder;
  ChannelLogOptions options;
  FileStoreOptions writing = {};
  detail::OpeningProcess process{root, *ops};
  detail::WriterCache logs = {};
  mutable detail::LastBegin last_begin = {}; // a channel is read page by page
};

Result<channel_log_inl::ChannelRecords> ChannelLog::State::open(std::string const& name) const {
  std::string const path = path_of(name);
  Result<detail::OpenFile> file = detail::open_for_reading(*ops, folder.get(), name.c_str(), false, path);
  if (!file) return file.error();
  detail::FileReader log(*ops, file->get(), path, ReaderOptions{options.max_line});
  log.keep_begin_in(last_begin);
  return channel_log_inl::ChannelRecords{std::move(*file), std::move(log)};
}

Result<ChannelSummary> ChannelLog::State::summary_of(Channel const& channel, std::string const& name) const {
  Result<channel_log_inl::ChannelRecords> records = open(name);
  if (!records) return records.error();
  Result<detail::FileStatus> const status = records->log.status();
  if (!status) return status.error();
  ChannelSummary summary{channel, 0, 0, status->size};
  ChannelQuery const all{ReadRange::oldest_first, {}, ReadRange{}.max_records};
  ReadRange range;
  for (bool more = true; more;) {
    Result<ChannelPage> const page = records->read(range, all);
    if (!page) return page.error();
    if (!page->messages.empty()) {
      if (summary.messages == 0) summary.first = page->messages.front().at;
      summary.last = page->messages.back().at;
    }
    summary.messages += page->messages.size();
    summary.damaged += static_cast<std::uint64_t>(
        std::count_if(page->damage.begin(), page->damage.end(),
                      [](Damage const& damage) { return is_damage(damage.kind); }));
    more = page->more;
    range.from = page->next;
  }
  return summary;
}

ChannelLog::ChannelLog(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

SESSIONKIT_SELDOM Result<ChannelLog>
ChannelLogAccess::open(detail::FileOps& ops, std::string const& directory, ChannelLogOptions options) {
  Result<detail::OpenFile> folder = detail::open_store_directory(ops, directory, options.create);
  if (!folder) return folder.error();
  return ChannelLog(
      std::make_shared<ChannelLog::State>(ops, directory, std::move(*folder), std::move(options)));
}

Result<ChannelLog> ChannelLog::open(std::string const& directory, ChannelLogOptions options) {
  return ChannelLogAccess::open(detail::system_file_ops(), directory, std::move(options));
}

Result<ChannelLog> ChannelLog::open_agent(std::string const& home, std::string const& agent,
                                          ChannelLogOptions options) {
  if (!SessionId::parse(agent))
    return detail::make_error(Errc::invalid_argument,
                              "'{}' cannot name an agent's directory; use letters, digits, '.', '_' and '-'",
                              agent);
  return open(detail::format_text("{}/agents/{}/convlogs", home, agent), std::move(options));
}

Result<Position> ChannelLog::append(Channel const& channel, ChannelMessage const& message) {
  State& state = *state_;
  if (auto r = state.process.check(); !r) return r.error();
  Result<std::string> const name = channel_log_inl::file_of_channel(channel);
  if (!name) return name.error();
  if (!message.extra.is_null() && !message.extra.is_object())
    return detail::make_error(Errc::invalid_argument,
                              "the extra members of a channel's message are no JSON object");
  std::string const line = channel_log_inl::channel_line(
      channel, message, message.at == Timestamp{} ? state.options.clock() : message.at,
      message.id.empty() ? state.options.ids() : message.id);
  Append batch;
  batch.records.emplace_back().line = line;
  batch.durable = state.options.durable;
  auto const log = state.logs.of(*name);
  auto const asked = state.ops->now();
  auto const target = [&] {
    detail::FilePlace place{state.folder.get(), *name, state.path_of(*name), 1};
    return detail::CachedWriter::Target{std::move(place), channel.name()};
  };
  return log->append(state.options.on_event, [&](detail::DueSync& due) {
    return log->append_at_end(*state.ops, state.writing, batch, asked, due, target);
  });
}

Result<ChannelPage> ChannelLog::read(Channel const& channel, ChannelQuery const& query) const {
  if (auto r = state_->process.check(); !r) return r.error();
  if (query.limit == 0)
    return detail::make_error(Errc::invalid_argument, "a page of no messages; ask for one at least");
  Result<std::string> const name = channel_log_inl::file_of_channel(channel);
  if (!name) return name.error();
  Result<channel_log_inl::ChannelRecords> records = state_->open(*name);
  if (!records) return records.error();
  ChannelPage all;
  ChannelQuery rest = query;
  ReadRange range;
  range.order = query.order;
  range.from = query.from;
  range.max_records = std::min(query.limit, range.max_records);
  for (;;) {
    Result<ChannelPage> page = records->read(range, rest);
    if (!page) return page.error();
    std::move(page->messages.begin(), page->messages.end(), std::back_inserter(all.messages));
    std::move(page->damage.begin(), page->damage.end(), std::back_inserter(all.damage));
    all.more = page->more;
    all.next = page->next;
    rest.limit = query.limit - all.messages.size();
    if (!page->more || rest.limit == 0) return all;
    range.from = page->next;
  }
}

Result<std::vector<ChannelSummary>> ChannelLog::list() const {
  if (auto r = state_->process.check(); !r) return r.error();
  detail::FileNames found;
  int const failed = detail::uninterrupted([&] { return state_->ops->list(state_->folder.get(), found); });
  if (failed < 0) return detail::file_error(-failed, state_->root, "cannot list the directory");
  std::vector<ChannelSummary> channels;
  for (std::string const& name : found.sorted([](std::string_view) { return true; })) {
    std::optional<Channel> channel = channel_log_inl::channel_of_file(name);
    if (!channel) continue;
    Result<ChannelSummary> summary = state_->summary_of(*channel, name);
    bool const is_none =
        !summary && (summary.error().code == Errc::not_found || summary.error().code == Errc::unsafe_path);
    if (!summary && !is_none) return summary.error();
    if (summary) channels.push_back(std::move(*summary));
  }
  return channels;
}

}}
