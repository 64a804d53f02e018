// SPDX-License-Identifier: MIT
// The engines that keep sessions, by the schemes of their URLs.
#include "failure.hpp"
#include "foreign.hpp"
#include "stores.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>
#ifdef CLI_HAS_SQLITE
#include <sessionkit/sqlite/sqlite_store.hpp>
#endif
#ifdef CLI_HAS_REDIS
#include <sessionkit/redis/redis_store.hpp>
#endif
#ifdef CLI_HAS_POSTGRES
#include <sessionkit/postgres/postgres_store.hpp>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

using Opened = sk::Result<StorePtr>;
using Counted = sk::Result<std::size_t>;

/// Passes reads on and refuses everything else.
class ReadOnly final : public sk::SessionStore {
 public:
  explicit ReadOnly(StorePtr inner) : SessionStore(inner->profile()), inner_(std::move(inner)) {}
  sk::Result<sk::Position> append(sk::SessionId const&, sk::Append const&) override { return refusal(); }
  sk::Result<sk::RecordPage> read(sk::SessionId const& id, sk::ReadRange const& range) override {
    return inner_->read(id, range);
  }
  sk::Result<sk::SessionInfo> info(sk::SessionId const& id) override { return inner_->info(id); }
  sk::Result<sk::SessionPage> list(sk::ListQuery const& query) override { return inner_->list(query); }
  sk::Result<void> remove(sk::SessionId const&) override { return refusal(); }

 private:
  static sk::Error refusal() { return {sk::Errc::unsupported, 0, "the store was opened with --read-only"}; }
  StorePtr inner_;
};

