// SPDX-License-Identifier: MIT
// Reads and writes the lines of the index's journal.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/file_store/index_journal.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace index_journal_inl { namespace {

constexpr std::size_t crc_digits = 8;
constexpr std::string_view names_member = "namesVersion";

void finish_journal_line(std::string const& json, std::string& out) {
  out += format_text("{:08x} {}\n", crc32c(json), json);
}

// The JSON of a line; empty if its checksum is not right.
std::string_view checked_journal_line(std::string_view line) {
  if (line.size() < crc_digits + 2 || line[crc_digits] != ' ') return {};
  std::string_view const json = line.substr(crc_digits + 1);
  bool const right = line.substr(0, crc_digits) == detail::format_text("{:08x}", crc32c(json));
  return right ? json : std::string_view{};
}

// The session that a change names in the line's first member.
std::string_view name_in_change(std::string_view json) {
  std::string_view name;
  for_members(json, [&](std::string_view, std::string_view value) {
    name = value;
    return false;
  });
  return name;
}

std::optional<RowChange> parse_journal_change(std::string_view json) {
  if (!check_json(json)) return std::nullopt;
  std::string_view const row = find_member(json, "row");
  Result<SessionId> id = SessionId::parse(to_text(find_member(json, row.empty() ? "removed" : "put")));
  if (!id || (!row.empty() && json_kind(row) != JsonKind::object)) return std::nullopt;
  RowChange change{id->str(), std::nullopt};
  if (!row.empty()) change.row = read_index_row(std::move(*id), row);
  return change;
}

}}

SESSIONKIT_SELDOM std::string journal_head_line(JournalHead const& head) {
  std::string json, out;
  JsonWriter line(json);
  line.begin_object().key("journal").unsigned_integer(1).member("id", head.id);
  line.key("bytes").unsigned_integer(head.extends.bytes).key("crc").unsigned_integer(head.extends.crc);
  line.end_object();
  index_journal_inl::finish_journal_line(json, out);
  return out;
}

void append_journal_line(std::string_view name, IndexRow const* row, std::string& out,
                         std::uint64_t names_version) {
  std::string json;
  JsonWriter line(json);
  line.begin_object().member(row == nullptr ? "removed" : "put", name);
  if (row != nullptr) {
    line.key("row");
    if (row->raw.empty())
      write_index_row(*row, line, json);
    else
      line.raw(row->raw);
  }
  if (names_version != 0) line.member(index_journal_inl::names_member, format_file_version(names_version));
  line.end_object();
  index_journal_inl::finish_journal_line(json, out);
}

SESSIONKIT_SELDOM std::optional<JournalHead> parse_journal_begin(std::string_view text) {
  std::size_t const end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view const json = index_journal_inl::checked_journal_line(text.substr(0, end));
  if (json.empty() || !check_json(json) || find_member(json, "journal") != "1") return std::nullopt;
  JournalHead head;
  head.id = to_text(find_member(json, "id"));
  head.extends.bytes = to_uint(find_member(json, "bytes")).value_or(0);
  head.extends.crc = static_cast<std::uint32_t>(to_uint(find_member(json, "crc")).value_or(0));
  return head;
}

JournalText parse_journal(std::string_view text, bool whole) {
  JournalText out;
  if (whole) {
    out.head = parse_journal_begin(text);
    if (!out.head) return out; // another program's, or torn where it began
    out.used = text.find('\n') + 1;
  }
  std::vector<std::string_view> lines;
  for (std::size_t end; (end = text.find('\n', out.used)) != std::string_view::npos; out.used = end + 1) {
    std::string_view const json =
        index_journal_inl::checked_journal_line(text.substr(out.used, end - out.used));
    if (json.empty())
      ++out.bad;
    else
      lines.push_back(json);
    if (whole && !json.empty())
      if (std::string_view const names = find_member(json, index_journal_inl::names_member); !names.empty())
        out.names_version = parse_file_version(names);
  }
  std::unordered_map<std::string_view, std::size_t> last; // a reader of all of it needs no change before it
  for (std::size_t i = 0; whole && i < lines.size(); ++i)
    last[index_journal_inl::name_in_change(lines[i])] = i;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (whole && last[index_journal_inl::name_in_change(lines[i])] != i) continue;
    if (std::optional<RowChange> change = index_journal_inl::parse_journal_change(lines[i]))
      out.changes.push_back(std::move(*change));
    else
      ++out.bad;
  }
  return out;
}

bool may_be_journal(std::string_view text) noexcept {
  constexpr std::string_view begin = "{\"journal\":", digits = "0123456789abcdef";
  std::string_view const crc = text.substr(0, index_journal_inl::crc_digits);
  if (crc.find_first_not_of(digits) != std::string_view::npos) return false;
  if (text.size() <= crc.size()) return true;
  std::string_view const json = text.substr(std::min(text.size(), crc.size() + 1), begin.size());
  return text[crc.size()] == ' ' && json == begin.substr(0, json.size());
}

}}}
