// The arena of a page: memory for all its vectors, which starts again with each page.
#pragma once

#include <coppice/arena.hpp>

using page_arena = coppice::arena;