bool is_sqlite_file(std::string const& path) {
  constexpr std::string_view magic = "SQLite format 3";
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::string begin(magic.size(), '\0');
  std::ifstream(fs::path(path), std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == magic;
}

/// The options that all engines share.
template <class Options> Options common(OpenOptions const& wanted) {
  Options options;
  options.profile = wanted.profile;
  options.on_event = wanted.on_event;
  return options;
}

sk::FileStoreOptions file_options(OpenOptions const& wanted) {
  auto options = common<sk::FileStoreOptions>(wanted);
  options.create = wanted.create;
  options.read_only = wanted.read_only;
  options.allow_shared_directory = wanted.allow_shared_directory;
  options.lock_wait = wanted.lock_wait;
  options.transcripts = wanted.transcripts;
  options.on_summary_progress = wanted.on_summary_progress;
  return options;
}
Opened open_files(std::string const& root, OpenOptions const& wanted) {
  refuse_database(root);
  return sk::open_file_store(root, file_options(wanted));
}
Counted reindex_files(std::string const& root, OpenOptions const& wanted, sk::StoreProgress const& progress) {
  return sk::reindex_file_store(root, file_options(wanted), progress);
}

// The documents of a program on blades, whose requests alone are shortened.
Opened open_blades(std::string const& root, OpenOptions const& wanted) {
  sk::BladesStoreOptions options;
  if (wanted.profile) options.profile = *wanted.profile;
  options.on_event = wanted.on_event;
  options.create = wanted.create;
  options.read_only = wanted.read_only;
  options.allow_shared_directory = wanted.allow_shared_directory;
  options.lock_wait = wanted.lock_wait;
  return sk::open_blades_store(root, options);
}

// The store forgets all by itself, so each message may be kept at once.
Opened open_memory(std::string const&, OpenOptions const& wanted) {
  auto profile = wanted.profile.value_or(sk::profiles::native);
  if (profile.timing == sk::WriteTiming::never) profile.timing = sk::WriteTiming::incremental;
  return sk::make_memory_store(profile);
}

#ifdef CLI_HAS_SQLITE
Opened open_sqlite(std::string const& path, OpenOptions const& wanted) {
  auto options = common<sk::SqliteStoreOptions>(wanted);
  options.create = wanted.create;
  options.adopt = wanted.adopt;
  options.upgrade = !wanted.read_only;
  options.lock_wait = wanted.lock_wait;
  return sk::open_sqlite_store(path, options);
}
#else
constexpr std::nullptr_t open_sqlite = nullptr;
#endif

#ifdef CLI_HAS_REDIS
sk::RedisStoreOptions redis_options(OpenOptions const& wanted) {
  auto options = common<sk::RedisStoreOptions>(wanted);
  options.wait = wanted.lock_wait;
  options.accept_weaker = true; // reported like every event
  return options;
}
Opened open_redis(std::string const& url, OpenOptions const& wanted) {
  return sk::open_redis_store(url, redis_options(wanted));
}
Counted reindex_redis(std::string const& url, OpenOptions const& wanted, sk::StoreProgress const& progress) {
  return sk::reindex_redis_store(url, redis_options(wanted), progress);
}
#else
constexpr std::nullptr_t open_redis = nullptr, reindex_redis = nullptr;
#endif

#ifdef CLI_HAS_POSTGRES
Opened open_postgres(std::string const& url, OpenOptions const& wanted) {
  auto options = common<sk::PostgresStoreOptions>(wanted);
  options.create = wanted.create;
  options.statement_wait = wanted.lock_wait;
  options.accept_weaker = true; // reported like every event
  return sk::open_postgres_store(url, options);
}
#else
constexpr std::nullptr_t open_postgres = nullptr;
#endif

enum class Where { path, url, none };

struct Engine {
  std::string_view name;
  Where place;
  Opened (*open)(std::string const& place, OpenOptions const&); ///< null: not built into this program
  char const* fix;                                              ///< the fix in that case
  /// null: it keeps its own indexes
  Counted (*reindex)(std::string const& place, OpenOptions const&, sk::StoreProgress const&) = nullptr;
};
constexpr char const* build_sqlite = "build it with SESSIONKIT_WITH_SQLITE=ON (libsqlite3)";
constexpr char const* build_redis = "build it with SESSIONKIT_WITH_REDIS=ON (libhiredis)";
constexpr char const* build_postgres = "build it with SESSIONKIT_WITH_POSTGRES=ON (libpq)";
constexpr Engine engines[] = {
    {"file", Where::path, open_files, "", reindex_files},
    {"blades", Where::path, open_blades, ""},
    {"memory", Where::none, open_memory, ""},
    {"sqlite", Where::path, open_sqlite, build_sqlite},
    {"redis", Where::url, open_redis, build_redis, reindex_redis},
    {"rediss", Where::url, open_redis, build_redis, reindex_redis},
    {"postgres", Where::url, open_postgres, build_postgres},
    {"postgresql", Where::url, open_postgres, build_postgres},
};

Engine const* find_engine(std::string_view name) {
  auto const* const found = std::find_if(std::begin(engines), std::end(engines),
                                         [&](Engine const& engine) { return engine.name == name; });
  return found == std::end(engines) ? nullptr : found;
}

std::string engine_names() {
  std::string names = "a directory";
  for (auto const& engine : engines)
    if (engine.open != nullptr) names += fmt::format(", {}:", engine.name);
  return names;
}

bool looks_like_engine(std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz+";
  return name.size() > 1 && name.find_first_not_of(letters) == std::string_view::npos;
}

bool is_directory(Engine const& engine) { return engine.open == open_files || engine.open == open_blades; }

/// The part after `name:` or `name://`.
std::string place_of(Engine const& engine, std::string const& text) {
  if (engine.place == Where::url) return text;
  std::string place = text.substr(engine.name.size() + 1);
  if (place.compare(0, 2, "//") == 0) place.erase(0, 2);
  bool const wanted = engine.place == Where::path;
  if (place.empty() == wanted)
    throw Failure{
        Exit::usage, "invalid_argument",
        wanted ? fmt::format("--store: the {} is empty", is_directory(engine) ? "directory" : "file")
               : fmt::format("--store: '{}' names a place, but memory has no places", text),
        wanted ? (is_directory(engine) ? "name a directory" : "name a file: sqlite:FILE") : "write memory:"};
  return place;
}

}

void refuse_database(std::string const& path) {
  if (is_sqlite_file(path))
    throw Failure{Exit::usage, "unsupported_store", fmt::format("'{}' is an SQLite database", path),
                  "name it as one: sqlite:" + path};
}

