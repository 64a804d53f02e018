// SPDX-License-Identifier: MIT
#include <sessionkit/detail/model/message-inl.hpp>
