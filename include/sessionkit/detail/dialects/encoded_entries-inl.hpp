// SPDX-License-Identifier: MIT
// Links entries to each other and encodes them as the lines of one append.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/encoded_entries.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <deque>
#include <iterator>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace encoded_entries_inl { namespace {

// Acknowledged and never read again is what must not happen.
Error unreadable_line(Entry const& entry) {
  return detail::make_error(
      Errc::invalid_argument,
      "entry '{}' would be a line that nobody can read, nested deeper than 128 or no JSON; make its JSON "
      "flatter",
      entry.id.str());
}

}}

void Batch::note_type(Dialect const& dialect) {
  Entry const& entry = entries[types.size()];
  bool const is_header = entry.as<Header>() != nullptr;
  bool const asks = dialect.type_of != nullptr && !is_header;
  types.emplace_back(std::string(asks ? dialect.type_of(entry) : std::string_view()));
  if (!types.back().empty()) return;
  RecordView head; // only the line shows it

  std::deque<std::string> unescaped;
  dialect.head(line(types.size() - 1), head, unescaped);
  types.back() = head.type;
  if (is_header) header_id = head.id;
}

void Batch::add(Batch more) {
  std::size_t const shift = lines.size();
  lines += more.lines;
  for (std::size_t const line_end : more.ends) ends.push_back(shift + line_end);
  std::move(more.entries.begin(), more.entries.end(), std::back_inserter(entries));
  std::move(more.types.begin(), more.types.end(), std::back_inserter(types));
}

std::vector<RecordView> Batch::records(Dialect const& dialect) const {
  std::vector<RecordView> views(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    RecordView& view = views[i];
    view.line = line(i);
    if (entries[i].as<Header>())
      view.id = header_id;
    else if (dialect.has_ids)
      view.id = entries[i].id.str();
    view.type = types[i];
    view.parent = entries[i].parent.str();
    view.link = entries[i].link;
  }
  return views;
}

Result<Batch> make_batch(std::vector<Entry> entries, EntryId const& leaf, Dialect const& dialect) {
  Batch batch;
  batch.entries = std::move(entries);
  EntryId parent = leaf;
  for (Entry& entry : batch.entries) {
    if (entry.as<Header>()) {
      entry.link = Parent::root;
    } else {
      // A derived id is never written: such an entry follows because it is after the other.
      bool const by_place = !dialect.has_ids || (!parent.empty() && parent.str().front() == '@');
      entry.link = by_place ? Parent::previous : parent.empty() ? Parent::root : Parent::entry;
      entry.parent = entry.link == Parent::entry ? parent : EntryId{};
      parent = entry.id;
    }
    Result<void> const encoded = dialect.encode(entry, batch.lines);
    if (!encoded) return encoded.error();
    batch.end_line();
    if (!check_json(batch.line(batch.ends.size() - 1))) return encoded_entries_inl::unreadable_line(entry);
    batch.note_type(dialect);
  }
  return batch;
}

}}}
