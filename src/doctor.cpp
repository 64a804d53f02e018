// SPDX-License-Identifier: MIT
#include <sessionkit/impl/doctor.ipp>
