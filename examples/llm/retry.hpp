// SPDX-License-Identifier: MIT
#pragma once
#include "provider.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace llm {

/// Waits for the given time, or until `cancel` is cancelled.
using Sleep = std::function<void(std::chrono::milliseconds, CancelToken const& cancel)>;
/// A number in [0, 1).
using Random = std::function<double()>;

struct RetryPolicy {
  unsigned attempts = 5;                     ///< in all
  std::chrono::milliseconds first_wait{500}; ///< doubled for each further attempt
  std::chrono::milliseconds longest_wait{30000};
  /// A provider that asks for a longer pause than this is not asked again.
  std::chrono::milliseconds longest_retry_after{120000};
};

/// How long to wait after the failed attempt `attempt` (the first is 1); absent if a retry does not help.
/// The pause that the provider asks for has priority; else the wait doubles, minus a random half, so that
/// many clients do not come back at once.
std::optional<std::chrono::milliseconds> plan_retry(RetryPolicy const& policy, Failure const& failure,
                                                    unsigned attempt, double random);

/// Sleeps on the wall clock.
void sleep_for(std::chrono::milliseconds time, CancelToken const& cancel);
/// From the system's entropy.
double random_fraction();

/// Asks `inner` again if a request failed for a temporary reason before any part of an answer arrived.
std::shared_ptr<Provider> with_retries(std::shared_ptr<Provider> inner, RetryPolicy policy = {},
                                       Sleep sleep = sleep_for, Random random = random_fraction);

}
