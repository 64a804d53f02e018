// SPDX-License-Identifier: MIT
#pragma once
#include <llm/provider.hpp>
#include <memory>

namespace chat_host {

/// A provider that is asked once more, with words in place of the pictures, where it refuses a request that
/// has some: a picture that it cannot read, or that is no longer at its address, would else stand in the
/// history and have every later request refused.
std::shared_ptr<llm::Provider> forgive_pictures(std::shared_ptr<llm::Provider> provider);

}
