// SPDX-License-Identifier: MIT
#include "http_provider.hpp"

#include <charconv>
#include <string_view>
#include <utility>

namespace llm {

namespace {

namespace sk = sessionkit;
using std::chrono::milliseconds;

/// Seconds; providers send no dates.
std::optional<milliseconds> retry_after(HttpReply const& reply) {
  auto const header = [&](char const* name) -> std::optional<unsigned> {
    auto const found = reply.headers.find(name);
    if (found == reply.headers.end()) return std::nullopt;
    auto const& text = found->second;
    unsigned value = 0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || value > 86400000) return std::nullopt;
    return value;
  };
  if (auto const ms = header("retry-after-ms")) return milliseconds(*ms);
  if (auto const seconds = header("retry-after")) return std::chrono::seconds(*seconds);
  return std::nullopt;
}

Failure to_failure(sk::AnswerFailure const& failure, int status) {
  return {failure.kind, failure.message, status};
}

std::optional<Failure> failure_of(HttpReply const& reply, std::string const& body,
                                  sk::StreamDecoder const& decoder) {
  if (reply.status != 0 && reply.status != 200) {
    auto failure = to_failure(sk::decode_failure(reply.status, body), reply.status);
    failure.retry_after = retry_after(reply);
    return failure;
  }
  if (decoder.failure() && decoder.failure()->kind != FailureKind::cut)
    return to_failure(*decoder.failure(), 0);
  if (decoder.complete()) return std::nullopt; // the end of the connection no longer matters
  switch (reply.ending) {
  case HttpReply::cancelled: return Failure{FailureKind::cancelled, "cancelled"};
  case HttpReply::unreachable: return Failure{FailureKind::unavailable, reply.error};
  case HttpReply::impossible: return Failure{FailureKind::refused, reply.error};
  case HttpReply::cut: return Failure{FailureKind::cut, reply.error, reply.status};
  case HttpReply::complete: break;
  }
  return Failure{FailureKind::cut, "the stream ended before the answer did", reply.status};
}

/// Some servers repeat the key that they refuse.
std::optional<Failure> without_key(std::optional<Failure> failure, std::string const& key) {
  constexpr std::string_view instead = "[key]";
  constexpr std::size_t shortest_key = 8; // a shorter one is no secret, but part of many words
  if (!failure || key.size() < shortest_key) return failure;
  auto& text = failure->message;
  for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + instead.size()))
    text.replace(at, key.size(), instead);
  return failure;
}

class HttpProvider final : public Provider {
 public:
  HttpProvider(std::shared_ptr<Http> http, WireFormat const& format, std::string base_url, std::string key,
               bool stream)
      : http_(std::move(http)),
        format_(format),
        base_url_(std::move(base_url)),
        key_(std::move(key)),
        stream_(stream) {
    if (base_url_.empty()) base_url_ = format_.base_url;
    while (!base_url_.empty() && base_url_.back() == '/') base_url_.pop_back();
  }

  sessionkit::Provider format() const noexcept override { return format_.format; }
  std::string name() const override { return std::string(format_.provider); }

  Answer generate(Request const& request, OnEvent const& on_event, CancelToken const& cancel) override {
    sk::StreamDecoder decoder(format_.format, [&on_event](sk::AnswerPiece const& piece) {
      if (on_event) on_event(event_of(piece));
    });
    std::string refusal;
    constexpr std::size_t longest_refusal = 1U << 16;
    auto const on_body = [&](HttpReply const& so_far, std::string_view bytes) {
      if (so_far.status == 200)
        decoder.feed(bytes);
      else if (refusal.size() < longest_refusal)
        refusal += bytes;
    };
    auto const reply = http_->post(http_request(request), on_body, cancel);
    Answer answer{decoder.finish()};
    answer.failure = without_key(failure_of(reply, refusal, decoder), key_);
    auto& generation = *answer.message.generation;
    generation.provider = format_.provider;
    if (generation.model.empty()) generation.model = request.model;
    if (answer.failure)
      generation.stop =
          answer.failure->kind == FailureKind::cancelled ? sk::StopReason::aborted : sk::StopReason::error;
    return answer;
  }

 private:
  HttpRequest http_request(Request const& request) const {
    HttpRequest made{base_url_ + format_.path(request, stream_), format_.headers(key_),
                     format_.body(request, stream_)};
    made.headers.insert(made.headers.begin(),
                        {"content-type: application/json",
                         stream_ ? "accept: text/event-stream" : "accept: application/json"});
    return made;
  }

  std::shared_ptr<Http> http_;
  WireFormat format_;
  std::string base_url_, key_;
  bool stream_;
};

}

std::shared_ptr<Provider> make_http_provider(std::shared_ptr<Http> http, WireFormat const& format,
                                             std::string base_url, std::string key, bool stream) {
  return std::make_shared<HttpProvider>(std::move(http), format, std::move(base_url), std::move(key), stream);
}

}
