// SPDX-License-Identifier: MIT
#include <sessionkit/detail/model/record-inl.hpp>
