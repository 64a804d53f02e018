// SPDX-License-Identifier: MIT
#include <sessionkit/detail/model/tokens-inl.hpp>
