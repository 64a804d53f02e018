// SPDX-License-Identifier: MIT
#include <sessionkit/impl/line_members.ipp>
