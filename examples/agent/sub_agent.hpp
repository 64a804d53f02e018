// SPDX-License-Identifier: MIT
#pragma once
#include "agent.hpp"

#include <string>

namespace agent {

/// Where a sub-agent works.
enum class SubAgentSession {
  copy,   ///< in a copy of the conversation: only its answer comes back, as the result of the call
  shared, ///< in the session of the agent that calls it, as blades' sub-agents do: its task, its calls and
          ///< its answers are stored there, before the call
};

/// A tool that gives a task to another agent, which sees the conversation as the caller saw it. The result of
/// the call is its answer. A record of the task, the steps and the tokens it took is stored after the turn.
Tool make_sub_agent(Agent worker, SubAgentSession where = SubAgentSession::copy,
                    std::string name = "sub_agent");

}
