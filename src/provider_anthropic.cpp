// SPDX-License-Identifier: MIT
#include <sessionkit/detail/providers/provider_anthropic-inl.hpp>
