// SPDX-License-Identifier: Apache-2.0
// Tiers: emitted series give the motions of the interpreter; the cache is mended, shared and kept
// small; without a compiler, or with one that fails, the motion is interpreted and says so.

#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): its name is given

#include "tiering.h"

#include "motion/native.h"

#include "motion/motion.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const MODEL = "examples/pendulum/model.rhe";

// --- a cache of its own --------------------------------------------------------------------------

static char cache[256]; // XDG_CACHE_HOME of the test at hand

static void remove_all(const char *path)
{
    DIR *list = opendir(path);
    for (const struct dirent *it = list != NULL ? readdir(list) : NULL; it != NULL;
         it = readdir(list)) {
        char inner[1024];
        struct stat about;
        (void)snprintf(inner, sizeof inner, "%s/%s", path, it->d_name);
        if (strcmp(it->d_name, ".") != 0 && strcmp(it->d_name, "..") != 0 &&
            lstat(inner, &about) == 0) {
            if (S_ISDIR(about.st_mode)) {
                remove_all(inner);
            } else {
                (void)unlink(inner);
            }
        }
    }
    if (list != NULL) {
        (void)closedir(list);
    }
    (void)rmdir(path);
}

static int begin_cache(void **unused)
{
    (void)unused;
    const char *base = getenv("TMPDIR");
    (void)snprintf(cache, sizeof cache, "%s/rheonom_tier_XXXXXX", base != NULL ? base : "/tmp");
    return mkdtemp(cache) == NULL || setenv("XDG_CACHE_HOME", cache, 1) != 0 ||
                   unsetenv("RHEONOM_CC") != 0 || unsetenv("RHEONOM_TIER") != 0
               ? -1
               : 0;
}

static int end_cache(void **unused)
{
    (void)unused;
    remove_all(cache);
    return unsetenv("RHEONOM_CC");
}

// How many objects there are; `out`: the path of one of them.
static size_t count_objects(char out[1024])
{
    char root[512];
    size_t count = 0;
    (void)snprintf(root, sizeof root, "%s/rheonom", cache);
    DIR *list = opendir(root);
    for (const struct dirent *it = list != NULL ? readdir(list) : NULL; it != NULL;
         it = readdir(list)) {
        const char *end = strstr(it->d_name, ".so");
        assert_null(strstr(it->d_name, "draft"));
        if (end != NULL) {
            count++;
            (void)snprintf(out, 1024, "%s/%s", root, it->d_name);
        }
    }
    if (list != NULL) {
        (void)closedir(list);
    }
    return count;
}

// --- motions -------------------------------------------------------------------------------------

static void tiers_give_the_same_motion(void **unused)
{
    (void)unused;
    static const course LIST[] = {
        {"examples/pendulum/model.rhe", 20.0, 0.0, 1e-12, NULL},
        {"examples/rolling_disc/model.rhe", 20.0, 0.0, 1e-12, NULL},
        {"examples/inverse_problem/model.rhe", 10.0, 0.0, 1e-12,
         NULL}, // a dense block in whole steps
        {"examples/chain/model.rhe", 1.0, 0.0, 1e-11, NULL},
        {"examples/sleigh_one_sided/model.rhe", 5.0, 0.0, 1e-11, NULL},
        {"examples/stick_slip/model.rhe", 10.0, 0.0, 1e-11, NULL},
        {"examples/bouncing_ball/model.rhe", 1.0, 0.0, 1e-11, NULL},
        {"examples/four_bar/model.rhe", 2.0, 0.0, 1e-9, NULL}, // leaps over singular configurations
        {"examples/bricard/model.rhe", 0.5, 0.0, 1e-9, NULL},  // never regular: always interpreted
    };
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        compare_tiers(&LIST[k]);
    }
}

