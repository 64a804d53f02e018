// SPDX-License-Identifier: MIT
// Exports a session as a transcript of pi, with all branches.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/export/export_ids.hpp>
#include <sessionkit/detail/export/export_pi.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/model/blob_refs.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace export_pi_inl { namespace {

std::string line_of(Entry const& entry) {
  std::string line;
  Result<void> const written = native_dialect().encode(entry, line);
  return written ? line : std::string{}; // a header and data of ours can always be written
}

// The log with the header that pi needs. A changed line is written again.
Log with_header(ExportSource const& source, std::string const& id, std::string const& cwd) {
  Log log = source.log;
  if (log.entries.empty() || !log.entries.front().as<Header>()) {
    Entry entry;
    entry.link = Parent::root;
    entry.at = log.entries.empty() ? Timestamp{} : log.entries.front().at;
    entry.body = Header{};
    log.entries.insert(log.entries.begin(), std::move(entry));
    if (!log.lines.empty()) log.lines.insert(log.lines.begin(), std::string{});
  }
  auto& header = std::get<Header>(log.entries.front().body);
  if (header.id == id && header.cwd == cwd) return log;
  header.id = id;
  header.cwd = cwd;
  if (!log.lines.empty()) log.lines.front() = line_of(log.entries.front());
  return log;
}

// pi goes on at the last entry, so an entry without content is put below another leaf.
void lead_to(Log& log, EntryId const& leaf) {
  if (leaf.empty() || log.entries.back().id == leaf) return;
  Entry entry;
  entry.id = EntryId(detail::letters_of(leaf.str(), 8));
  entry.link = Parent::entry;
  entry.parent = leaf;
  entry.at = log.entries.back().at;
  entry.body = Custom{"sessionkit.leaf", {}};
  if (!log.lines.empty()) log.lines.push_back(line_of(entry));
  log.entries.push_back(std::move(entry));
}

std::string folder_of(std::string const& cwd) {
  std::string name = cwd.substr(1);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '\\' || c == ':'; }, '-');
  return "--" + name + "--";
}

}}

namespace detail {

Result<Exported> export_to_pi(ExportSource const& source, ExportOptions const& options) {
  Result<std::string> id = uuid_session_id(source, options);
  if (!id) return id.error();
  Result<std::string> cwd = export_cwd(source, options);
  if (!cwd) return cwd.error();
  Log log = export_pi_inl::with_header(source, *id, *cwd);
  export_pi_inl::lead_to(log, source.leaf);
  Result<SessionId> const named = SessionId::parse(*id);
  if (!named) return named.error();
  Result<Converted> made =
      convert_log(log, source.dialect ? *source.dialect : native_dialect(), native_dialect(), *named);
  if (!made) return made.error();
  std::string time = to_rfc3339(log.entries.front().at);
  std::replace_if(
      time.begin(), time.end(), [](char c) { return c == ':' || c == '.'; }, '-');
  Exported out;
  std::string const name = "sessions/" + export_pi_inl::folder_of(*cwd) + '/' + time + '_' + *id + ".jsonl";
  out.files.push_back({name, std::move(made->text)});
  out.resume = {{"pi", "--session", name}};
  out.losses = std::move(made->losses);
  std::size_t elsewhere = 0;
  for (Entry const& entry : log.entries)
    if (auto const* const message = entry.as<Message>()) elsewhere += has_blob_refs(*message) ? 1U : 0U;
  if (elsewhere > 0)
    out.losses.push_back(
        {{},
         std::to_string(elsewhere) + " messages have images that are kept elsewhere: pi does not find them"});
  out.id = std::move(*id);
  out.cwd = std::move(*cwd);
  return out;
}

}

}}
