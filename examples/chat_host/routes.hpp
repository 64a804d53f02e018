// SPDX-License-Identifier: MIT
#pragma once
#include "problem.hpp"
#include "server.hpp"

namespace httplib {
class Server;
struct Response;
}

namespace chat_host {

void answer(httplib::Response& response, Problem const& problem);

/// Adds all routes of `/api/`. The arguments must live as long as the server.
void add_routes(httplib::Server& server, Agents const& agents, std::vector<Credential> const& credentials,
                std::size_t longest_body, std::optional<Prices> prices = {});

}
