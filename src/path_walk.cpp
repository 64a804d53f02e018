// SPDX-License-Identifier: MIT
#include <sessionkit/impl/path_walk.ipp>
