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

/// Returns the beginning of the keys of all batches of a session. It consists of the session's id and the
/// token of the append that started the session, each with a `/` after it. The token is needed because an
/// earlier session may have had the same id. No id contains a `/`.
std::string mongo_batch_prefix(SessionId const& id, std::string_view start);
/// Returns the unique key of the batch whose first entry follows `first`. The keys of batches have the order
/// of the log.
std::string mongo_batch_key(std::string_view prefix, Position first);
/// Returns the upper limit of a range of batches: a text that is greater than each batch key with this
/// prefix.
std::string behind_mongo_batches(std::string_view prefix);
/// Returns a text that is greater than each key with this prefix, whether of a batch or of a chunk.
std::string behind_mongo_keys(std::string_view prefix);

/// A batch of records to write.
struct MongoBatch {
  std::string prefix;
  Position first = {}; ///< the end of the log before this batch
  /// The checksum of the line that ends at `first`. Absent if this is the first batch of the log.
  std::optional<std::uint32_t> after = {};
  std::string_view token; ///< the token of the append; repetitions of the append have the same token
  std::vector<RecordView> const* records = nullptr;
  std::size_t from = 0;                        ///< the first record to write
  std::optional<std::int64_t> expires_ms = {}; ///< when the server removes the batch; absent: never
};
/// Returns the document of a batch. If the records are too long for this document, the function first passes
/// them to `chunk`, in documents with at most 8 MiB of records each. The document of the batch then lists the
/// parts (`MongoStoredBatch::Part`), with the number of records and the number of chunks of each part.
Result<MongoDocument> make_mongo_batch(MongoBatch const& batch,
                                       std::function<Result<void>(MongoDocument const&)> const& chunk);

/// A batch that was read, as a view of its document.
class MongoStoredBatch {
 public:
  explicit MongoStoredBatch(MongoFields fields) noexcept : fields_(fields) {}
  MongoFields const& fields() const noexcept { return fields_; }
  std::uint64_t first() const noexcept;
  std::uint64_t count() const noexcept { return static_cast<std::uint64_t>(fields_.integer("count")); }
  /// True if the batch follows the line with this checksum.
  bool follows(std::uint32_t crc) const noexcept { return fields_.integer("after") == std::int64_t{crc}; }
  std::string_view token() const noexcept { return fields_.text("token"); }
  /// Consecutive records of the batch, and the keys of the chunks that contain these records. If there are no
  /// chunks, the records are in the batch's document.
  struct Part {
    /// The index of the first record in the batch, and the number of records.
    std::uint64_t begin = 0, count = 0;
    std::vector<std::string> chunks = {};
  };
  /// Returns the part that contains the record with this index.
  Part part_with(std::uint64_t index) const;

 private:
  MongoFields fields_;
};

/// Returns the beginning of the keys of all chunks of a batch.
std::string mongo_chunk_prefix(std::string_view prefix, std::string_view token, std::uint64_t first);
/// Returns one record of a batch, as views of `record`.
RecordView mongo_record(MongoFields const& record) noexcept;

}}}
