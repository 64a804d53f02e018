// SPDX-License-Identifier: MIT
#include "growing_pool.hpp"
#include "problem.hpp"
#include "routes.hpp"
#include "server.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include <httplib.h>
#include <sys/socket.h>

namespace chat_host {

namespace {

constexpr char const* page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

struct PageType {
  std::string_view extension;
  char const* type;
};
constexpr PageType page_types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
};

std::string read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read the page's file " + path + ": --page names its directory");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Serves the files of the page, as they are now: all of its types, and `index.html` at `/`.
void serve_page(httplib::Server& server, std::string const& directory) {
  auto const serve = [&](std::string const& route, std::string const& name, char const* type) {
    server.Get(route, [text = read_file(directory + "/" + name), type](httplib::Request const&,
                                                                       httplib::Response& response) {
      response.set_content(text, type);
    });
  };
  serve("/", "index.html", page_types[0].type);
  for (auto const& file : std::filesystem::directory_iterator(directory))
    for (auto const& each : page_types)
      if (file.path().extension() == each.extension) {
        auto const name = file.path().filename().string();
        serve("/" + name, name, each.type);
      }
}

// Only one server may use a port: by default the HTTP library lets several listen, and each gets some of the
// requests.
void reuse_address(socket_t socket) {
  int const yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

struct Reason {
  int error;
  char const* words;
};
constexpr Reason reasons[] = {
    {EADDRINUSE, ": another program has this port; choose one with --port"},
    {EACCES, ": this port needs privileges; choose one above 1023 with --port"},
    {EADDRNOTAVAIL, ": this machine has no such address; choose one with --host"},
};

std::string why_not(int error) {
  for (auto const& reason : reasons)
    if (reason.error == error) return reason.words;
  return "; check --host and --port";
}

/// A thread for each connection: with a fixed number of them, as many slow clients would keep all others
/// waiting.
class Connections : public httplib::TaskQueue {
 public:
  explicit Connections(std::size_t most) : pool_(most) {}

  // `void` in some versions of the HTTP library, `bool` in others.
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));
  Enqueued enqueue(std::function<void()> answer_one) override {
    pool_.run(std::move(answer_one));
    return Enqueued(true);
  }
  void shutdown() override { pool_.finish(); }

 private:
  GrowingPool pool_;
};

}

struct Server::Http {
  /// With a long queue of connections: the HTTP library's has five places.
  struct Listener : httplib::Server {
    bool widen_queue() { return ::listen(svr_sock_, SOMAXCONN) == 0; }
  };

  ServerOptions options;
  Listener listener = {};
  int port = 0;
  std::thread thread = {};
};

Server::Server(ServerOptions options, Agents const& agents) : http_(new Http{std::move(options)}) {
  auto& listener = http_->listener;
  auto const& wanted = http_->options;
  // One request per connection: the rest of a refused body is never read as the next request, and
  // a silent client cannot keep a thread.
  listener.set_keep_alive_max_count(1);
  listener.set_payload_max_length(wanted.longest_body);
  listener.set_tcp_nodelay(true);
  listener.set_socket_options(reuse_address);
  listener.new_task_queue = [count = wanted.most_connections] { return new Connections(count); };
  listener.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Content-Security-Policy", page_policy},
                                {"Cache-Control", "no-store"}});
  listener.set_error_handler([](httplib::Request const& request, httplib::Response& response) {
    if (response.body.empty() && !request.has_header("Range"))
      answer(response, Problem{response.status, "the request cannot be answered"});
  });
  listener.set_exception_handler(
      [](httplib::Request const&, httplib::Response& response, std::exception_ptr const&) {
        answer(response, Problem{500, "an internal error occurred"});
      });
  serve_page(listener, wanted.page);
  add_routes(listener, agents, wanted.credentials, wanted.longest_body, wanted.prices);

  http_->port = wanted.port;
  if (wanted.port == 0)
    http_->port = listener.bind_to_any_port(wanted.host);
  else if (!listener.bind_to_port(wanted.host, wanted.port))
    http_->port = -1;
  if (http_->port <= 0 || !listener.widen_queue())
    throw std::runtime_error("cannot listen at " + wanted.host + ":" + std::to_string(wanted.port)
                             + why_not(errno));
}

Server::~Server() { stop(); }

int Server::port() const noexcept { return http_->port; }

void Server::start() {
  http_->thread = std::thread([&listener = http_->listener] { listener.listen_after_bind(); });
  // `stop` only reaches a running listener.
  while (!http_->listener.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Server::stop() {
  if (!http_->thread.joinable()) return;
  http_->listener.stop();
  http_->thread.join();
}

}
