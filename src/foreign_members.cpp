// SPDX-License-Identifier: MIT
#include <sessionkit/impl/foreign_members.ipp>
