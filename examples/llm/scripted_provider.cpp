// SPDX-License-Identifier: MIT
#include "parrot.hpp"
#include "scripted_provider.hpp"
#include "wire_json.hpp"

#include <sessionkit/ids.hpp>
#include <sessionkit/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace llm {

namespace sk = sessionkit;
using std::chrono::milliseconds;

namespace {

constexpr FailureKind kinds[] = {FailureKind::refused,      FailureKind::context_exceeded,
                                 FailureKind::unauthorized, FailureKind::rate_limited,
                                 FailureKind::overloaded,   FailureKind::unavailable,
                                 FailureKind::cut,          FailureKind::malformed};

std::optional<Failure> failure_in(Json const& error) {
  for (auto const kind : kinds)
    if (text_of(error, "kind") == to_string(kind)) {
      Failure failure{kind, std::string(text_of(error, "message"))};
      if (member(error, "retry_after_ms").is_number())
        failure.retry_after = milliseconds(count_of(error, "retry_after_ms"));
      return failure;
    }
  return std::nullopt;
}

std::optional<ScriptStep> step_in(Json const& json) {
  if (!json.is_object()) return std::nullopt;
  ScriptStep step;
  step.when = text_of(json, "when");
  step.thinking = text_of(json, "thinking");
  step.text = text_of(json, "text");
  step.summary = member(json, "summary") == true;
  if (auto const chunk = count_of(json, "chunk"); chunk != 0) step.chunk = chunk;
  step.delay = milliseconds(count_of(json, "delay_ms"));
  if (member(json, "late_ms").is_number()) step.latest = milliseconds(count_of(json, "late_ms"));
  for (auto const& call : member(json, "tools")) {
    auto const& input = member(call, "input");
    step.calls.push_back({std::string(text_of(call, "name")),
                          input.is_string() ? input.get<std::string>() : sk::to_raw_json(input).str()});
  }
  if (member(json, "cut") == true)
    step.failure = Failure{FailureKind::cut, "the script cuts the stream here"};
  if (!member(json, "error").is_null() && !(step.failure = failure_in(member(json, "error"))))
    return std::nullopt;
  return step;
}

/// The first place from `at` on that cuts no code point: JSON, and so a provider's delta, contains complete
/// ones.
std::size_t code_point_from(std::string const& text, std::size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80) ++at;
  return std::min(at, text.size());
}

/// Collects an answer as it is played, and reports its pieces to a listener.
class Playing {
 public:
  explicit Playing(OnEvent const& on_event) : on_event_(on_event) {}

  void thinking(std::string_view piece) {
    builder_.thinking(piece);
    tell(ThinkingDelta{std::string(piece)});
  }
  void text(std::string_view piece) {
    builder_.text(piece);
    tell(TextDelta{std::string(piece)});
  }
  void begin_call(std::string const& name) {
    call_ = "call_" + sk::random_entry_id();
    builder_.begin_tool_use(call_, name);
    tell(ToolUseBegin{call_, name});
  }
  void input(std::string_view piece) {
    builder_.tool_input(piece);
    tell(ToolInputDelta{call_, std::string(piece)});
  }

  Answer finish(std::optional<Failure> failure) && {
    if (failure)
      generation.stop =
          failure->kind == FailureKind::cancelled ? sk::StopReason::aborted : sk::StopReason::error;
    return {std::move(builder_).finish(std::move(generation)), std::move(failure)};
  }

  sk::Generation generation = {};

 private:
  void tell(Event const& event) const {
    if (on_event_) on_event_(event);
  }

  OnEvent const& on_event_;
  sk::MessageBuilder builder_;
  std::string call_; ///< the id of the last call
};

/// Waits until the next delta of an answer is to come.
class Pace {
 public:
  Pace(ScriptStep const& step, Sleep const& sleep) : step_(step), sleep_(sleep) {}

  void wait(CancelToken const& cancel) {
    if (step_.delay.count() == 0) return;
    if (!step_.latest) return sleep_(step_.delay, cancel);
    due_ += step_.delay;
    auto const left = std::chrono::floor<milliseconds>(due_ - Clock::now());
    if (left.count() > 0) sleep_(left, cancel);
    late_ = std::max(late_, std::chrono::floor<milliseconds>(Clock::now() - due_));
  }

