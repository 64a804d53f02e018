// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/mongo/detail/mongo_document.hpp>
#include <sessionkit/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct _mongoc_client_t; // NOLINT(bugprone-reserved-identifier): the names are those of libmongoc
struct _mongoc_uri_t;    // NOLINT(bugprone-reserved-identifier)

namespace sessionkit { inline namespace v0 { namespace detail {

using MongoDeadline = std::chrono::steady_clock::time_point;

struct CloseMongo {
  void operator()(_mongoc_client_t* client) const noexcept;
  void operator()(_mongoc_uri_t* url) const noexcept;
};

struct MongoReplyDocument;
struct DeleteMongoReply {
  void operator()(MongoReplyDocument* reply) const noexcept;
};
using MongoReply = std::unique_ptr<MongoReplyDocument, DeleteMongoReply>;

/// The servers of a URL, and how long to wait for them.
struct MongoSettings {
  std::shared_ptr<_mongoc_uri_t> url;
  std::string database, place; ///< `place` names the servers and the database for people, without a password
  std::chrono::milliseconds wait{5000};
};
/// Reads a URL. Fails with `invalid_argument` if the URL names no server. The error message does not contain
/// the URL, because the URL may contain a password.
Result<MongoSettings> parse_mongo_url(std::string const& url, std::chrono::milliseconds connect_wait,
                                      std::chrono::milliseconds wait);

/// The answer to a command.
class MongoAnswer {
 public:
  MongoAnswer() = default;
  explicit MongoAnswer(MongoReply reply) noexcept : reply_(std::move(reply)) {}
  MongoFields fields() const noexcept;
  /// Returns the documents that `find` found, as views of this answer.
  std::vector<MongoFields> found() const { return fields().document("cursor").list("firstBatch"); }
  std::int64_t count() const noexcept { return fields().integer("n"); }

 private:
  MongoReply reply_;
};

/// The servers that must have a write before it is acknowledged.
enum class MongoConcern {
  one,       ///< the primary only, for data that can be made again
  majority,  ///< a majority of the servers, so that the write survives a failover
  journaled, ///< a majority of the servers, in their journals
};

/// Connections to the servers of a URL. Only one thread may use the object at a time. libmongoc starts no
/// thread for these connections.
class MongoConnection {
 public:
  /// Connects to the server that can be written to.
  static Result<MongoConnection> open(MongoSettings const& settings);

  std::string const& place() const noexcept { return place_; }

  /// Runs a command. An error message names `doing` as the action that failed.
  Result<MongoAnswer> run(char const* doing, MongoDocument const& command);
  Result<MongoAnswer> find(char const* doing, std::string const& collection, MongoDocument const& filter,
                           MongoDocument const& sort = MongoDocument(), std::int64_t limit = 1);
  /// The effect of a write.
  struct Written {
    std::int64_t count = 0; ///< the number of documents that the write inserted, matched or removed
    bool taken = false;     ///< nothing was written, because another document has the same unique key
  };
  Result<Written> insert(char const* doing, std::string const& collection, MongoDocument const& document,
                         MongoConcern concern);
  Result<Written> update(char const* doing, std::string const& collection, MongoDocument const& filter,
                         MongoDocument const& change, MongoConcern concern, bool all = false);
  Result<Written> remove(char const* doing, std::string const& collection, MongoDocument const& filter,
                         MongoConcern concern, bool all = false);

  /// True if the last write failed, but may nevertheless have been executed.
  bool doubtful() const noexcept { return doubtful_; }
  /// True if this connection cannot be used any more. Another connection may work.
  bool spent() const noexcept { return spent_; }
  /// Forgets the connection without closing it, because it belongs to the parent process.
  void abandon() noexcept { static_cast<void>(client_.release()); }

 private:
  Result<Written> write(char const* doing, MongoDocument command, MongoConcern concern);
  Error failure(char const* doing, std::int64_t code, std::string_view text);

  std::string database_, place_;
  std::chrono::milliseconds wait_{0};
  std::unique_ptr<_mongoc_client_t, CloseMongo> client_;
  bool doubtful_ = false, spent_ = false;
};

}}}
