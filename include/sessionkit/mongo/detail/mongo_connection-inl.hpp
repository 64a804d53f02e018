// SPDX-License-Identifier: MIT
// Sends commands to MongoDB servers and turns their codes into errors.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/standard_descriptors.hpp>
#include <sessionkit/mongo/detail/mongo_connection.hpp>

#include <algorithm>
#include <new>

#include <mongoc/mongoc.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace mongo_connection_inl { namespace {

constexpr std::int64_t duplicate_key = 11000;

struct MongoMeaning {
  std::int64_t code; ///< of the server; 0: any other
  char const* fix;
  Errc errc;
  bool elsewhere = false; ///< another connection may succeed, and may find that the write happened
};
// The first match counts.
constexpr MongoMeaning mongo_meanings[] = {
    {6, "the server cannot be reached; try again later", Errc::unavailable, true},
    {7, "the server cannot be found; try again later", Errc::unavailable, true},
    {89, "the servers do not answer each other; try again later", Errc::unavailable, true},
    {91, "the server is ending; try again later", Errc::unavailable, true},
    {189, "the servers choose another primary; try again later", Errc::unavailable, true},
    {9001, "the connection broke; try again later", Errc::unavailable, true},
    {10058, "the servers choose another primary; try again later", Errc::unavailable, true},
    {10107, "the server cannot be written to; name the others of its set, too", Errc::unavailable, true},
    {11600, "the server is ending; try again later", Errc::unavailable, true},
    {11602, "the servers choose another primary; try again later", Errc::unavailable, true},
    {13435, "the server cannot be written to; name the others of its set, too", Errc::unavailable, true},
    {13436, "the server is recovering; try again later", Errc::unavailable, true},
    {50, "it took too long; try again", Errc::timed_out},
    {262, "it took too long; try again", Errc::timed_out},
    {64, "too few servers have it in time; look at the members of the set", Errc::timed_out},
    {100, "the set has too few members for its write concern; add some", Errc::unavailable},
    {13, "the user may not do that; grant it, or give another user", Errc::io_error},
    {11, "give a user and a password that the server takes", Errc::invalid_argument},
    {18, "give a user and a password that the server takes", Errc::invalid_argument},
    {10334, "it is larger than the server keeps; make it shorter", Errc::invalid_argument},
    {17280, "a name is longer than its index keeps; make it shorter", Errc::invalid_argument},
    {17419, "it is larger than the server keeps; make it shorter", Errc::invalid_argument},
    {14031, "the server's disk is full; free some and try again", Errc::no_space},
    {0, "look at the server and its collections, then try again", Errc::io_error},
};

MongoMeaning const& meaning_of(std::int64_t code) {
  auto const fits = [code](MongoMeaning const& m) { return m.code == code || m.code == 0; };
  return *std::find_if(std::begin(mongo_meanings), std::end(mongo_meanings), fits);
}

std::string place_of(mongoc_uri_t const* url, std::string const& database) {
  std::string place = "mongodb ";
  for (mongoc_host_list_t const* host = mongoc_uri_get_hosts(url); host != nullptr; host = host->next)
    place += std::string(host->host_and_port) + (host->next != nullptr ? "," : "");
  return place + "/" + database;
}

MongoDocument concern_of(MongoConcern concern, std::chrono::milliseconds wait) {
  MongoDocument document;
  if (concern == MongoConcern::one) return document.with("w", 1);
  document.with("w", "majority");
  if (concern == MongoConcern::journaled) document.with("j", true);
  document.with("wtimeout", std::int64_t{wait.count()});
  return document;
}

}}

void CloseMongo::operator()(_mongoc_client_t* client) const noexcept { mongoc_client_destroy(client); }
void CloseMongo::operator()(_mongoc_uri_t* url) const noexcept { mongoc_uri_destroy(url); }

