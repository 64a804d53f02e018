// SPDX-License-Identifier: MIT
#pragma once
#include "provider.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace llm {

/// Waits, or until `cancel` is cancelled.
using Sleep = std::function<void(std::chrono::milliseconds, CancelToken const& cancel)>;
/// A number in [0, 1).
using Random = std::function<double()>;

struct RetryPolicy {
  unsigned attempts = 5;                     ///< in all
  std::chrono::milliseconds first_wait{500}; ///< doubled for each further attempt
  std::chrono::milliseconds longest_wait{30000};
  /// A provider that wishes for a longer pause than this is not asked again.
  std::chrono::milliseconds longest_retry_after{120000};
};

/// How long to wait behind the failed attempt `attempt` (the first is 1); nothing: asking again is of no use.
/// What the provider wishes for counts; else the doubled wait, of which a random half is taken off, so that
/// many clients do not come back at once.
std::optional<std::chrono::milliseconds> plan_retry(RetryPolicy const& policy, Failure const& failure,
                                                    unsigned attempt, double random);

/// Sleeps on the wall clock.
void sleep_for(std::chrono::milliseconds time, CancelToken const& cancel);
/// From the system's entropy.
double random_fraction();

/// Asks `inner` again where a request failed for a reason that passes and nothing of an answer had come.
std::shared_ptr<Provider> with_retries(std::shared_ptr<Provider> inner, RetryPolicy policy = {},
                                       Sleep sleep = sleep_for, Random random = random_fraction);

}
