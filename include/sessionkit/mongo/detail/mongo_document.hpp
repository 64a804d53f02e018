// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct _bson_t; // NOLINT(bugprone-reserved-identifier): the name is that of libbson

namespace sessionkit { inline namespace v0 { namespace detail {

struct DestroyBson {
  void operator()(_bson_t* document) const noexcept;
};

/// A BSON document that is being written. Fields keep their order.
class MongoDocument {
 public:
  MongoDocument();
  /// Copies the bytes of a document.
  explicit MongoDocument(std::string_view bytes);
  MongoDocument(MongoDocument const& other);
  MongoDocument(MongoDocument&&) noexcept = default;
  MongoDocument& operator=(MongoDocument const&) = delete;
  MongoDocument& operator=(MongoDocument&&) noexcept = default;
  ~MongoDocument() = default;

  /// Adds a text. A text that is not UTF-8 or has a NUL byte is stored as binary data, so every text stays
  /// unchanged.
  MongoDocument& with(char const* name, std::string_view text);
  MongoDocument& with(char const* name, char const* text) { return with(name, std::string_view(text)); }
  MongoDocument& with(char const* name, std::int64_t value);
  MongoDocument& with(char const* name, int value) { return with(name, std::int64_t{value}); }
  MongoDocument& with(char const* name, bool value);
  MongoDocument& with(char const* name, MongoDocument const& value);
  /// Adds an array. The caller must name the fields of `values` `0`, `1` and so on.
  MongoDocument& with_list(char const* name, MongoDocument const& values);
  MongoDocument& with_bytes(char const* name, std::string_view bytes);
  /// Adds a date, in milliseconds since 1970.
  MongoDocument& with_date(char const* name, std::int64_t unix_ms);

  _bson_t const* bson() const noexcept { return bson_.get(); }
  std::string_view bytes() const noexcept;

 private:
  std::unique_ptr<_bson_t, DestroyBson> bson_;
};

/// The fields of a document that was read, as views of its bytes. A field that is missing, or has another
/// type, reads as empty, zero or false.
class MongoFields {
 public:
  MongoFields() = default;
  explicit MongoFields(std::string_view bytes) noexcept : bytes_(bytes) {}

  std::string_view bytes() const noexcept { return bytes_; }
  bool has(char const* name) const noexcept;
  /// Returns a text, or the bytes of binary data.
  std::string_view text(char const* name) const noexcept;
  /// Returns a number of any type, or the milliseconds of a date.
  std::int64_t integer(char const* name) const noexcept;
  bool boolean(char const* name) const noexcept;
  MongoFields document(char const* name) const noexcept;
  /// Returns the documents of an array.
  std::vector<MongoFields> list(char const* name) const;

 private:
  std::string_view bytes_;
};

}}}