// libmongoc takes it for a variable: it is not to be freed with the bytes it owns.
struct MongoReplyDocument {
  MongoReplyDocument() noexcept { bson_init(&bson); }
  MongoReplyDocument(MongoReplyDocument const&) = delete;
  MongoReplyDocument& operator=(MongoReplyDocument const&) = delete;
  ~MongoReplyDocument() { bson_destroy(&bson); }

  bson_t bson;
};
void DeleteMongoReply::operator()(MongoReplyDocument* reply) const noexcept { delete reply; }

// An error of libmongoc may repeat the URL, and so a password.
Result<MongoSettings> parse_mongo_url(std::string const& url, std::chrono::milliseconds connect_wait,
                                      std::chrono::milliseconds wait) {
  mongoc_init();
  bson_error_t ignored;
  std::shared_ptr<mongoc_uri_t> parsed(mongoc_uri_new_with_error(url.c_str(), &ignored), CloseMongo());
  if (parsed == nullptr || url.find('\0') != std::string::npos)
    return detail::make_error(
        Errc::invalid_argument,
        "this names no MongoDB server; give mongodb://[user:password@]host[:port][/database], "
        "with user and password percent-encoded");
  MongoSettings settings;
  char const* const database = mongoc_uri_get_database(parsed.get());
  settings.database = database != nullptr ? database : "sessionkit";
  settings.place = mongo_connection_inl::place_of(parsed.get(), settings.database);
  settings.wait = wait;
  auto const ms = [](std::chrono::milliseconds time) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(time.count(), 1, 1 << 30));
  };
  mongoc_uri_set_option_as_int32(parsed.get(), MONGOC_URI_CONNECTTIMEOUTMS, ms(connect_wait));
  mongoc_uri_set_option_as_int32(parsed.get(), MONGOC_URI_SERVERSELECTIONTIMEOUTMS, ms(connect_wait));
  mongoc_uri_set_option_as_int32(parsed.get(), MONGOC_URI_SOCKETTIMEOUTMS, ms(wait));
  if (mongoc_uri_get_appname(parsed.get()) == nullptr) mongoc_uri_set_appname(parsed.get(), "sessionkit");
  settings.url = std::move(parsed);
  return settings;
}

MongoFields MongoAnswer::fields() const noexcept {
  if (reply_ == nullptr) return {};
  return MongoFields({reinterpret_cast<char const*>(bson_get_data(&reply_->bson)), reply_->bson.len});
}

Result<MongoConnection> MongoConnection::open(MongoSettings const& settings) {
  MongoConnection made;
  made.database_ = settings.database;
  made.place_ = settings.place;
  made.wait_ = settings.wait;
  StandardDescriptorsTaken const taken;
  made.client_.reset(mongoc_client_new_from_uri(settings.url.get()));
  if (made.client_ == nullptr)
    return detail::make_error(Errc::unsupported,
                              "{}: this libmongoc was built without something that the URL asks for (TLS?)",
                              made.place_);
  mongoc_client_set_error_api(made.client_.get(), 2);
  if (auto r = made.run("connect", MongoDocument().with("ping", 1)); !r) return r.error();
  return made;
}

Error MongoConnection::failure(char const* doing, std::int64_t code, std::string_view text) {
  mongo_connection_inl::MongoMeaning const& meaning = mongo_connection_inl::meaning_of(code);
  spent_ = spent_ || meaning.elsewhere;
  return detail::make_error(meaning.errc, "{}: cannot {}: {} ({}): {}", place_, doing, text, code,
                            meaning.fix);
}

