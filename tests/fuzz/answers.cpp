// SPDX-License-Identifier: MIT
// The bytes of an answer, for each provider, in pieces that depend on the bytes.
#include "fuzz/fuzz.hpp"
#include "support/answer_checks.hpp"

#include <functional>

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace sessionkit_test;
  std::string const bytes = sessionkit_fuzz::text_of(data, size);
  Random random(std::hash<std::string>{}(bytes));
  for (sk::Provider const provider : {sk::Provider::anthropic, sk::Provider::openai_chat,
                                      sk::Provider::openai_responses, sk::Provider::gemini}) {
    for (std::string const& fault : faults_of_bytes(provider, bytes, random, true))
      sessionkit_fuzz::require(false, fault.c_str(), bytes);
  }
  for (std::string const& fault : faults_of_failure(static_cast<int>(random.below(600)), bytes))
    sessionkit_fuzz::require(false, fault.c_str(), bytes);
  return 0;
}