  /// That a delta came too late.
  std::optional<Failure> failure() const {
    if (!step_.latest || late_ <= *step_.latest) return std::nullopt;
    return Failure{FailureKind::unavailable,
                   fmt::format("a delta came {} ms after its deadline", late_.count())};
  }

 private:
  using Clock = std::chrono::steady_clock;

  ScriptStep const& step_;
  Sleep const& sleep_;
  Clock::time_point due_ = Clock::now();
  milliseconds late_{0}; ///< the latest delta
};

class ScriptedProvider final : public Provider {
 public:
  explicit ScriptedProvider(ScriptedOptions options)
      : options_(std::move(options)), played_(options_.steps.size()) {}

  sk::Provider format() const noexcept override { return sk::Provider::anthropic; }
  std::string name() const override { return "scripted"; }

  Answer generate(Request const& request, OnEvent const& on_event, CancelToken const& cancel) override {
    Playing playing(on_event);
    auto& generation = playing.generation;
    generation.provider = name();
    generation.model = request.model;
    generation.api = "anthropic-messages";
    std::size_t const tokens = (request.parts.system.size() + request.parts.messages.size()) / 4;
    generation.usage = sk::Usage{tokens};
    if (tokens > options_.window)
      return std::move(playing).finish(
          Failure{FailureKind::context_exceeded,
                  fmt::format("prompt is too long: {} tokens > {} maximum", tokens, options_.window), 400});

    auto const messages = parse_json(request.parts.messages).value_or(Json());
    if (auto const objection = objection_to(messages); !objection.empty())
      return std::move(playing).finish(
          Failure{FailureKind::refused, "the model refused the history: " + objection, 400});
    auto const step = next_step(parse_json(request.parts.system).value_or(Json()), messages);
    auto const late = play(step, playing, cancel);
    generation.usage->output = step.text.size() / 4;
    generation.stop = step.calls.empty() ? sk::StopReason::end_turn : sk::StopReason::tool_use;
    if (cancel.cancelled()) return std::move(playing).finish(Failure{FailureKind::cancelled, "cancelled"});
    return std::move(playing).finish(step.failure ? step.failure : late);
  }

 private:
  ScriptStep next_step(Json const& system, Json const& messages) {
    bool const summary = asks_for_summary(system, messages);
    auto const heard = text_in(member(messages.back(), "content"));
    {
      std::lock_guard const lock(mutex_);
      for (std::size_t i = 0; i < played_.size(); ++i) {
        auto const& step = options_.steps[i];
        if (played_[i] || step.summary != summary || heard.find(step.when) == std::string::npos) continue;
        played_[i] = true;
        return step;
      }
    }
    auto step = summary ? improvise_summary(messages) : improvise(messages);
    step.delay = options_.delay;
    return step;
  }

  /// The failure of an answer that was too slow.
  std::optional<Failure> play(ScriptStep const& step, Playing& into, CancelToken const& cancel) const {
    Pace pace(step, options_.sleep);
    auto const pieces = [&](std::string const& text, auto const& say) {
      for (std::size_t i = 0, end = 0; i < text.size() && !cancel.cancelled(); i = end) {
        end = options_.stream ? code_point_from(text, i + step.chunk) : text.size();
        pace.wait(cancel);
        if (!cancel.cancelled()) say(std::string_view(text).substr(i, end - i));
      }
    };
    pieces(step.thinking, [&](std::string_view piece) { into.thinking(piece); });
    pieces(step.text, [&](std::string_view piece) { into.text(piece); });
    for (auto const& call : step.calls) {
      if (cancel.cancelled()) return std::nullopt;
      into.begin_call(call.name);
      pieces(call.input, [&](std::string_view piece) { into.input(piece); });
    }
    return pace.failure();
  }

  ScriptedOptions options_;
  std::mutex mutex_;
  std::vector<bool> played_; ///< under `mutex_`
};

}

sk::Result<std::vector<ScriptStep>> parse_script(std::string_view text) {
  std::vector<ScriptStep> steps;
  for (std::size_t number = 1; !text.empty(); ++number) {
    auto const line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto const json = parse_json(line);
    auto step = json ? step_in(*json) : std::nullopt;
    if (!step)
      return sk::Error{sk::Errc::invalid_argument, 0,
                       fmt::format("line {} of the script is not an answer", number)};
    steps.push_back(std::move(*step));
  }
  return steps;
}

std::shared_ptr<Provider> make_scripted_provider(ScriptedOptions options) {
  return std::make_shared<ScriptedProvider>(std::move(options));
}

}
