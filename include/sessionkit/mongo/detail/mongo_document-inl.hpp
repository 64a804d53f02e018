// SPDX-License-Identifier: MIT
// Writes and reads BSON documents.
#pragma once
#include <sessionkit/detail/base/exceptions.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/mongo/detail/mongo_document.hpp>

#include <bson/bson.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace mongo_document_inl { namespace {

// A document as libbson's typedef, which has an alignment that the struct, all that a header can declare,
// has not.
bson_t* as_bson(_bson_t* document) noexcept { return static_cast<bson_t*>(document); }
bson_t const* as_bson(_bson_t const* document) noexcept { return static_cast<bson_t const*>(document); }

int size_of(std::string_view bytes) noexcept { return static_cast<int>(bytes.size()); }
std::uint8_t const* bytes_of(std::string_view bytes) noexcept {
  return reinterpret_cast<std::uint8_t const*>(bytes.data());
}
std::string_view view_of(std::uint8_t const* bytes, std::uint32_t size) noexcept {
  return {reinterpret_cast<char const*>(bytes), size};
}

// libbson refuses a field only if the document would have 2 GiB, which the limits of a batch prevent.
void require(bool added) {
  if (!added) detail::out_of_memory();
}

bool find(std::string_view document, char const* name, bson_iter_t& at) noexcept {
  return !document.empty() && bson_iter_init_from_data(&at, bytes_of(document), document.size())
         && bson_iter_find(&at, name);
}

// The bytes of the document or array at an iterator.
std::string_view nested(bson_iter_t const& at) noexcept {
  std::uint32_t size = 0;
  std::uint8_t const* bytes = nullptr;
  if (bson_iter_type(&at) == BSON_TYPE_DOCUMENT)
    bson_iter_document(&at, &size, &bytes);
  else if (bson_iter_type(&at) == BSON_TYPE_ARRAY)
    bson_iter_array(&at, &size, &bytes);
  return bytes != nullptr ? view_of(bytes, size) : std::string_view();
}

}}

void DestroyBson::operator()(_bson_t* document) const noexcept {
  bson_destroy(mongo_document_inl::as_bson(document));
}

MongoDocument::MongoDocument() : bson_(bson_new()) {}
MongoDocument::MongoDocument(std::string_view bytes)
    : bson_(bytes.empty() ? nullptr : bson_new_from_data(mongo_document_inl::bytes_of(bytes), bytes.size())) {
  if (bson_ == nullptr) bson_.reset(bson_new());
}

MongoDocument::MongoDocument(MongoDocument const& other)
    : bson_(bson_copy(mongo_document_inl::as_bson(other.bson()))) {}

MongoDocument& MongoDocument::with(char const* name, std::string_view text) {
  if (text.find('\0') != std::string_view::npos || !is_utf8(text)) return with_bytes(name, text);
  mongo_document_inl::require(bson_append_utf8(mongo_document_inl::as_bson(bson_.get()), name, -1,
                                               text.empty() ? "" : text.data(),
                                               mongo_document_inl::size_of(text)));
  return *this;
}
MongoDocument& MongoDocument::with(char const* name, std::int64_t value) {
  mongo_document_inl::require(bson_append_int64(mongo_document_inl::as_bson(bson_.get()), name, -1, value));
  return *this;
}
MongoDocument& MongoDocument::with(char const* name, bool value) {
  mongo_document_inl::require(bson_append_bool(mongo_document_inl::as_bson(bson_.get()), name, -1, value));
  return *this;
}
MongoDocument& MongoDocument::with(char const* name, MongoDocument const& value) {
  mongo_document_inl::require(bson_append_document(mongo_document_inl::as_bson(bson_.get()), name, -1,
                                                   mongo_document_inl::as_bson(value.bson())));
  return *this;
}
MongoDocument& MongoDocument::with_list(char const* name, MongoDocument const& values) {
  mongo_document_inl::require(bson_append_array(mongo_document_inl::as_bson(bson_.get()), name, -1,
                                                mongo_document_inl::as_bson(values.bson())));
  return *this;
}
MongoDocument& MongoDocument::with_bytes(char const* name, std::string_view bytes) {
  mongo_document_inl::require(bson_append_binary(mongo_document_inl::as_bson(bson_.get()), name, -1,
                                                 BSON_SUBTYPE_BINARY, mongo_document_inl::bytes_of(bytes),
                                                 static_cast<std::uint32_t>(bytes.size())));
  return *this;
}
MongoDocument& MongoDocument::with_date(char const* name, std::int64_t unix_ms) {
  mongo_document_inl::require(
      bson_append_date_time(mongo_document_inl::as_bson(bson_.get()), name, -1, unix_ms));
  return *this;
}

std::string_view MongoDocument::bytes() const noexcept {
  return mongo_document_inl::view_of(bson_get_data(mongo_document_inl::as_bson(bson_.get())), bson_->len);
}

bool MongoFields::has(char const* name) const noexcept {
  bson_iter_t at;
  return mongo_document_inl::find(bytes_, name, at);
}

std::string_view MongoFields::text(char const* name) const noexcept {
  bson_iter_t at;
  if (!mongo_document_inl::find(bytes_, name, at)) return {};
  std::uint32_t size = 0;
  if (bson_iter_type(&at) == BSON_TYPE_UTF8) {
    char const* const text = bson_iter_utf8(&at, &size);
    return {text, size};
  }
  if (bson_iter_type(&at) != BSON_TYPE_BINARY) return {};
  bson_subtype_t kind = BSON_SUBTYPE_BINARY;
  std::uint8_t const* bytes = nullptr;
  bson_iter_binary(&at, &kind, &size, &bytes);
  return mongo_document_inl::view_of(bytes, size);
}

std::int64_t MongoFields::integer(char const* name) const noexcept {
  bson_iter_t at;
  if (!mongo_document_inl::find(bytes_, name, at)) return 0;
  return bson_iter_type(&at) == BSON_TYPE_DATE_TIME ? bson_iter_date_time(&at) : bson_iter_as_int64(&at);
}

bool MongoFields::boolean(char const* name) const noexcept {
  bson_iter_t at;
  return mongo_document_inl::find(bytes_, name, at) && bson_iter_as_bool(&at);
}

MongoFields MongoFields::document(char const* name) const noexcept {
  bson_iter_t at;
  return mongo_document_inl::find(bytes_, name, at) ? MongoFields(mongo_document_inl::nested(at))
                                                    : MongoFields();
}

std::vector<MongoFields> MongoFields::list(char const* name) const {
  std::vector<MongoFields> all;
  std::string_view const array = document(name).bytes();
  bson_iter_t at;
  if (array.empty() || !bson_iter_init_from_data(&at, mongo_document_inl::bytes_of(array), array.size()))
    return all;
  while (bson_iter_next(&at))
    if (std::string_view const one = mongo_document_inl::nested(at); !one.empty()) all.emplace_back(one);
  return all;
}

}}}
