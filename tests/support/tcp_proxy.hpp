// SPDX-License-Identifier: MIT
// A connection between a client and a server on loopback that fails on request.
#pragma once
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

namespace sessionkit_test {

class TcpProxy {
 public:
  enum Direction { to_server, to_client };

  explicit TcpProxy(int server_port);
  TcpProxy(TcpProxy const&) = delete;
  TcpProxy& operator=(TcpProxy const&) = delete;
  ~TcpProxy();

  int port() const noexcept { return port_; }

  /// From now on this many bytes go that way, then the connection ends; `for_good`: and with it all others,
  /// until `restore`.
  void cut_after(Direction direction, std::int64_t bytes, bool for_good);
  void restore();
  bool was_cut() const noexcept { return cut_; }
  /// Bytes that were sent that way since the last `cut_after` or `restore`.
  std::int64_t bytes(Direction direction) const noexcept { return moved_[direction]; }

  /// For `StoreUnderTest::fail_call`: a call is what a client sends at once. A single failing call reaches
  /// the server and its answer is lost; of a permanent failure nothing arrives, nor of later calls.
  bool fail_call(std::int64_t n, bool sticky);

 private:
  struct Pair {
    int client, server;
    bool answers = true; ///< the server's bytes still reach the client
  };
  void run();
  void accept_one();
  bool pass(Pair& pair, Direction direction);
  bool fails(Pair& pair);
  void end(Pair& pair);

  int server_port_, listener_, port_;
  std::atomic<bool> stop_{false}, cut_{false};
  std::atomic<std::int64_t> moved_[2] = {0, 0};
  std::mutex mutex_; // of what is below
  std::int64_t cut_at_[2] = {-1, -1};
  bool for_good_ = false, dead_ = false;
  std::int64_t call_ = 0, fail_at_ = -1;
  bool sticky_ = false, fired_ = false;
  std::list<Pair> pairs_;
  std::thread thread_;
};

}
