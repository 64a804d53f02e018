// SPDX-License-Identifier: MIT
// Appending: the cost of the checks over the write alone, and of durability over the sync alone.
#include "cases.hpp"

#include <sessionkit/sessionkit.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sessionkit_bench {

namespace sk = sessionkit;

namespace {

/// The native line of a message, with a place for its id.
class Line {
 public:
  Line() {
    sk::Entry entry;
    entry.id = sk::EntryId("0000000000000000");
    entry.link = sk::Parent::entry;
    entry.parent = entry.id;
    entry.at = sk::Timestamp{};
    entry.body = sk::user(message_text());
    require(sk::native_dialect().encode(entry, text_).ok(), "cannot write the line");
    id_at_ = text_.find("0000000000000000");
  }
  /// Another id, as the next entry has one.
  void count() {
    for (std::size_t i = id_at_ + 16; ++text_[--i] > '9';) text_[i] = '0';
  }
  std::string const& text() const noexcept { return text_; }
  /// A batch of this line with another id. It lasts until the next call.
  sk::Append next(sk::Position expected) {
    count();
    sk::Append batch;
    batch.expected = expected;
    batch.records.push_back({id(), "message", text_, sk::Parent::entry, "0000000000000000"});
    return batch;
  }

 private:
  std::string_view id() const noexcept { return std::string_view(text_).substr(id_at_, 16); }
  std::string text_;
  std::size_t id_at_ = 0;
};

/// A kept descriptor, and the line with its newline.
class RawFile {
 public:
  explicit RawFile(std::string path) : path_(std::move(path)), line_(Line().text() + '\n') {
    std::size_t const slash = path_.rfind('/');
    name_ = path_.substr(slash + 1);
    directory_ = ::open(path_.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(directory_ >= 0, path_ + ": cannot open its directory");
  }
  RawFile(RawFile const&) = delete;
  RawFile& operator=(RawFile const&) = delete;
  ~RawFile() {
    ::close(descriptor_);
    ::close(directory_);
  }
  void begin() {
    if (descriptor_ >= 0) ::close(descriptor_);
    ::unlink(path_.c_str());
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    require(descriptor_ >= 0, path_ + ": cannot make the file");
  }
  void write() const {
    auto const put = ::write(descriptor_, line_.data(), line_.size());
    require(put == static_cast<ssize_t>(line_.size()), path_ + ": cannot write");
  }
  /// The other questions of an append to the system: is it still this file, did others write, is this still
  /// our process?
  void look() const {
    struct stat now;
    require(::fstatat(directory_, name_.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0, path_ + ": is gone");
    require(::getpid() > 0, "no process");
  }
  void lock() const { require(::flock(descriptor_, LOCK_EX) == 0, "cannot lock"); }
  void unlock() const { require(::flock(descriptor_, LOCK_UN) == 0, "cannot unlock"); }
  void sync() const { require(::fdatasync(descriptor_) == 0, path_ + ": cannot sync"); }

 private:
  std::string path_, name_, line_;
  int directory_ = -1, descriptor_ = -1;
};

/// Appends finished lines to a store, to a new session each time it begins.
class RecordAppender {
 public:
  RecordAppender(std::string root, sk::Durability durability) : root_(std::move(root)) {
    sk::FileStoreOptions options;
    options.durability = durability;
    store_ = value_of(sk::open_file_store(root_, options), "open");
  }
  void begin() {
    if (session_) ::unlink((root_ + "/" + session_->str() + ".jsonl").c_str());
    auto session = value_of(sk::Session::create(store_), "create");
    session_ = std::make_unique<sk::SessionId>(session.id());
    end_ = session.end();
  }
  void append(bool durable) {
    sk::Append batch = line_.next(end_);
    batch.durable = durable;
    end_ = value_of(store_->append(*session_, batch), "append");
  }
  /// The end of a turn whose entries are written.
  void sync(sk::Position end) {
    sk::Append batch;
    batch.expected = end;
    batch.durable = true;
    value_of(store_->append(*session_, batch), "sync");
  }
  sk::Position end() const noexcept { return end_; }

 private:
  std::string root_;
  std::shared_ptr<sk::SessionStore> store_;
  std::unique_ptr<sk::SessionId> session_;
  sk::Position end_;
  Line line_;
};

/// Appends finished lines to a transcript whose lock it keeps, to a new file each time it begins.
class LeasedAppender {
 public:
  explicit LeasedAppender(std::string path) : path_(std::move(path)) {
    sk::FileStoreOptions options;
    options.durability = sk::Durability::os;
    std::string const root = path_ + ".store"; // a store makes the first line of the file
    auto const store = value_of(sk::open_file_store(root, options), "open");
    auto const session = value_of(sk::Session::create(store), "create");
    first_ = root + "/" + session.id().str() + ".jsonl";
    start_ = session.end();
  }
  void begin() {
    writer_.reset();
    std::filesystem::copy_file(first_, path_, std::filesystem::copy_options::overwrite_existing);
    sk::WriterOptions options;
    options.exclusive = true;
    writer_ =
        std::make_unique<sk::TranscriptWriter>(value_of(sk::TranscriptWriter::open(path_, options), "open"));
    end_ = start_;
  }
  void append() { end_ = value_of(writer_->append(line_.next(end_)), "append"); }

 private:
  std::string path_, first_;
  std::unique_ptr<sk::TranscriptWriter> writer_;
  sk::Position start_, end_;
  Line line_;
};

template <class Operation> std::function<void(std::size_t)> times(Operation operation) {
  return [operation](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) operation();
  };
}

}

void measure_append(Workbench& bench) {
  constexpr std::size_t batch = 1000;
  RawFile raw(bench.path("raw")), locked(bench.path("locked")), checked(bench.path("checked"));
  RecordAppender records(bench.path("records"), sk::Durability::os);
  LeasedAppender leased(bench.path("leased"));
  auto const store = value_of(sk::open_file_store(bench.path("messages"), {}), "open");
  std::unique_ptr<sk::Session> session;
  sk::Message const message = sk::user(message_text());

  Contest contest;
  auto const limit = contest.add("write()", times([&] { raw.write(); }), batch, [&] { raw.begin(); });
  auto const lock = contest.add("flock, write(), unlock", times([&] {
                                  locked.lock();
                                  locked.write();
                                  locked.unlock();
                                }),
                                batch, [&] { locked.begin(); });
  auto const calls = contest.add("the five calls", times([&] {
                                   checked.lock();
                                   checked.look();
                                   checked.write();
                                   checked.unlock();
                                 }),
                                 batch, [&] { checked.begin(); });
  auto const record =
      contest.add("finished line", times([&] { records.append(false); }), batch, [&] { records.begin(); });
  auto const lease = contest.add("finished line, lock kept", times([&] { leased.append(); }), batch,
                                 [&] { leased.begin(); });
  auto const whole =
      contest.add("message", times([&] { value_of(session->append(message), "append"); }), batch, [&] {
        session = std::make_unique<sk::Session>(value_of(sk::Session::create(store), "create"));
      });
  contest.run();
  bench.report_speed("append.line", "finished line with every check, speed over write()", contest, record,
                     limit, 0.35);
  bench.report_speed("append.line_flock", "the same, speed over flock, write(), unlock", contest, record,
                     lock, 0.6);
  bench.report_speed("append.line_calls", "the same, speed over its five system calls alone", contest, record,
                     calls);
  bench.report_speed("append.calls", "these five system calls: speed over write()", contest, calls, limit);
  bench.report_speed("append.flock", "flock, write(), unlock: speed over write()", contest, lock, limit);
  bench.report_speed("append.leased", "finished line by a writer that keeps the lock, speed over write()",
                     contest, lease, limit, 0.5);
  bench.report_speed("append.message", "Session::append of the message, speed over write()", contest, whole,
                     limit);
}

void measure_durable_append(Workbench& bench) {
  constexpr std::size_t batch = 40;
  RawFile raw(bench.path("raw"));
  RecordAppender records(bench.path("durable"), sk::Durability::entry);
  RecordAppender turns(bench.path("turns"), sk::Durability::turn);
  Contest contest;
  auto const write_and_sync = [&] {
    raw.write();
    raw.sync();
  };
  auto const limit = contest.add("write(), fdatasync()", times(write_and_sync), batch, [&] { raw.begin(); });
  auto const durable =
      contest.add("durable append", times([&] { records.append(false); }), batch, [&] { records.begin(); });
  auto const turn = contest.add("turn", times([&] { turns.append(true); }), batch, [&] { turns.begin(); });
  contest.run();
  bench.reported("append.durable", "durable append, over write() and fdatasync()", contest, durable, limit,
                 1.15);
  bench.reported("append.turn", "durable append that ends a turn, and so updates the index", contest, turn,
                 limit);
}

void measure_group_commit(Workbench& bench) {
  constexpr std::size_t batch = 160; // messages of all writers
  RecordAppender alone(bench.path("alone"), sk::Durability::turn),
      shared(bench.path("shared"), sk::Durability::turn);
  std::mutex mutex;
  auto const turn = [&mutex](RecordAppender& appender) {
    sk::Position end;
    {
      std::lock_guard<std::mutex> const lock(mutex); // one conversation: entries come one after the other
      appender.append(false);
      end = appender.end();
    }
    appender.sync(end);
  };
  auto const writers = [&](RecordAppender& appender, std::size_t count) {
    return [&turn, &appender, count](std::size_t messages) {
      std::vector<std::thread> threads;
      for (std::size_t i = 0; i < count; ++i)
        threads.emplace_back([&] {
          for (std::size_t k = 0; k < messages / count; ++k) turn(appender);
        });
      for (std::thread& thread : threads) thread.join();
    };
  };
  Contest contest;
  auto const one = contest.add("1 writer", writers(alone, 1), batch, [&] { alone.begin(); });
  auto const eight = contest.add("8 writers", writers(shared, 8), batch, [&] { shared.begin(); });
  contest.run();
  bench.report_speed("append.group", "8 writers of durable messages, speed over one", contest, eight, one,
                     2.5);
}

}
