// SPDX-License-Identifier: MIT
// The importer of documents of go-kratos/blades, also of damaged ones: one entry for each message, and the
// state as the last entry.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/blades_dialect.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/exchange/blades_export.hpp>
#include <sessionkit/detail/import/blades_pieces.hpp>
#include <sessionkit/detail/import/foreign_files.hpp>
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/import/import_blades.hpp>
#include <sessionkit/profile.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 {

namespace import_blades_inl { namespace {

using detail::JsonKind;

// A checked value on one line.
std::string on_one_line(std::string_view raw) {
  Result<RawJson> line = RawJson::parse(std::string(detail::trim_space(raw)));
  return line ? line->str() : "null";
}

char const* words_of(DamageKind kind) noexcept {
  switch (kind) {
  case DamageKind::torn_tail: return "the document is not complete; what is whole before its end is read";
  case DamageKind::too_deep: return "a value with too many levels; it is skipped";
  default: return "this is no JSON of a document of blades; it is skipped";
  }
}

class DocumentReader {
 public:
  DocumentReader(ForeignSession const& which, ImportOptions const& options, EntrySink const& sink)
      : which_(which), options_(options), sink_(sink) {}

  Result<ImportReport> run(std::string_view text) && {
    std::size_t const mark = detail::begins_with_mark(text) ? detail::utf8_mark.size() : 0;
    if (mark != 0)
      report_.damage.push_back({0, mark, DamageKind::byte_order_mark, "a byte order mark; it is skipped"});
    text_ = text.data();
    pieces_ = detail::blades_pieces(text.substr(mark));
    for (Damage& one : pieces_.damage) {
      one.offset += mark;
      one.what = words_of(one.kind);
      report_.damage.push_back(std::move(one));
    }
    if (!pieces_.has_history)
      return detail::make_error(Errc::corrupt, "{}: no history of a blades session; get the whole file",
                                which_.file);
    std::string_view const version = member("version");
    if (!version.empty() && detail::to_uint(version) != detail::blades_version)
      return detail::make_error(Errc::unsupported_version,
                                "{}: a blades session of version {}; version {} is understood; let the "
                                "program save it in this version",
                                which_.file, version.substr(0, 20), detail::blades_version);
    give(header());
    for (std::size_t i = 0; i < pieces_.items.size() && status_; ++i) item(i + 1, pieces_.items[i]);
    if (status_) state();
    if (!status_) return status_.error();
    // A program that writes over its file shows a part of it for a moment.
    if (!pieces_.complete && !options_.finished)
      return detail::make_error(Errc::corrupt,
                                "{}: the blades document ends too early; read it again when the program has "
                                "saved it",
                                which_.file);
    return std::move(report_);
  }

 private:
  std::string_view member(std::string_view name) const {
    std::string_view found;
    for (auto const& [key, value] : pieces_.members)
      if (detail::key_is(key, name)) found = value;
    return found;
  }

  void give(Entry&& entry) {
    if (status_) status_ = sink_(std::move(entry));
  }

  // All members but the history, the state and the time of saving, which change.
  Entry header() {
    std::string line;
    detail::JsonWriter json(line);
    json.begin_object();
    for (auto const& [key, value] : pieces_.members) {
      bool const changes = detail::key_is(key, "state") || detail::key_is(key, detail::blades_updated);
      std::string name;
      detail::append_unescaped(name, key);
      if (!changes) json.member_raw(name, on_one_line(value));
    }
    json.end_object();
    RecordView record;
    record.type = detail::blades_header_type;
    record.link = Parent::root;
    record.line = line;
    Result<Entry> const decoded = detail::blades_dialect().decode(record);
    Entry entry = detail::imported_header(which_, std::to_string(detail::blades_version), {}, {});
    if (!decoded) return entry;
    std::string const origin = std::get<Header>(entry.body).metadata.str();
    entry.body = decoded->body;
    entry.at = decoded->at;
    entry.extra = decoded->extra;
    auto& made = std::get<Header>(entry.body);
    made.id = which_.id;
    made.metadata = with_origin(made.metadata, origin);
    return entry;
  }

  // A host's own metadata keeps its members.
  static RawJson with_origin(RawJson const& metadata, std::string const& origin) {
    if (metadata.is_null()) return RawJson::from(origin);
    if (!metadata.is_object() || detail::has_member(metadata, "origin")) return metadata;
    std::string joined = origin;
    joined.pop_back();
    detail::for_members(metadata.str(), [&](std::string_view key, std::string_view value) {
      joined.append(",\"").append(key).append("\":").append(value);
      return true;
    });
    return RawJson::from(joined + '}');
  }

