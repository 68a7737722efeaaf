// Annotations for sanitizers. AddressSanitizer reports any access to poisoned memory, which
// belongs to an allocator but to no value. Without the sanitizer both functions are empty, and
// poisons is false.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define COPPICE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COPPICE_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define COPPICE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define COPPICE_TSAN 1
#endif
#endif

#ifdef COPPICE_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace coppice::detail {

// ThreadSanitizer needs shadow memory for all reserved addresses.
#ifdef COPPICE_TSAN
inline constexpr bool shadows = true;
#else
inline constexpr bool shadows = false;
#endif

#ifdef COPPICE_ASAN
inline constexpr bool poisons = true;
inline void poison(const void* start, std::size_t bytes) noexcept { __asan_poison_memory_region(start, bytes); }
inline void unpoison(const void* start, std::size_t bytes) noexcept { __asan_unpoison_memory_region(start, bytes); }
#else
inline constexpr bool poisons = false;
inline void poison(const void*, std::size_t) noexcept {}
inline void unpoison(const void*, std::size_t) noexcept {}
#endif

}  // namespace coppice::detail
