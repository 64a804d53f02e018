// SPDX-License-Identifier: MIT
// A correct host, and its accidents: it stores through Session, answers every call
// before it asks again, and sometimes crashes, aborts, compacts or goes back. It never stores a result after
// the turn continued.
#pragma once
#include "support/mortal_store.hpp"
#include "support/random.hpp"

#include <sessionkit/memory_store.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/session.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

/// A log of a correct host.
struct HonestLog {
  std::shared_ptr<sk::SessionStore> store;
  sk::SessionId id;
  sk::Target target;                        ///< for which it asked
  std::map<std::string, std::string> asked; ///< the entry that was last, and the messages that were sent then
  std::size_t crashes = 0, aborts = 0, compactions = 0, rewinds = 0;
};

class HonestHost {
 public:
  explicit HonestHost(std::uint64_t seed, sk::Provider provider = sk::Provider::anthropic) : random_(seed) {
    log_.target.provider = provider;
    if (random_.one_in(2)) log_.target.model = provider == sk::Provider::gemini ? "gemini-2.5-pro" : "m1";
    log_.target.system = "be brief";
    static sk::Profile const profiles[] = {sk::profiles::native, sk::profiles::native, sk::profiles::native,
                                           sk::profiles::ai_panel, sk::profiles::claw0};
    options_.profile = profiles[random_.below(std::size(profiles))];
    options_.ids = [this] { return "e" + std::to_string(++ids_); };
    options_.clock = [] { return sk::from_unix_ms(1767225600000); };
    is_native_ = options_.profile->dialect == "native";
    thinks_ = options_.profile->dialect != "flat"; // which has no lines for reasoning
    signs_calls_ = provider == sk::Provider::gemini && options_.profile->dialect != "panel";
    knows_leaf_ = options_.profile->timing == sk::WriteTiming::incremental;
  }

  HonestLog run(std::size_t turns = 6) {
    store_ = std::make_shared<MortalStore>(sk::make_memory_store());
    log_.store = store_;
    session_.emplace(sk::Session::create(store_, {}, options_).value());
    log_.id = session_->id();
    for (std::size_t i = 0; i < turns; ++i) {
      turn();
      if (thinks_ && random_.one_in(10)) compact();
      if (is_native_ && random_.one_in(12)) go_back();
    }
    return std::move(log_);
  }

 private:
  enum class End { done, aborted, crashed };

  std::string text(char const* kind) { return kind + std::to_string(++marks_); }

  void turn() {
    turn_calls_ = 0;
    if (is_native_ && random_.one_in(8)) session_->append_entry(sk::ModelChange{"p", "m2"}).value();
    if (is_native_ && random_.one_in(8))
      session_->append_entry(sk::CustomMessage{"note", {sk::Text{text("note ")}}}).value();
    std::optional<sk::Turn> turn(session_->begin_turn());
    End const end = talk(*turn);
    if (end == End::done) return turn->commit().value();
    if (end == End::aborted) {
      ++log_.aborts;
      if (random_.one_in(2)) return turn->abort().value();
      return turn.reset(); // the destructor aborts too
    }
    ++log_.crashes;
    store_->die();
    turn.reset();
    session_.reset();
    store_->live();
    session_.emplace(sk::Session::open(store_, log_.id, options_).value());
  }

  // The user speaks, then answers and results until an answer calls no tool.
  End talk(sk::Turn& turn) {
    sk::Message question = sk::user(text("ask "));
    if (random_.one_in(10)) question.parts.emplace_back(sk::Image{"image/png", sk::Base64{"QUJD"}});
    turn.append(question).value();
    if (random_.one_in(20)) return End::crashed;
    for (std::size_t rounds = random_.below(4); rounds > 0; --rounds) {
      ask();
      End const end = random_.one_in(12) ? cut_short(turn, 1 + random_.below(2)) : use_tools(turn);
      if (end != End::done) return end;
    }
    ask();
    if (random_.one_in(12)) return cut_short(turn, random_.below(2));
    if (random_.one_in(10)) turn.append(answer(sk::StopReason::error, 0)).value(), ask();
    turn.append(answer(sk::StopReason::end_turn, 0)).value();
    return random_.one_in(20) ? End::crashed : End::done;
  }

  // The request now must equal the one computed later from the log alone.
  void ask() {
    std::string sent = session_->request(log_.target).value().messages;
    if (knows_leaf_) log_.asked[session_->leaf().str()] = std::move(sent);
  }

