// SPDX-License-Identifier: MIT
#include <sessionkit/impl/glued_lines.ipp>
