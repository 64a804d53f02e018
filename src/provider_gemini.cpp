// SPDX-License-Identifier: MIT
#include <sessionkit/detail/providers/provider_gemini-inl.hpp>
