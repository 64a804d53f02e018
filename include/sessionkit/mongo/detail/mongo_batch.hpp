// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/ids.hpp>
#include <sessionkit/mongo/detail/mongo_document.hpp>
#include <sessionkit/record.hpp>
#include <sessionkit/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The beginning of the keys of all batches of a session: its id and the token of its start. The token is
/// needed because another session may have had the id before. No id has a `/`.
std::string mongo_batch_prefix(SessionId const& id, std::string_view start);
/// The unique key of the batch whose first entry follows `first`. The order of the keys is that of the log.
std::string mongo_batch_key(std::string_view prefix, Position first);
/// The upper limits of ranges: a text that is greater than each batch key with a prefix, and a text that is
/// greater than each key with this prefix.
std::string behind_mongo_batches(std::string_view prefix);
std::string behind_mongo_keys(std::string_view prefix);

/// A batch of records to write.
struct MongoBatch {
  std::string prefix;
  Position first = {};                     ///< the end of the log before it
  std::optional<std::uint32_t> after = {}; ///< checksum of the line that ends there; absent: it is the first
  std::string_view token;                  ///< of the append, which its repetitions have too
  std::vector<RecordView> const* records = nullptr;
  std::size_t from = 0;                        ///< the first record to write
  std::optional<std::int64_t> expires_ms = {}; ///< when the server removes it
};
/// Makes the document of a batch. If the records are too long for one document, first passes them to `chunk`,
/// as documents of at most 8 MiB. The document of the batch then names these chunks.
Result<MongoDocument> make_mongo_batch(MongoBatch const& batch,
                                       std::function<Result<void>(MongoDocument const&)> const& chunk);

/// A batch that was read; a view of its document.
class MongoStoredBatch {
 public:
  explicit MongoStoredBatch(MongoFields fields) noexcept : fields_(fields) {}
  MongoFields const& fields() const noexcept { return fields_; }
  std::uint64_t first() const noexcept;
  std::uint64_t count() const noexcept { return static_cast<std::uint64_t>(fields_.integer("count")); }
  /// True if the batch follows the line with this checksum.
  bool follows(std::uint32_t crc) const noexcept { return fields_.integer("after") == std::int64_t{crc}; }
  std::string_view token() const noexcept { return fields_.text("token"); }
  /// Some records of the batch, and the keys of the chunks that have them. Without chunks, the records are in
  /// the batch's document.
  struct Part {
    std::uint64_t begin = 0, count = 0; ///< within the batch
    std::vector<std::string> chunks = {};
  };
  /// The part that has the record of this index.
  Part part_with(std::uint64_t index) const;

 private:
  MongoFields fields_;
};

/// The beginning of the keys of all chunks of a batch.
std::string mongo_chunk_prefix(std::string_view prefix, std::string_view token, std::uint64_t first);
/// Reads one record of a batch. The result is a view.
RecordView mongo_record(MongoFields const& record) noexcept;

}}}
