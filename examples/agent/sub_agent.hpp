// SPDX-License-Identifier: MIT
#pragma once
#include "agent.hpp"

#include <string>

namespace agent {

/// A tool that gives a task to another agent, which sees the conversation as the caller saw it. Its messages
/// and calls are not part of the session. Its answer is, as the result of the call, and so is a record of
/// the task, the steps and the tokens it took.
Tool make_sub_agent(Agent worker, std::string name = "sub_agent");

}
