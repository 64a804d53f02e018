// SPDX-License-Identifier: MIT
#include <sessionkit/detail/dialects/panel_dialect-inl.hpp>
