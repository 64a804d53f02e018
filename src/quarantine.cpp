// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/quarantine-inl.hpp>