  void item(std::size_t number, std::string_view raw) {
    auto const offset = static_cast<std::uint64_t>(raw.data() - text_);
    auto const find = [&](DamageKind kind, std::string const& what) {
      report_.damage.push_back(
          {offset, raw.size(), kind, detail::format_text("message {} {}", number, what)});
    };
    if (raw.size() > options_.limits.max_line)
      return find(DamageKind::oversize, "is longer than ImportLimits::max_line; it is skipped");
    if (detail::json_kind(raw) != JsonKind::object)
      return find(DamageKind::not_an_object, "is no object; it is skipped");
    std::string const line = on_one_line(raw);
    std::vector<Entry> entries = detail::read_blades_item(line, calls_);
    if (entries.front().as<Custom>()) {
      std::string_view const role = detail::find_member(line, "role");
      find(DamageKind::unknown_role,
           (role.empty() ? "has no role" : detail::format_text("has the unknown role {}", role.substr(0, 80)))
               + "; it is kept and not sent");
    }
    std::string const id = "message-" + std::to_string(number);
    for (Entry& entry : entries) {
      if (auto const* const said = entry.as<Message>()) calls_.note(*said);
      bool const result = &entry != &entries.back(); // a result of which the same item says more
      Entry given =
          detail::imported_entry(std::move(entry.body), result ? id + ".result" : id, tip_, entry.at);
      given.extra = std::move(entry.extra);
      tip_ = given.id;
      at_ = given.at;
      give(std::move(given));
    }
  }

  // The state is that of the end, and a later one replaces it. So it follows the messages, and is given when
  // no more of them are expected.
  void state() {
    std::string_view const raw = member("state");
    StateChange change =
        detail::read_blades_state(detail::json_kind(raw) == JsonKind::object ? on_one_line(raw) : "{}");
    if (change.set.empty()) return;
    if (!options_.finished) {
      ++report_.held_back;
      return;
    }
    std::string saved;
    std::string_view const updated = member(detail::blades_updated);
    detail::JsonWriter json(saved);
    json.begin_object();
    if (!updated.empty()) json.member_raw(detail::blades_updated, on_one_line(updated));
    json.end_object();
    detail::Fields fields(saved);
    Entry time;
    time.at = at_;
    detail::take_blades_time(fields, detail::blades_updated, time);
    std::string const id = detail::format_text("state-{}-{:08x}", pieces_.items.size(),
                                               detail::crc32c(saved + on_one_line(raw)));
    Entry given = detail::imported_entry(std::move(change), id, tip_, time.at);
    given.extra = std::move(time.extra);
    give(std::move(given));
  }

  ForeignSession const& which_;
  ImportOptions const& options_;
  EntrySink const& sink_;
  ImportReport report_;
  Result<void> status_ = {};
  detail::BladesPieces pieces_;
  detail::BladesCalls calls_;
  char const* text_ = nullptr; ///< the first byte of the file
  EntryId tip_;
  Timestamp at_ = {};
};

bool recognises(std::string_view file, std::string_view begin) {
  return detail::begins_blades(begin, detail::file_stem(file));
}

Result<std::vector<ForeignSession>> list(ForeignFiles& files, std::string const& file) {
  constexpr std::size_t begin_bytes = std::size_t{64} << 10;
  Result<std::string> const begin = files.read(file, 0, begin_bytes);
  if (!begin) return begin.error();
  ForeignSession session;
  session.importer = "blades";
  detail::begins_blades(*begin, {}, &session.id);
  if (session.id.empty()) session.id = detail::file_stem(file); // as the program names its files
  session.file = file;
  return std::vector<ForeignSession>{std::move(session)};
}

SESSIONKIT_SELDOM Result<ImportReport> read(ForeignFiles& files, ForeignSession const& which,
                                            ImportOptions const& options, EntrySink const& sink) {
  Result<std::string> const text = detail::read_foreign_file(files, which.file, options.limits);
  if (!text) return text.error();
  return DocumentReader(which, options, sink).run(*text);
}

constexpr Importer importer{"blades", "blades", recognises, list, read, &profiles::blades};

}}

Importer const& blades_importer() noexcept { return import_blades_inl::importer; }

}}