static double angle_after(rh_tier tier, const char *expected_tier, char reason[256])
{
    static const course WHAT = {.path = "examples/pendulum/model.rhe"};
    moving it = begin(&WHAT, tier);
    advance(&it, 3.0);
    double *row = moving_row(&it, 3.0);
    const double angle = row[1];
    if (strcmp(rh_motion_tier(it.motion), expected_tier) != 0) {
        fail_msg("it is %s: %s", rh_motion_tier(it.motion), rh_motion_tier_reason(it.motion));
    }
    (void)snprintf(reason, 256, "%s", rh_motion_tier_reason(it.motion));
    free(row);
    moving_end(&it);
    return angle;
}

// --- the cache -----------------------------------------------------------------------------------

static void short_motions_do_not_compile(void **unused)
{
    (void)unused;
    char reason[256];
    char path[1024];
    (void)angle_after(RH_TIER_AUTO, "interpreted", reason);
    assert_string_equal(reason, "compiling pays for longer motions");
    assert_int_equal(count_objects(path), 0);
}

static void the_environment_chooses_where_nobody_else_does(void **unused)
{
    (void)unused;
    char reason[256];
    assert_int_equal(setenv("RHEONOM_TIER", "emitted", 1), 0);
    (void)angle_after(RH_TIER_AUTO, "emitted", reason);
    (void)angle_after(RH_TIER_INTERPRETED, "interpreted", reason);
    assert_string_equal(reason, "it was asked for");
    assert_int_equal(unsetenv("RHEONOM_TIER"), 0);
}

static void an_object_is_made_once_and_mended(void **unused)
{
    (void)unused;
    char reason[256];
    char path[1024];
    struct stat first;
    struct stat second;
    const double angle = angle_after(RH_TIER_EMITTED, "emitted", reason);
    assert_int_equal(count_objects(path), 1);
    assert_int_equal(stat(path, &first), 0);
    assert_true(angle == angle_after(RH_TIER_EMITTED, "emitted", reason));
    assert_int_equal(stat(path, &second), 0);
    assert_true(first.st_ino == second.st_ino); // the same file
    // cut short, changed in the middle, not there: made anew
    assert_int_equal(truncate(path, first.st_size / 2), 0);
    assert_true(angle == angle_after(RH_TIER_EMITTED, "emitted", reason));
    const int file = open(path, O_WRONLY);
    assert_true(file >= 0 && pwrite(file, "damage", 6, 5000) == 6 && close(file) == 0);
    assert_true(angle == angle_after(RH_TIER_EMITTED, "emitted", reason));
    assert_int_equal(stat(path, &second), 0);
    assert_true(second.st_size == first.st_size);
    assert_int_equal(unlink(path), 0);
    assert_true(angle == angle_after(RH_TIER_EMITTED, "emitted", reason));
    assert_int_equal(count_objects(path), 1);
}

// An object of another text under the same hash, as if two texts had met: it is not taken.
static void an_object_of_another_text_is_not_taken(void **unused)
{
    (void)unused;
    char reason[256];
    char path[1024];
    static unsigned char bytes[1 << 20];
    const double angle = angle_after(RH_TIER_EMITTED, "emitted", reason);
    assert_int_equal(count_objects(path), 1);
    int file = open(path, O_RDWR);
    const ssize_t size = file >= 0 ? read(file, bytes, sizeof bytes) : -1;
    rh_cache_seal seal;
    assert_true(size > (ssize_t)sizeof seal && size < (ssize_t)sizeof bytes);
    const size_t before = (size_t)size - sizeof seal;
    memcpy(&seal, bytes + before, sizeof seal);
    assert_true(seal.text_size > 0 && seal.text_size < before);
    bytes[before - 1] ^= 1; // the last character of the text
    seal.hash = rh__hash_bytes(bytes, before, seal.key);
    memcpy(bytes + before, &seal, sizeof seal);
    assert_true(pwrite(file, bytes, (size_t)size, 0) == size && close(file) == 0);
    assert_true(angle == angle_after(RH_TIER_EMITTED, "emitted", reason));
    // it was made anew
    static unsigned char after[1 << 20];
    file = open(path, O_RDONLY);
    assert_true(file >= 0 && read(file, after, sizeof after) == size && close(file) == 0);
    assert_int_not_equal(after[before - 1], bytes[before - 1]);
}

