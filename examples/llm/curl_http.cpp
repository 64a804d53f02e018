// SPDX-License-Identifier: MIT
#include "http.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

#include <curl/curl.h>

namespace llm {

namespace {

using namespace std::chrono_literals;

template <auto Free> struct Freed {
  template <class T> void operator()(T* handle) const noexcept { Free(handle); }
};
using Easy = std::unique_ptr<CURL, Freed<curl_easy_cleanup>>;
using Multi = std::unique_ptr<CURLM, Freed<curl_multi_cleanup>>;
using Headers = std::unique_ptr<curl_slist, Freed<curl_slist_free_all>>;

std::string_view trimmed(std::string_view text) {
  auto const blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// The outcome of a transfer without a reply.
HttpReply::Ending ending_without_reply(CURLcode result) {
  constexpr CURLcode hopeless[] = {CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT,
                                   CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE};
  bool const stays = std::find(std::begin(hopeless), std::end(hopeless), result) != std::end(hopeless);
  return stays ? HttpReply::impossible : HttpReply::unreachable;
}

/// One running request.
class Exchange {
 public:
  Exchange(HttpRequest const& request, HttpTimeouts const& timeouts, OnBody const& on_body)
      : on_body_(on_body), easy_(curl_easy_init()) {
    if (!easy_) throw std::bad_alloc();
    for (auto const& header : request.headers) add_header(header.c_str());
    add_header("Expect:"); // send a long body at once, without waiting for "100 Continue"
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTPHEADER, headers_.get());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeouts.connect.count()));
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, std::max(1L, static_cast<long>(timeouts.silence / 1s)));
    set(CURLOPT_WRITEFUNCTION, &Exchange::write);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_HEADERFUNCTION, &Exchange::header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_ERRORBUFFER, static_cast<char*>(said_));
  }

  HttpReply run(CancelToken const& cancel) {
    Multi const multi(curl_multi_init());
    if (!multi || curl_multi_add_handle(multi.get(), easy_.get()) != CURLM_OK) throw std::bad_alloc();
    CURLMcode went_on = CURLM_OK;
    int running = 1;
    while (running != 0 && went_on == CURLM_OK && !cancel.cancelled()) {
      went_on = curl_multi_perform(multi.get(), &running);
      // A cancelled token must end the call within a tenth of a second, and cancelling does not wake us.
      if (running != 0 && went_on == CURLM_OK)
        went_on = curl_multi_poll(multi.get(), nullptr, 0, 50, nullptr);
    }
    CURLcode result = went_on == CURLM_OK ? CURLE_OK : CURLE_OUT_OF_MEMORY;
    int queued = 0;
    if (auto const* const done = curl_multi_info_read(multi.get(), &queued)) result = done->data.result;
    curl_multi_remove_handle(multi.get(), easy_.get());
    if (thrown_) std::rethrow_exception(thrown_);
    if (running != 0 && went_on == CURLM_OK) return end(HttpReply::cancelled, "cancelled");
    if (result == CURLE_OK) return end(HttpReply::complete, "");
    return end(reply_.status == 0 ? ending_without_reply(result) : HttpReply::cut,
               said_[0] != '\0' ? static_cast<char const*>(said_) : curl_easy_strerror(result));
  }

 private:
  template <class Value> void set(CURLoption option, Value value) {
    if (curl_easy_setopt(easy_.get(), option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  }

  void add_header(char const* header) {
    auto* const longer = curl_slist_append(headers_.get(), header);
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(headers_.release());
    headers_.reset(longer);
  }

  HttpReply end(HttpReply::Ending ending, char const* error) {
    reply_.ending = ending;
    reply_.error = error;
    return std::move(reply_);
  }

  static std::size_t header(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    auto& exchange = *static_cast<Exchange*>(self);
    return exchange.guarded(size * count, [&] { exchange.take_header({data, size * count}); });
  }
  static std::size_t write(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    auto& exchange = *static_cast<Exchange*>(self);
    return exchange.guarded(size * count, [&] { exchange.on_body_(exchange.reply_, {data, size * count}); });
  }

  // No exception may pass through libcurl; returning a different count ends the transfer.
  template <class Call> std::size_t guarded(std::size_t count, Call call) noexcept {
    try {
      call();
      return count;
    } catch (...) {
      thrown_ = std::current_exception();
      return count + 1;
    }
  }

  void take_header(std::string_view line) {
    if (line.substr(0, 5) == "HTTP/") { // another reply begins, after a redirect or "100 Continue"
      auto const space = line.find(' ');
      reply_.headers.clear();
      reply_.status = space == std::string_view::npos ? 0 : std::atoi(line.data() + space + 1);
      return;
    }
    auto const colon = line.find(':');
    if (colon == std::string_view::npos) return;
    reply_.headers[lower(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
  }

  OnBody const& on_body_;
  char said_[CURL_ERROR_SIZE] = "";
  Headers headers_;
  Easy easy_;
  HttpReply reply_;
  std::exception_ptr thrown_;
};

class CurlHttp final : public Http {
 public:
  explicit CurlHttp(HttpTimeouts timeouts) : timeouts_(timeouts) {
    // Counted and locked inside libcurl; never undone, because other code may still use it.
    static CURLcode const ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    static_cast<void>(ready);
  }

  HttpReply post(HttpRequest const& request, OnBody const& on_body, CancelToken const& cancel) override {
    return Exchange(request, timeouts_, on_body).run(cancel);
  }

 private:
  HttpTimeouts timeouts_;
};

}

std::shared_ptr<Http> make_curl_http(HttpTimeouts timeouts) { return std::make_shared<CurlHttp>(timeouts); }

}
