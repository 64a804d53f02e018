// SPDX-License-Identifier: MIT
// The components for a program without their libraries: everything in one .cpp.
#include <sessionkit/mongo/src.hpp>
#include <sessionkit/postgres/src.hpp>
#include <sessionkit/redis/src.hpp>
#include <sessionkit/sqlite/src.hpp>
#include <sessionkit/src.hpp>
#include <sessionkit/testing/src.hpp>
