// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/foreign_members-inl.hpp>
