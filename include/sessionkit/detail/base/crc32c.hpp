// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#define SESSIONKIT_CRC32C_INSTRUCTION 1
// In clang 15 and newer the instruction is a feature of its own, which a host may switch off.
#if defined(__clang__) && __clang_major__ >= 15
#define SESSIONKIT_CRC32C_TARGET __attribute__((target("sse4.2,crc32")))
#else
#define SESSIONKIT_CRC32C_TARGET __attribute__((target("sse4.2")))
#endif
#else
#define SESSIONKIT_CRC32C_INSTRUCTION 0
#endif

namespace sessionkit { inline namespace v0 { namespace detail {

using Crc32cTables = std::array<std::array<std::uint32_t, 256>, 8>;

/// Sets `tables[n][b]` to the remainder of byte `b` followed by `n` zero bytes.
constexpr void fill_crc32c_tables(Crc32cTables& tables) noexcept {
  constexpr std::uint32_t reversed_castagnoli = 0x82F63B78;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? reversed_castagnoli : 0);
    tables[0][byte] = rest;
  }
  for (std::size_t n = 1; n < 8; ++n)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[n][byte] = (tables[n - 1][byte] >> 8) ^ tables[0][tables[n - 1][byte] & 0xFF];
}

/// Returns the tables. The first call fills them, because constant tables would add 8 kB to every program.
inline Crc32cTables const& crc32c_tables() noexcept {
  static struct Filled {
    Crc32cTables tables{};
    Filled() noexcept {
      fill_crc32c_tables(tables);
    } // not constexpr, so that no compiler makes constant tables
  } const filled;
  return filled.tables;
}

/// Computes a checksum by the tables, without the processor's instruction. `crc` and the result are inverted
/// (`~`) checksums, as in `crc32c_by_instruction`.
inline std::uint32_t crc32c_by_tables(unsigned char const* p, std::size_t left, std::uint32_t crc) noexcept {
  auto const& tables = crc32c_tables();
  for (; left >= 8; left -= 8, p += 8) {
    auto const at = [p](int i) { return static_cast<std::uint32_t>(p[i]); };
    std::uint32_t const low = crc ^ (at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24);
    crc = tables[7][low & 0xFF] ^ tables[6][low >> 8 & 0xFF] ^ tables[5][low >> 16 & 0xFF]
          ^ tables[4][low >> 24] ^ tables[3][p[4]] ^ tables[2][p[5]] ^ tables[1][p[6]] ^ tables[0][p[7]];
  }
  for (; left != 0; --left, ++p) crc = (crc >> 8) ^ tables[0][(crc ^ *p) & 0xFF];
  return crc;
}

/// A table that appends a fixed number of zero bytes to a remainder. If only bit `i` of the remainder is set,
/// the new remainder is element `i`. If several bits are set, the new remainder is the XOR of their elements.
using Crc32cShift = std::array<std::uint32_t, 32>;

/// Returns the remainder `crc` after the zero bytes of the table `shift` were appended.
constexpr std::uint32_t crc32c_shifted(std::uint64_t crc, Crc32cShift const& shift) noexcept {
  std::uint32_t shifted = 0;
  for (std::size_t bit = 0; bit < shift.size(); ++bit)
    if ((crc >> bit & 1) != 0) shifted ^= shift[bit];
  return shifted;
}

/// Makes the table that appends two to the power of `doublings` zero bytes.
constexpr Crc32cShift make_crc32c_shift(int doublings) noexcept {
  Crc32cTables tables{};
  fill_crc32c_tables(tables);
  Crc32cShift shift{};
  for (std::size_t bit = 0; bit < shift.size(); ++bit) {
    std::uint32_t const rest = std::uint32_t{1} << bit;
    shift[bit] = (rest >> 8) ^ tables[0][rest & 0xFF];
  }
  for (; doublings != 0; --doublings) {
    Crc32cShift twice{};
    for (std::size_t bit = 0; bit < shift.size(); ++bit) twice[bit] = crc32c_shifted(shift[bit], shift);
    shift = twice;
  }
  return shift;
}

#if SESSIONKIT_CRC32C_INSTRUCTION
inline constexpr int crc32c_part_doublings = 12;
inline constexpr std::size_t crc32c_part = std::size_t{1} << crc32c_part_doublings; ///< in bytes
inline constexpr Crc32cShift crc32c_one_part = make_crc32c_shift(crc32c_part_doublings),
                             crc32c_two_parts = make_crc32c_shift(crc32c_part_doublings + 1);

/// True if this processor has the instruction. (`__builtin_cpu_supports` would link 4 kB of code for other
/// features.)
inline bool crc32c_has_instruction() noexcept {
  static bool const has = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0;
  }();
  return has;
}

/// Adds the eight bytes at `p` to `crc` by the instruction of SSE 4.2.
SESSIONKIT_CRC32C_TARGET inline std::uint64_t crc32c_of_eight(std::uint64_t crc,
                                                              unsigned char const* p) noexcept {
  std::uint64_t eight = 0;
  std::memcpy(&eight, p, sizeof eight);
  return __builtin_ia32_crc32di(crc, eight);
}

/// Does the same as `crc32c_by_tables` on processors that have the instruction. Each instruction waits for
/// the result of the previous one. Therefore three parts of a long text are computed at the same time.
SESSIONKIT_CRC32C_TARGET inline std::uint32_t crc32c_by_instruction(unsigned char const* p, std::size_t left,
                                                                    std::uint32_t crc) noexcept {
  std::uint64_t wide = crc;
  for (; left >= 3 * crc32c_part; left -= 3 * crc32c_part, p += 3 * crc32c_part) {
    std::uint64_t second = 0, third = 0;
    for (unsigned char const* q = p; q != p + crc32c_part; q += 8) {
      wide = crc32c_of_eight(wide, q);
      second = crc32c_of_eight(second, q + crc32c_part);
      third = crc32c_of_eight(third, q + 2 * crc32c_part);
    }
    wide = crc32c_shifted(wide, crc32c_two_parts) ^ crc32c_shifted(second, crc32c_one_part) ^ third;
  }
  for (; left >= 8; left -= 8, p += 8) wide = crc32c_of_eight(wide, p);
  crc = static_cast<std::uint32_t>(wide);
  for (; left != 0; --left, ++p) crc = __builtin_ia32_crc32qi(crc, *p);
  return crc;
}
#endif

/// Returns the CRC-32C of `bytes` (Castagnoli; RFC 3720 appendix B.4). If `seed` is the checksum of the
/// preceding bytes, the result is the checksum of those bytes and `bytes` together.
inline std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0) noexcept {
  auto const* const p = reinterpret_cast<unsigned char const*>(bytes.data());
#if SESSIONKIT_CRC32C_INSTRUCTION
  if (crc32c_has_instruction()) return ~crc32c_by_instruction(p, bytes.size(), ~seed);
#endif
  return ~crc32c_by_tables(p, bytes.size(), ~seed);
}

}}}

#undef SESSIONKIT_CRC32C_INSTRUCTION
#undef SESSIONKIT_CRC32C_TARGET
