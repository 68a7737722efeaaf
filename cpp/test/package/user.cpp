// What a user writes first.
#include <coppice/arena.hpp>
#include <coppice/inline_string.hpp>
#include <coppice/inline_vector.hpp>
#include <coppice/store.hpp>

#include <cstdio>

struct node {
    coppice::ref<node> left, right;
};

int main() {
    coppice::store<node> nodes;
    const coppice::ref<node> leaf = nodes.alloc({});
    const coppice::ref<node> root = nodes.alloc({leaf, leaf});
    coppice::arena arena;
    coppice::inline_vector<int, 4> four{1, 2, 3, 4};
    coppice::inline_string<15> text("coppice");
    std::printf("%zu records, %s, %zu, %s\n", nodes.size(), nodes.at(root).left == leaf ? "linked" : "lost",
                arena.make<int>(4).size() + four.size(), text.c_str());
}
