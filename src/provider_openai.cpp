// SPDX-License-Identifier: MIT
#include <sessionkit/detail/providers/provider_openai-inl.hpp>
