// SPDX-License-Identifier: MIT
// docs/guides/async_host.md: many conversations on many threads; the turns of each run one after the other.
#include "expect.hpp"

#include <sessionkit/sessionkit.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using guide::expect;

namespace {

using Answer = sk::Result<std::string>;
using TakeTurn = std::function<Answer(sk::Session&, std::string const&)>;

// [conversation]
// A session and the one thread that uses it. Turns run in the order of the calls to `say`.
class Conversation {
 public:
  Conversation(sk::Session session, TakeTurn take_turn)
      : session_(std::move(session)), take_turn_(std::move(take_turn)), thread_([this] { run(); }) {}
  Conversation(Conversation const&) = delete;
  Conversation& operator=(Conversation const&) = delete;
  ~Conversation() { // finishes the queued turns
    {
      std::lock_guard<std::mutex> const lock(mutex_);
      closing_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  /// May be called on any thread; returns at once.
  std::future<Answer> say(std::string words) {
    std::packaged_task<Answer()> turn(
        [this, words = std::move(words)] { return take_turn_(session_, words); });
    auto answer = turn.get_future();
    {
      std::lock_guard<std::mutex> const lock(mutex_);
      turns_.push_back(std::move(turn));
    }
    wake_.notify_one();
    return answer;
  }

 private:
  void run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return closing_ || !turns_.empty(); });
      if (turns_.empty()) return;
      auto turn = std::move(turns_.front());
      turns_.pop_front();
      lock.unlock();
      turn(); // the model works here, with no lock held
      lock.lock();
    }
  }

  sk::Session session_;
  TakeTurn take_turn_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<Answer()>> turns_;
  bool closing_ = false;
  std::thread thread_; // last: it uses the members above
};
// [conversation]

// [host]
// One store for all threads; one conversation for each key.
class Host {
 public:
  Host(std::shared_ptr<sk::SessionStore> store, TakeTurn take_turn)
      : store_(std::move(store)), take_turn_(std::move(take_turn)) {}

  sk::Result<std::future<Answer>> say(std::string const& key, std::string words) {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto& conversation = conversations_[key];
    if (!conversation) {
      auto session = sk::Session::resume(store_, key);
      if (!session) return session.error();
      conversation = std::make_unique<Conversation>(std::move(*session), take_turn_);
    }
    return conversation->say(std::move(words));
  }

 private:
  std::shared_ptr<sk::SessionStore> store_;
  TakeTurn take_turn_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Conversation>> conversations_;
};
// [host]

// [turn]
// A conversation's thread runs this: a turn, then a compaction if it is due. To give the user the answer
// before the compaction, `take_turn` would return first and compact in a separate task.
Answer take_turn(sk::Session& session, std::string const& words) {
  auto turn = session.begin_turn();
  if (auto const stored = turn.append(sk::user(words)); !stored) return stored.error();
  auto const request = session.request({sk::Provider::anthropic});
  if (!request) return request.error();
  std::string const text = "You said " + words + "."; // ask a model here
  if (auto const stored = turn.append(sk::assistant(text)); !stored) return stored.error();
  if (auto const done = turn.commit(); !done) return done.error();
  auto summarizer = sk::make_summarizer([](sk::SummaryRequest const& asked) -> sk::Result<std::string> {
    return "In short: " + std::to_string(asked.prompt().size()) + " bytes."; // and here
  });
  if (auto const shorter = session.compact(summarizer); !shorter) return shorter.error();
  return text;
}
// [turn]

}

int main() {
  auto const store = sk::open_file_store(guide::fresh_folder("async_host")).value();
  {
    Host host(store, take_turn);
    std::vector<std::future<Answer>> answers;
    for (int i = 0; i < 5; ++i)
      for (std::string const key : {"main:web:ann", "main:web:bob", "main:web:eve"})
        answers.push_back(host.say(key, std::to_string(i)).value());
    for (auto& answer : answers) expect(answer.get().ok(), "each turn is stored");
  }
  for (std::string const key : {"main:web:ann", "main:web:bob", "main:web:eve"}) {
    auto session = sk::Session::resume(store, key).value();
    auto const history = session.history({sk::Provider::anthropic}).value();
    expect(history.messages.size() == 10, "five turns of one conversation");
    for (std::size_t i = 0; i < 5; ++i)
      expect(history.messages[2 * i].text() == std::to_string(i), "turns run in the order of the calls");
  }
}