Result<MongoAnswer> MongoConnection::run(char const* doing, MongoDocument const& command) {
  MongoReply reply(new MongoReplyDocument);
  bson_error_t error{};
  doubtful_ = false;
  if (mongoc_client_command_simple(client_.get(), database_.c_str(),
                                   static_cast<bson_t const*>(command.bson()), nullptr, &reply->bson, &error))
    return MongoAnswer(std::move(reply));
  std::string_view const text = error.message;
  if (error.domain == MONGOC_ERROR_SERVER) {
    doubtful_ = mongo_connection_inl::meaning_of(error.code).elsewhere;
    return failure(doing, error.code, text);
  }
  if (error.domain == MONGOC_ERROR_CLIENT && error.code == MONGOC_ERROR_CLIENT_AUTHENTICATE)
    return spent_ = true, failure(doing, 18, text);
  if (error.domain == MONGOC_ERROR_BSON || error.domain == MONGOC_ERROR_COMMAND)
    return failure(doing, 10334, text);
  spent_ = true;
  bool const unsent = error.domain == MONGOC_ERROR_SERVER_SELECTION
                      || (error.domain == MONGOC_ERROR_STREAM && error.code != MONGOC_ERROR_STREAM_SOCKET);
  doubtful_ = !unsent;
  return detail::make_error(Errc::unavailable, "{}: cannot {}: {}: {}", place_, doing, text,
                            unsent ? "start the server, or name another; try again later"
                                   : "the connection broke; try again later");
}

Result<MongoAnswer> MongoConnection::find(char const* doing, std::string const& collection,
                                          MongoDocument const& filter, MongoDocument const& sort,
                                          std::int64_t limit) {
  MongoDocument command;
  command.with("find", std::string_view(collection)).with("filter", filter);
  if (sort.bytes().size() > MongoDocument().bytes().size()) command.with("sort", sort);
  command.with("limit", limit).with("singleBatch", true);
  Result<MongoAnswer> answer = run(doing, command);
  doubtful_ = false; // it changes nothing
  return answer;
}

// The reply says `ok` even if a document failed (`writeErrors`), or if too few servers have the write
// (`writeConcernError`), so this function looks for both.
Result<MongoConnection::Written> MongoConnection::write(char const* doing, MongoDocument command,
                                                        MongoConcern concern) {
  command.with("ordered", true).with("writeConcern", mongo_connection_inl::concern_of(concern, wait_));
  Result<MongoAnswer> const answer = run(doing, command);
  if (!answer) return answer.error();
  MongoFields const reply = answer->fields();
  std::vector<MongoFields> const errors = reply.list("writeErrors");
  if (!errors.empty() && errors.front().integer("code") != mongo_connection_inl::duplicate_key)
    return failure(doing, errors.front().integer("code"), errors.front().text("errmsg"));
  if (!errors.empty()) return Written{0, true};
  if (MongoFields const late = reply.document("writeConcernError"); !late.bytes().empty()) {
    Error const error = failure(doing, late.integer("code"), late.text("errmsg"));
    return doubtful_ = true, error;
  }
  return Written{answer->count(), false};
}

Result<MongoConnection::Written> MongoConnection::insert(char const* doing, std::string const& collection,
                                                         MongoDocument const& document,
                                                         MongoConcern concern) {
  MongoDocument command, documents;
  documents.with("0", document);
  command.with("insert", std::string_view(collection));
  return write(doing, std::move(command.with_list("documents", documents)), concern);
}

Result<MongoConnection::Written> MongoConnection::update(char const* doing, std::string const& collection,
                                                         MongoDocument const& filter,
                                                         MongoDocument const& change, MongoConcern concern,
                                                         bool all) {
  MongoDocument command, changes;
  changes.with("0", MongoDocument().with("q", filter).with("u", change).with("multi", all));
  command.with("update", std::string_view(collection));
  return write(doing, std::move(command.with_list("updates", changes)), concern);
}

Result<MongoConnection::Written> MongoConnection::remove(char const* doing, std::string const& collection,
                                                         MongoDocument const& filter, MongoConcern concern,
                                                         bool all) {
  MongoDocument command, removals;
  removals.with("0", MongoDocument().with("q", filter).with("limit", all ? 0 : 1));
  command.with("delete", std::string_view(collection));
  return write(doing, std::move(command.with_list("deletes", removals)), concern);
}

}}}
