// SPDX-License-Identifier: Apache-2.0
// Driver: best of n for every case, as a table for people and as CSV for later comparison (--csv).
// Ratios between sizes of one case are what to look at; absolute times belong to one machine.

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const bench_case CASES[] = {
    {"read disc", "expressions", 1, bench_read_disc},
    {"read chain", "expressions", 100, bench_read_chain},
    {"read chain", "expressions", 1000, bench_read_chain},
    {"read chain", "expressions", 10000, bench_read_chain},
    {"read chain", "expressions", 20000, bench_read_chain},
    {"derive T twice, absolute angles", "new nodes", 3, bench_derive_absolute},
    {"derive T twice, absolute angles", "new nodes", 6, bench_derive_absolute},
    {"derive T twice, absolute angles", "new nodes", 12, bench_derive_absolute},
    {"derive T twice, absolute angles", "new nodes", 24, bench_derive_absolute},
    {"derive T twice, relative rotations", "new nodes", 3, bench_derive_relative},
    {"derive T twice, relative rotations", "new nodes", 6, bench_derive_relative},
    {"derive T twice, relative rotations", "new nodes", 12, bench_derive_relative},
    {"derive T twice, relative rotations", "new nodes", 24, bench_derive_relative},
    {"equations disc (reduced)", "operations", 1, bench_equations_disc},
    {"equations andrews", "operations", 1, bench_equations_andrews},
    {"equations bicycle", "operations", 1, bench_equations_bicycle},
    {"equations chain", "operations", 100, bench_equations_chain},
    {"equations chain", "operations", 300, bench_equations_chain},
    {"equations chain", "operations", 1000, bench_equations_chain},
};

double bench_clock(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void *count_alloc(void *user, size_t size)
{
    tally *count = user;
    void *memory = malloc(size);
    if (memory != NULL) {
        count->now += size;
        count->peak = count->now > count->peak ? count->now : count->peak;
    }
    return memory;
}

static void *count_resize(void *user, void *memory, size_t old_size, size_t new_size)
{
    tally *count = user;
    void *moved = realloc(memory, new_size);
    if (moved != NULL) {
        count->now += new_size - old_size;
        count->peak = count->now > count->peak ? count->now : count->peak;
    }
    return moved;
}

static void count_free(void *user, void *memory, size_t size)
{
    tally *count = user;
    count->now -= size;
    free(memory);
}

rh_allocator bench_allocator(tally *count)
{
    return (rh_allocator){count_alloc, count_resize, count_free, count};
}

rh_model *bench_model(const char *text, tally *count)
{
    rh_model_def def = rh_model_def_default();
    def.allocator = bench_allocator(count);
    def.text = text;
    def.text_size = strlen(text);
    rh_model *model = NULL;
    rh_error error;
    if (rh_model_create(&def, &model, &error) != RH_OK) {
        (void)fprintf(stderr, "bench: %s\n", error.message);
        rh_model_destroy(model);
        return NULL;
    }
    return model;
}

static measure best_of(const bench_case *one, int repeats)
{
    measure best = {.seconds = 1e300};
    for (int k = 0; k < repeats; k++) {
        const measure run = one->run(one->size);
        best = run.seconds < best.seconds || !run.ok ? run : best;
        if (!run.ok) {
            break;
        }
    }
    return best;
}

int main(int argc, char **argv)
{
    const bool is_csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    printf(is_csv ? "case,size,seconds,megabytes,work,counted\n" : "%-36s %6s %10s %8s %10s\n",
           "case", "size", "seconds", "MB", "work");
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const measure best = best_of(&CASES[k], 5);
        if (!best.ok) {
            return 1;
        }
        printf(is_csv ? "%s,%u,%.6f,%.2f,%llu,%s\n" : "%-36s %6u %10.6f %8.2f %10llu %s\n",
               CASES[k].name, CASES[k].size, best.seconds, (double)best.peak_bytes / 1048576.0,
               (unsigned long long)best.work, CASES[k].counts);
        (void)fflush(stdout);
    }
    return 0;
}