  End cut_short(sk::Turn& turn, std::size_t calls) {
    turn.append(answer(sk::StopReason::aborted, calls)).value();
    return random_.one_in(4) ? End::crashed : End::aborted;
  }

  End use_tools(sk::Turn& turn) {
    sk::Message const asked = answer(sk::StopReason::tool_use, 1 + random_.below(3));
    turn.append(asked).value();
    auto calls = asked.tool_uses();
    while (!calls.empty()) {
      if (random_.one_in(25)) return random_.one_in(2) ? End::crashed : End::aborted;
      std::vector<sk::ToolResult> results;
      do { // one at a time or several, in any order
        std::size_t const next = random_.below(calls.size());
        results.push_back(result_of(*calls[next]));
        calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(next));
      } while (!calls.empty() && random_.one_in(3));
      turn.append(sk::tool_results(std::move(results))).value();
    }
    return End::done;
  }

  sk::ToolResult result_of(sk::ToolUse const& call) {
    sk::ToolResult result{call.id, call.name, {}, random_.one_in(9)};
    if (!random_.one_in(9)) result.content.emplace_back(sk::Text{text("found ")});
    if (random_.one_in(9)) result.content.emplace_back(sk::Image{"image/png", sk::Base64{"QUJD"}});
    return result;
  }

  sk::Message answer(sk::StopReason stop, std::size_t calls) {
    sk::Message message = sk::assistant();
    if (thinks_ && random_.one_in(3)) message.parts.emplace_back(sk::Thinking{text("think "), signature()});
    if (calls == 0 || random_.one_in(2))
      message.parts.emplace_back(sk::Text{text("say ") + (random_.one_in(4) ? " " : "")});
    for (std::size_t i = 0; i < calls; ++i) message.parts.emplace_back(call(i == 0));
    message.generation = sk::Generation{vendor(), random_.one_in(3) ? "m2" : "m1"};
    message.generation->stop = stop;
    return message;
  }

  char const* vendor() const {
    if (log_.target.provider == sk::Provider::anthropic) return "anthropic";
    return log_.target.provider == sk::Provider::gemini ? "google" : "openai";
  }
  std::string signature() {
    if (log_.target.provider != sk::Provider::openai_responses) return "c2ln";
    return R"({"type":"reasoning","summary":[],"encrypted_content":"g","id":")" + text("rs_") + "\"}";
  }

  // Ids that are unique, or that restart in each turn, as with some models.
  sk::ToolUse call(bool first) {
    std::string id = random_.one_in(2) ? text("toolu_") : "call_" + std::to_string(++turn_calls_);
    std::string const input = random_.one_in(4) ? "{}" : "{\"n\":" + std::to_string(++marks_) + "}";
    bool const is_signed = signs_calls_ && first && random_.one_in(2);
    return {std::move(id), "read", sk::RawJson::from(input), is_signed ? "QUJD" : ""};
  }

  // A cut separates no result from its call.
  static bool begins_a_group(sk::Entry const& entry) {
    auto const* message = entry.as<sk::Message>();
    return message && (message->role == sk::Role::user || message->role == sk::Role::assistant);
  }

  void compact() {
    auto const path = session_->path().value();
    std::size_t keep = is_native_ ? random_.below(path.size() + 1) : path.size();
    while (keep < path.size() && !begins_a_group(path[keep])) ++keep;
    sk::EntryId const first = keep < path.size() ? path[keep].id : sk::EntryId{};
    session_->append_entry(sk::Compaction{text("so far "), first}).value();
    ++log_.compactions;
  }

  // The person changes an earlier message: the log branches.
  void go_back() {
    auto const path = session_->path().value();
    std::size_t const at = random_.below(path.size());
    auto const* message = path[at].as<sk::Message>();
    if (!message || message->role != sk::Role::user || at == 0) return;
    session_->rewind(path[at - 1].id).value();
    ++log_.rewinds;
  }

  Random random_;
  HonestLog log_{nullptr, sk::SessionId::parse("none").value(), {}, {}};
  sk::SessionOptions options_;
  bool is_native_ = true, thinks_ = true, signs_calls_ = false, knows_leaf_ = true;
  std::shared_ptr<MortalStore> store_;
  std::optional<sk::Session> session_;
  int marks_ = 0, turn_calls_ = 0, ids_ = 0;
};

}
