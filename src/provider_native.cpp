// SPDX-License-Identifier: MIT
#include <sessionkit/detail/providers/provider_native-inl.hpp>