static void what_others_can_write_is_not_trusted(void **unused)
{
    (void)unused;
    char reason[256];
    char path[1024];
    char root[512];
    const double angle = angle_after(RH_TIER_EMITTED, "emitted", reason);
    assert_int_equal(count_objects(path), 1);
    // an object that anybody could have written is replaced
    assert_int_equal(chmod(path, 0666), 0);
    assert_true(angle == angle_after(RH_TIER_EMITTED, "emitted", reason));
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    // a directory that anybody can write to is passed over
    assert_int_equal(unlink(path), 0);
    (void)snprintf(root, sizeof root, "%s/rheonom", cache);
    assert_int_equal(chmod(root, 0777), 0);
    assert_true(angle == angle_after(RH_TIER_EMITTED, "emitted", reason));
    assert_int_equal(count_objects(path), 0);
    assert_int_equal(chmod(root, 0700), 0);
    if (geteuid() == 0) { // and so is one of somebody else
        assert_int_equal(chown(root, 65534, 65534), 0);
        assert_true(angle == angle_after(RH_TIER_EMITTED, "emitted", reason));
        assert_int_equal(count_objects(path), 0);
        assert_int_equal(chown(root, 0, 0), 0);
    }
}

// As long as a path may be, and up to what is behind it: each leads to its own directory, or to
// none.
static void long_paths_serve(void **unused)
{
    (void)unused;
    for (size_t size = 910; size <= 925; size++) {
        char path[1024];
        (void)snprintf(path, sizeof path, "%s", cache);
        while (strlen(path) < size) {
            const size_t now = strlen(path);
            const size_t part = size - now < 200 ? size - now : 150;
            path[now] = '/';
            memset(path + now + 1, 'p', part - 1);
            path[now + part] = '\0';
            (void)mkdir(path, 0700);
        }
        assert_int_equal(strlen(path), size);
        assert_int_equal(setenv("XDG_CACHE_HOME", path, 1), 0);
        const moving_conditions with = {.tier = RH_TIER_EMITTED};
        moving it = moving_file(MODEL, &with);
        advance(&it, 1.0);
        assert_string_equal(rh_motion_tier(it.motion), "emitted");
        moving_end(&it);
    }
}

static void old_objects_go(void **unused)
{
    (void)unused;
    char reason[256];
    char path[1024];
    char root[512];
    (void)snprintf(root, sizeof root, "%s/rheonom", cache);
    assert_int_equal(mkdir(root, 0700), 0);
    for (int k = 0; k < 230; k++) {
        const struct timespec times[2] = {{.tv_sec = 1000 + k}, {.tv_sec = 1000 + k}};
        (void)snprintf(path, sizeof path, "%s/%016x.so", root, (unsigned)k);
        const int file = open(path, O_WRONLY | O_CREAT, 0600);
        assert_true(file >= 0 && futimens(file, times) == 0 && close(file) == 0);
    }
    (void)angle_after(RH_TIER_EMITTED, "emitted", reason);
    assert_int_equal(count_objects(path), 200);
    (void)snprintf(path, sizeof path, "%s/%016x.so", root, 0U);
    assert_int_not_equal(access(path, F_OK), 0);
    (void)snprintf(path, sizeof path, "%s/%016x.so", root, 229U);
    assert_int_equal(access(path, F_OK), 0);
}

