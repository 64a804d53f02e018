// SPDX-License-Identifier: MIT
#include <sessionkit/impl/blades_export.ipp>