StoreAddress parse_address(std::string const& text) {
  auto const colon = text.find(':');
  auto const* engine = colon == std::string::npos ? nullptr : find_engine(text.substr(0, colon));
  if (engine == nullptr && colon != std::string::npos && looks_like_engine(text.substr(0, colon)))
    throw Failure{Exit::usage, "unsupported_store",
                  fmt::format("this program has no '{}' stores", text.substr(0, colon)),
                  fmt::format("name {}; for a directory of that name: file:{}", engine_names(), text)};
  if (engine == nullptr) return {"file", place_of(engines[0], "file:" + text)};
  if (engine->open == nullptr)
    throw Failure{Exit::usage, "unsupported_store",
                  fmt::format("this program was built without '{}' stores", engine->name),
                  fmt::format("{}; it has {}", engine->fix, engine_names())};
  return {std::string(engine->name), place_of(*engine, text)};
}

std::string shown(StoreAddress const& address) {
  if (address.is_files()) return address.place;
  auto const& engine = *find_engine(address.engine);
  if (engine.place != Where::url) return fmt::format("{}:{}", address.engine, address.place);
  std::string url = address.place;
  auto const begin = std::min(url.find("://"), url.size() - 3) + 3;
  if (auto const at = url.rfind('@'); at != std::string::npos && at >= begin) {
    auto const user = std::min(url.find(':', begin), at);
    url.replace(user < at ? user + 1 : begin, at - (user < at ? user + 1 : begin), "***");
  }
  constexpr std::string_view word = "password="; // sslpassword too
  for (auto found = url.find(word); found != std::string::npos; found = url.find(word, found + word.size())) {
    auto const value = found + word.size();
    url.replace(value, std::min(url.find('&', value), url.size()) - value, "***");
  }
  return url;
}

std::string full_name(StoreAddress const& address) {
  auto absolute = address;
  std::error_code unknown;
  auto const path = fs::absolute(address.place, unknown);
  if (find_engine(address.engine)->place == Where::path && !unknown) {
    auto const resolved = fs::weakly_canonical(path, unknown);
    absolute.place = (unknown ? path.lexically_normal() : resolved).string();
  }
  return address.engine + ' ' + shown(absolute);
}

std::optional<std::string> program_of_store(StoreAddress const& address) {
  auto const& engine = *find_engine(address.engine);
  if (engine.place != Where::path) return std::nullopt;
  auto importers = all_importers();
  if (engine.open == open_blades) // its sessions are such documents
    importers.erase(std::remove(importers.begin(), importers.end(), &sk::blades_importer()), importers.end());
  return foreign_program(address.place, std::move(importers));
}

sk::Result<StorePtr> open_store(StoreAddress const& address, OpenOptions const& options) {
  auto const& engine = *find_engine(address.engine);
  if (auto const program = program_of_store(address)) {
    if (options.create) return refusal_to_write(address.place, *program);
    sk::ForeignStoreOptions foreign;
    foreign.on_event = options.on_event;
    auto opened = open_foreign_store(address.place, std::move(foreign));
    return opened ? Opened(*std::move(opened)) : opened.error();
  }
  OpenOptions wanted = options;
  if (wanted.read_only) wanted.create = wanted.adopt = false;
  auto store = engine.open(address.place, wanted);
  if (store && wanted.read_only && !address.is_files())
    return StorePtr(std::make_shared<ReadOnly>(std::move(*store)));
  if (!store && store.error().code == sk::Errc::not_found && engine.place == Where::url)
    throw Failure{Exit::not_found, "not_found", store.error().message}; // a server knows best what is missing
  return store;
}

sk::Result<std::size_t> reindex_store(StoreAddress const& address, OpenOptions const& options,
                                      sk::StoreProgress const& progress) {
  auto const& engine = *find_engine(address.engine);
  if (auto const program = program_of_store(address)) return refusal_to_write(address.place, *program);
  if (engine.reindex != nullptr) return engine.reindex(address.place, options, progress);
  throw Failure{Exit::usage, "unsupported",
                fmt::format("reindex works on stores of files and in Redis, not on '{}'", shown(address)),
                "a database keeps its own indexes"};
}

}
