// SPDX-License-Identifier: MIT
#include <sessionkit/detail/providers/provider_responses-inl.hpp>