static void several_at_once_do_not_disturb_each_other(void **unused)
{
    (void)unused;
    enum { MANY = 4 };
    char reason[256];
    char path[1024];
    pid_t children[MANY];
    for (int k = 0; k < MANY; k++) {
        children[k] = fork();
        assert_true(children[k] >= 0);
        if (children[k] == 0) {
            const course what = {.path = MODEL};
            moving it = begin(&what, RH_TIER_EMITTED);
            advance(&it, 1.0);
            _exit(strcmp(rh_motion_tier(it.motion), "emitted") == 0 ? 0 : 1);
        }
    }
    for (int k = 0; k < MANY; k++) {
        int status = -1;
        assert_int_equal(waitpid(children[k], &status, 0), children[k]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_objects(path), 1);
    (void)angle_after(RH_TIER_EMITTED, "emitted", reason);
}

// --- compilers -----------------------------------------------------------------------------------

static void without_a_compiler_it_is_interpreted(void **unused)
{
    (void)unused;
    char reason[256];
    const double angle = angle_after(RH_TIER_INTERPRETED, "interpreted", reason);
    assert_int_equal(setenv("RHEONOM_CC", "/nonexistent/cc", 1), 0);
    assert_true(angle == angle_after(RH_TIER_EMITTED, "interpreted", reason));
    assert_string_equal(reason, "RHEONOM_CC is no program with its whole path: /nonexistent/cc");
    assert_int_equal(unsetenv("RHEONOM_CC"), 0);
    char *kept = strdup(getenv("PATH"));
    assert_int_equal(setenv("PATH", ".:/nonexistent", 1), 0);
    assert_true(angle == angle_after(RH_TIER_EMITTED, "interpreted", reason));
    assert_string_equal(reason, "there is no C compiler (cc) in PATH");
    assert_int_equal(setenv("PATH", kept, 1), 0);
    free(kept);
}

// A script in the cache directory as the compiler.
static void pretend(const char *text, char path[512])
{
    (void)snprintf(path, 512, "%s/compiler", cache);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(setenv("RHEONOM_CC", path, 1), 0);
}

static void a_compiler_that_fails_is_quoted(void **unused)
{
    (void)unused;
    char reason[256];
    char path[1024];
    char compiler[512];
    char expected[1024];
    pretend("#!/bin/sh\necho 'out of words' >&2\nexit 1\n", compiler);
    (void)angle_after(RH_TIER_EMITTED, "interpreted", reason);
    (void)snprintf(expected, sizeof expected, "the compiler %s failed: out of words", compiler);
    assert_string_equal(reason, expected);
    pretend("#!/bin/sh\nexit 0\n", compiler); // makes nothing
    (void)angle_after(RH_TIER_EMITTED, "interpreted", reason);
    assert_non_null(strstr(reason, "cannot be kept"));
    pretend("#!/bin/sh\nexit 1\n", compiler);
    (void)angle_after(RH_TIER_EMITTED, "interpreted", reason);
    (void)snprintf(expected, sizeof expected, "the compiler %s failed: it did not say why",
                   compiler);
    assert_string_equal(reason, expected);
    pretend("#!/nonexistent/shell\n", compiler);
    (void)angle_after(RH_TIER_EMITTED, "interpreted", reason);
    (void)snprintf(expected, sizeof expected, "the compiler %s cannot be run", compiler);
    assert_string_equal(reason, expected);
    assert_int_equal(count_objects(path), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no child is left
}

// A compiler is told by its file: what another one made is not taken for its own.
static void another_compiler_compiles_again(void **unused)
{
    (void)unused;
    char reason[256];
    char path[1024];
    char compiler[512];
    pretend("#!/bin/sh\nexec cc \"$@\"\n", compiler);
    (void)angle_after(RH_TIER_EMITTED, "emitted", reason);
    (void)angle_after(RH_TIER_EMITTED, "emitted", reason);
    assert_int_equal(count_objects(path), 1);
    pretend("#!/bin/sh\n# a later version\nexec cc \"$@\"\n", compiler);
    (void)angle_after(RH_TIER_EMITTED, "emitted", reason);
    assert_int_equal(count_objects(path), 2);
}

// Families are loops in the text, blocks of their unknowns too: it is as long for 400 rods as
// for 40.
static void large_families_are_compiled(void **unused)
{
    (void)unused;
    static const char CHAIN[] =
        "param l = 1/N, m = 1/N\ncoord x[1..N], y[1..N]\n"
        "kinetic sum(i in 1..N: m*(x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N: m*9.81*y[i])\n"
        "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
        "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
        "for i in 1..N: start x[i] = i*l*sin(0.1), y[i] = -i*l*cos(0.1), x[i]' = 0, y[i]' = 0\n";
    double ends[2];
    for (uint32_t k = 0; k < 2; k++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "param N = 400\n%s", CHAIN);
        const moving_conditions with = {.tier = k == 0 ? RH_TIER_EMITTED : RH_TIER_INTERPRETED};
        moving it = moving_begin(text, &with);
        assert_string_equal(rh_motion_tier(it.motion), k == 0 ? "emitted" : "interpreted");
        advance(&it, 0.01);
        assert_string_equal(rh_motion_tier(it.motion), k == 0 ? "emitted" : "interpreted");
        ends[k] = it.motion->x[399];
        moving_end(&it);
    }
    assert_near(ends[0], ends[1], 1e-12);
}

// A compiler would take minutes: it is not asked.
static void what_has_no_families_is_interpreted(void **unused)
{
    (void)unused;
    const moving_conditions with = {.tier = RH_TIER_EMITTED};
    moving it = moving_begin(
        "param N = 1000\ncoord x[1..N], y[1..N], z[1..N]\n" // each three are a block of their own
        "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2 + z[i]'^2)/2 + cos(x[i] - y[i])*x[i]'*y[i]'/2\n"
        "    + cos(y[i] - z[i])*y[i]'*z[i]'/2 + cos(z[i] - x[i])*z[i]'*x[i]'/2)\n"
        "potential sum(i in 1..N: -cos(x[i]) - cos(y[i]))\n",
        &with);
    assert_string_equal(rh_motion_tier(it.motion), "interpreted");
    assert_non_null(strstr(rh_motion_tier_reason(it.motion), "too long for a compiler"));
    moving_end(&it);
}

static void other_methods_have_no_series(void **unused)
{
    (void)unused;
    const moving_conditions with = {
        .method = RH_METHOD_DOP853, .tolerance = 1e-8, .tier = RH_TIER_EMITTED};
    moving it = moving_file(MODEL, &with);
    advance(&it, 1.0);
    assert_string_equal(rh_motion_tier(it.motion), "interpreted");
    assert_string_equal(rh_motion_tier_reason(it.motion), "the method takes no Taylor series");
    moving_end(&it);
}

// --- when it is compiled
// ---------------------------------------------------------------------------

// A motion that is compiled from step 20 on, as a longer one would be by itself.
static moving begin_soon(void)
{
    static const course WHAT = {.path = "examples/rolling_disc/model.rhe"};
    moving it = begin(&WHAT, RH_TIER_AUTO);
    it.motion->tier.switch_at = 20;
    return it;
}

static void step_many(moving *it, uint64_t steps)
{
    rh_stop stop = RH_STOP_NONE;
    while (stop == RH_STOP_NONE && it->motion->steps < steps) {
        assert_int_equal(rh_motion_step(it->motion, 1000.0, &stop, NULL), RH_OK);
    }
}

static void the_step_is_fixed_whatever_is_in_the_cache(void **unused)
{
    (void)unused;
    moving cold = begin_soon();
    step_many(&cold, 20);
    assert_string_equal(rh_motion_tier(cold.motion), "interpreted");
    step_many(&cold, 60);
    assert_string_equal(rh_motion_tier(cold.motion), "emitted");
    assert_string_equal(rh_motion_tier_reason(cold.motion), "compiling pays for so many steps");
    assert_false(cold.motion->tier.native.is_found);
    moving warm = begin_soon();
    step_many(&warm, 60);
    assert_true(warm.motion->tier.native.is_found);
    assert_memory_equal(cold.motion->x, warm.motion->x, cold.motion->n * sizeof(double));
    // longer motions of larger models come to it sooner
    static const course CHAIN = {.path = "examples/chain/model.rhe"};
    static const course DISC = {.path = "examples/rolling_disc/model.rhe"};
    moving large = begin(&CHAIN, RH_TIER_AUTO);
    moving small = begin(&DISC, RH_TIER_AUTO);
    assert_true(large.motion->tier.switch_at < small.motion->tier.switch_at);
    assert_true(large.motion->tier.switch_at > 1000);
    moving_end(&large);
    moving_end(&small);
    moving_end(&cold);
    moving_end(&warm);
}

static void a_resumed_motion_has_the_same_bits(void **unused)
{
    (void)unused;
    for (uint64_t at = 10; at <= 40; at += 15) { // before the switch and after it
        const rh_keep_def keep = rh_keep_def_default();
        support_text saved = {0};
        moving whole = begin_soon();
        assert_int_equal(rh_motion_keep(whole.motion, &keep, NULL), RH_OK);
        step_many(&whole, at);
        assert_int_equal(rh_motion_save(whole.motion, support_text_sink(&saved), NULL), RH_OK);
        step_many(&whole, 80);
        moving again = begin_soon();
        assert_int_equal(rh_motion_keep(again.motion, &keep, NULL), RH_OK);
        assert_int_equal(rh_motion_load(again.motion, saved.data, saved.size, NULL), RH_OK);
        step_many(&again, 80);
        assert_string_equal(rh_motion_tier(again.motion), "emitted");
        assert_true(whole.motion->t == again.motion->t);
        assert_memory_equal(whole.motion->x, again.motion->x, whole.motion->n * sizeof(double));
        // and no other tier
        static const course WHAT = {.path = "examples/rolling_disc/model.rhe"};
        moving other = begin(&WHAT, RH_TIER_INTERPRETED);
        assert_int_equal(rh_motion_load(other.motion, saved.data, saved.size, &other.err),
                         RH_E_ARGUMENT);
        assert_string_equal(other.err.message, "its tier is auto, and not interpreted");
        moving_end(&other);
        moving_end(&again);
        moving_end(&whole);
        free(saved.data);
    }
}

static void refused_memory_leaves_it_interpreted(void **unused)
{
    (void)unused;
    bool is_emitted = false;
    for (size_t extra = 1; !is_emitted; extra++) {
        support_memory memory = {0};
        const moving_conditions with = {.tier = RH_TIER_EMITTED, .memory = &memory};
        moving it = moving_file(MODEL, &with);
        memory.fail_at = memory.request_count + extra;
        advance(&it, 1.0);
        is_emitted = strcmp(rh_motion_tier(it.motion), "emitted") == 0;
        if (!is_emitted) {
            assert_string_equal(rh_motion_tier_reason(it.motion),
                                "there was no memory for the text of the series");
        }
        moving_end(&it);
        assert_int_equal(memory.block_count, 0);
        assert_true(extra < 1000);
    }
}

int main(void)
{
#define IN_CACHE(name) cmocka_unit_test_setup_teardown(name, begin_cache, end_cache)
    const struct CMUnitTest tests[] = {
        IN_CACHE(tiers_give_the_same_motion),
        IN_CACHE(short_motions_do_not_compile),
        IN_CACHE(the_environment_chooses_where_nobody_else_does),
        IN_CACHE(an_object_is_made_once_and_mended),
        IN_CACHE(an_object_of_another_text_is_not_taken),
        IN_CACHE(what_others_can_write_is_not_trusted),
        IN_CACHE(long_paths_serve),
        IN_CACHE(old_objects_go),
        IN_CACHE(several_at_once_do_not_disturb_each_other),
        IN_CACHE(without_a_compiler_it_is_interpreted),
        IN_CACHE(a_compiler_that_fails_is_quoted),
        IN_CACHE(another_compiler_compiles_again),
        IN_CACHE(large_families_are_compiled),
        IN_CACHE(what_has_no_families_is_interpreted),
        IN_CACHE(other_methods_have_no_series),
        IN_CACHE(the_step_is_fixed_whatever_is_in_the_cache),
        IN_CACHE(a_resumed_motion_has_the_same_bits),
        IN_CACHE(refused_memory_leaves_it_interpreted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
