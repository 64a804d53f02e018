// SPDX-License-Identifier: MIT
// Makes the documents of a batch, and reads its records from them.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/mongo/detail/mongo_batch.hpp>

#include <algorithm>
#include <charconv>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace mongo_batch_inl { namespace {

constexpr std::size_t digits_of_place = 16;
constexpr std::size_t most_of_part = std::size_t{1} << 20;  // a page reads whole parts
constexpr std::size_t most_of_chunk = std::size_t{8} << 20; // half of what a document may have

MongoDocument document_of(RecordView const& record) {
  MongoDocument document;
  if (!record.id.empty()) document.with("id", record.id);
  document.with("link", static_cast<int>(record.link));
  if (!record.parent.empty()) document.with("parent", record.parent);
  document.with("type", record.type).with("line", record.line);
  return document;
}

/// The records of one part.
struct PartOfBatch {
  MongoDocument records = {};
  std::int64_t count = 0;
  bool is_full() const noexcept { return count > 0 && records.bytes().size() >= most_of_part; }
};

PartOfBatch take_part(std::vector<RecordView> const& records, std::size_t& at) {
  PartOfBatch part;
  for (; at < records.size() && !part.is_full(); ++at)
    part.records.with(std::to_string(part.count++).c_str(), document_of(records[at]));
  return part;
}

std::string chunk_key(std::string_view prefix, std::uint64_t part, std::uint64_t chunk) {
  return detail::format_text("{}{}/{}", prefix, part, chunk);
}

}}

std::string mongo_batch_prefix(SessionId const& id, std::string_view start) {
  return detail::format_text("{}/{}/", id.str(), start);
}
std::string mongo_batch_key(std::string_view prefix, Position first) {
  return detail::format_text("{}{:016x}", prefix, first.value());
}
std::string behind_mongo_batches(std::string_view prefix) { return std::string(prefix) + "g"; }
std::string behind_mongo_keys(std::string_view prefix) {
  return std::string(prefix.substr(0, prefix.size() - 1)) + "0"; // which follows `/`
}
std::string mongo_chunk_prefix(std::string_view prefix, std::string_view token, std::uint64_t first) {
  return detail::format_text("{}x{}/{:016x}/", prefix, token, first);
}

Result<MongoDocument> make_mongo_batch(MongoBatch const& batch,
                                       std::function<Result<void>(MongoDocument const&)> const& chunk) {
  std::vector<RecordView> const& records = *batch.records;
  std::size_t at = batch.from;
  mongo_batch_inl::PartOfBatch part = mongo_batch_inl::take_part(records, at);
  MongoDocument document;
  document.with("_id", std::string_view(mongo_batch_key(batch.prefix, batch.first)));
  if (batch.after) document.with("after", std::int64_t{*batch.after});
  document.with("count", static_cast<std::int64_t>(records.size() - batch.from)).with("token", batch.token);
  if (batch.expires_ms) document.with_date("expires", *batch.expires_ms);
  if (at == records.size() && part.records.bytes().size() <= mongo_batch_inl::most_of_chunk)
    return std::move(document.with_list("records", part.records));

  std::string const prefix = mongo_chunk_prefix(batch.prefix, batch.token, batch.first.value());
  MongoDocument parts;
  for (std::uint64_t n = 0; part.count > 0; ++n, part = mongo_batch_inl::take_part(records, at)) {
    std::string_view bytes = part.records.bytes();
    std::int64_t chunks = 0;
    while (!bytes.empty()) {
      std::string_view const some = bytes.substr(0, mongo_batch_inl::most_of_chunk);
      MongoDocument one;
      one.with("_id",
               std::string_view(mongo_batch_inl::chunk_key(prefix, n, static_cast<std::uint64_t>(chunks++))));
      if (batch.expires_ms) one.with_date("expires", *batch.expires_ms);
      if (auto r = chunk(one.with_bytes("bytes", some)); !r) return r.error();
      bytes.remove_prefix(some.size());
    }
    parts.with(std::to_string(n).c_str(), MongoDocument().with("count", part.count).with("chunks", chunks));
  }
  return std::move(document.with_list("parts", parts));
}

std::uint64_t MongoStoredBatch::first() const noexcept {
  std::string_view const key = fields_.text("_id");
  std::uint64_t first = 0;
  std::size_t const digits = std::min(key.size(), mongo_batch_inl::digits_of_place);
  std::from_chars(key.data() + key.size() - digits, key.data() + key.size(), first, 16);
  return first;
}

MongoStoredBatch::Part MongoStoredBatch::part_with(std::uint64_t index) const {
  Part part;
  std::string_view const key = fields_.text("_id");
  std::size_t const digits = std::min(key.size(), mongo_batch_inl::digits_of_place);
  std::string const prefix = mongo_chunk_prefix(key.substr(0, key.size() - digits), token(), first());
  std::vector<MongoFields> const parts = fields_.list("parts");
  part.count = parts.empty() ? count() : 0;
  for (std::size_t n = 0; n < parts.size() && part.begin + part.count <= index; ++n) {
    part.begin += part.count;
    part.count = static_cast<std::uint64_t>(parts[n].integer("count"));
    part.chunks.clear();
    for (std::int64_t chunk = 0; chunk < parts[n].integer("chunks"); ++chunk)
      part.chunks.push_back(mongo_batch_inl::chunk_key(prefix, n, static_cast<std::uint64_t>(chunk)));
  }
  return part;
}

RecordView mongo_record(MongoFields const& record) noexcept {
  RecordView view;
  view.id = record.text("id");
  view.link = static_cast<Parent>(std::clamp<std::int64_t>(record.integer("link"), 0, 2));
  view.parent = record.text("parent");
  view.type = record.text("type");
  view.line = record.text("line");
  return view;
}

}}}
