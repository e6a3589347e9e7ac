// SPDX-License-Identifier: Apache-2.0
// What tests share; see support.h.

#include "support.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Infinities are near themselves only, a NaN is near nothing.
void support_near(double actual, double expected, double relative, double absolute,
                  const char *what, const char *file, int line)
{
    const double scale = relative * fabs(expected) + absolute;
    if (actual != expected && !(isfinite(expected) && fabs(actual - expected) <= scale)) {
        print_error("%s is %.17g, expected %.17g (off by %.3g)\n", what, actual, expected,
                    actual - expected);
        _fail(file, line);
    }
}

support_random support_random_begin(const char *test)
{
    const char *given = getenv("RH_SEED");
    uint64_t seed = 20774; // the same checks on every day
    if (given != NULL) {
        seed = strtoull(given, NULL, 0);
    }
    print_message("%s: RH_SEED=%llu\n", test, (unsigned long long)seed);
    return (support_random){seed};
}

uint64_t support_random_bits(support_random *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    uint64_t bits = random->state;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

uint32_t support_random_below(support_random *random, uint32_t count)
{
    assert_true(count > 0);
    return (uint32_t)((support_random_bits(random) >> 32) * count >> 32);
}

double support_random_real(support_random *random, double low, double high)
{
    const double unit = (double)(support_random_bits(random) >> 11) * 0x1p-53;
    return low + (high - low) * unit;
}

// All bytes until the end of the stream; NULL when memory or the stream failed.
static char *read_stream(FILE *stream, size_t *out_size)
{
    size_t capacity = 1 << 16;
    size_t size = 0;
    char *data = malloc(capacity);
    while (data != NULL) {
        size += fread(data + size, 1, capacity - size - 1, stream);
        if (size < capacity - 1) {
            break;
        }
        capacity *= 2;
        char *grown = realloc(data, capacity);
        if (grown == NULL) {
            free(data);
        }
        data = grown;
    }
    if (data != NULL) {
        data[size] = '\0';
        *out_size = size;
    }
    return data;
}

char *support_read(const char *path, size_t *out_size)
{
    char full[4096];
    const bool is_absolute = path[0] == '/';
    (void)snprintf(full, sizeof full, "%s%s%s", is_absolute ? "" : RH_SOURCE_DIR,
                   is_absolute ? "" : "/", path);
    FILE *stream = fopen(full, "rb");
    if (stream == NULL) {
        fail_msg("%s: %s", full, strerror(errno));
    }
    char *data = read_stream(stream, out_size);
    const bool is_read = data != NULL && ferror(stream) == 0;
    (void)fclose(stream);
    if (!is_read) {
        free(data);
        fail_msg("%s cannot be read", full);
    }
    return data;
}

static bool gather(void *user, const char *data, size_t size)
{
    support_text *text = user;
    char *grown = realloc(text->data, text->size + size + 1);
    if (grown == NULL) {
        return false;
    }
    memcpy(grown + text->size, data, size);
    text->data = grown;
    text->size += size;
    grown[text->size] = '\0';
    return true;
}

rh_sink support_text_sink(support_text *text)
{
    return (rh_sink){gather, text};
}

// In front of each block: its size, so that what is given back can be compared.
typedef union block_head {
    size_t size;
    max_align_t aligned;
} block_head;

static bool is_refused(support_memory *memory)
{
    memory->request_count++;
    return memory->request_count == memory->fail_at;
}

static void *counting_alloc(void *user, size_t size)
{
    support_memory *memory = user;
    block_head *head = is_refused(memory) ? NULL : malloc(sizeof *head + size);
    if (head == NULL) {
        return NULL;
    }
    head->size = size;
    memory->block_count++;
    memory->byte_count += size;
    // whoever reads before writing shall notice
    memset(head + 1, 0xa5, size);
    return head + 1;
}

static void counting_free(void *user, void *block, size_t size)
{
    support_memory *memory = user;
    if (block == NULL) {
        return;
    }
    block_head *head = (block_head *)block - 1;
    assert_int_equal(head->size, size);
    memory->block_count--;
    memory->byte_count -= size;
    free(head);
}

// Always moves, so that whoever keeps the old address shall notice.
static void *counting_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    void *moved = counting_alloc(user, new_size);
    if (moved != NULL && block != NULL) {
        memcpy(moved, block, old_size < new_size ? old_size : new_size);
        counting_free(user, block, old_size);
    }
    return moved;
}

rh_allocator support_memory_allocator(support_memory *memory)
{
    return (rh_allocator){counting_alloc, counting_resize, counting_free, memory};
}
