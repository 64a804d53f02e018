// SPDX-License-Identifier: MIT
#include <sessionkit/impl/panel_dialect.ipp>
