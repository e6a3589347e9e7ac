// SPDX-License-Identifier: Apache-2.0
// Beginning anew: a motion with other numbers is bit by bit the one made from the text with them.

#include "moving.h"

#include "motion/motion.h"

#include <dirent.h>

enum { DIALS = 8, STEPS = 30, NAME = 64 };

// The numbers of a model that can be turned, by name and value.
typedef struct dials {
    char set_name[DIALS][NAME], start_name[DIALS][NAME];
    double set[DIALS], start[DIALS];
    size_t set_count, start_count;
} dials;

static void show(const rh_model *model, rh_expr symbol, char out[NAME])
{
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), 1 << 20);
    rh_text text = rh__text_begin(&scratch, NULL);
    rh__family_show(model->store, rh__expr_family(model->store, symbol),
                    rh__expr_member(model->store, symbol), &text);
    (void)snprintf(out, NAME, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    rh__arena_end(&scratch);
}

static dials find_dials(const rh_model *model)
{
    dials found = {.set_count = 0};
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), 1 << 26);
    for (uint32_t k = 0; k < model->parameters.count && found.set_count < DIALS; k++) {
        const rh_parameter *it = &model->parameters.data[k];
        if (it->size == 1 && isfinite(*rh__values_at(&model->values, it, 0)) &&
            !it->is_structural) {
            show(model, rh__expr_symbol(model->store, it->family, 0),
                 found.set_name[found.set_count]);
            found.set[found.set_count++] = *rh__values_at(&model->values, it, 0);
        }
    }
    for (uint32_t k = 0; k < model->starts.count && found.start_count < DIALS; k++) {
        const rh_setting *it = &model->starts.data[k];
        if (it->is_symbol) {
            show(model, it->place, found.start_name[found.start_count]);
            assert_true(rh__expr_values(model->store, &it->value, 1, rh__values_parameter,
                                        &model->values, &scratch, &found.start[found.start_count]));
            found.start_count++;
        }
    }
    rh__arena_end(&scratch);
    return found;
}

// Other values, none of which becomes or ceases to be zero.
static dials move_dials(dials from, double by)
{
    for (size_t k = 0; k < from.set_count; k++) {
        from.set[k] *= 1.0 + by * (double)(k + 1);
    }
    for (size_t k = 0; k < from.start_count; k++) {
        from.start[k] += by * (double)(k + 1);
    }
    return from;
}

static rh_status make(const char *text, const dials *with, rh_method method, moving *out)
{
    char texts[2 * DIALS][NAME + 40];
    const char *set[DIALS];
    const char *start[DIALS];
    for (size_t k = 0; k < with->set_count; k++) {
        (void)snprintf(texts[k], sizeof texts[k], "%s=%.17g", with->set_name[k], with->set[k]);
        set[k] = texts[k];
    }
    for (size_t k = 0; k < with->start_count; k++) {
        char *at = texts[DIALS + k];
        (void)snprintf(at, sizeof texts[k], "%s=%.17g", with->start_name[k], with->start[k]);
        start[k] = at;
    }
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = set;
    def.set_count = with->set_count;
    def.start = start;
    def.start_count = with->start_count;
    *out = (moving){.motion = NULL};
    rh_equations_def derive = rh_equations_def_default();
    derive.is_start_repaired = true;
    rh_motion_def move = rh_motion_def_default();
    move.method = method;
    rh_status status = rh_model_create(&def, &out->model, &out->err);
    status = status == RH_OK ? rh_equations_create(out->model, &derive, &out->equations, &out->err)
                             : status;
    return status == RH_OK ? rh_motion_create(out->equations, &move, &out->motion, &out->err)
                           : status;
}

// Some steps, then all there is to see.
static uint64_t run(rh_motion *motion)
{
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    for (int k = 0; k < STEPS && stop == RH_STOP_NONE; k++) {
        assert_int_equal(rh_motion_step(motion, 2.0, &stop, &err), RH_OK);
    }
    const size_t width = rh_motion_column_count(motion);
    double *row = calloc(width, sizeof *row);
    assert_non_null(row);
    assert_int_equal(rh_motion_row(motion, rh_motion_time(motion), row, &err), RH_OK);
    uint64_t bits = rh__hash_bytes(row, width * sizeof *row, 0);
    free(row);
    const rh_motion_summary summary = rh_motion_summarise(motion);
    bits = rh__hash_bytes(&summary.steps, sizeof summary.steps, bits);
    bits = rh__hash_bytes(&summary.residual, sizeof summary.residual, bits);
    bits = rh__hash_bytes(&summary.energy_start, sizeof summary.energy_start, bits);
    for (size_t k = 0; k < rh_motion_occurrence_count(motion); k++) {
        const double time = rh_motion_occurrence(motion, k).time;
        bits = rh__hash_bytes(&time, sizeof time, bits);
    }
    return rh__hash_bytes(rh_motion_reason(motion), strlen(rh_motion_reason(motion)), bits);
}

// One change of the numbers of a motion that has moved. False: the model has to be made anew.
static bool compare(const char *path, const char *text, rh_method method, moving *it,
                    const dials *to)
{
    moving fresh;
    rh_error err = {.message = ""};
    const rh_status wanted = make(text, to, method, &fresh);
    const rh_status found =
        rh_motion_restart(it->motion, to->set, to->set_count, to->start, to->start_count, &err);
    const bool is_available = found != RH_E_UNAVAILABLE;
    if (is_available && found != wanted) {
        fail_msg("%s: status %d, made anew %d (%s; %s)", path, (int)found, (int)wanted, err.message,
                 fresh.err.message);
    }
    if (is_available && found != RH_OK) {
        assert_string_equal(err.message, fresh.err.message);
    } else if (is_available && run(it->motion) != run(fresh.motion)) {
        fail_msg("%s: begun anew it gives other bits", path);
    }
    moving_end(&fresh);
    return is_available;
}

// There and back, with the first motion of the model as it is.
static uint32_t go_through(const char *path, rh_method method, uint32_t *out_tried)
{
    static const double BY[] = {0.0, 0.013, -0.007, 0.011, 0.0};
    uint32_t done = 0;
    size_t size = 0;
    char *text = support_read(path, &size);
    rh_model *model = support_model(path);
    const dials home = find_dials(model);
    const bool has_feeds = rh_model_feed_count(model) > 0;
    rh_model_destroy(model);
    moving it;
    if (!has_feeds && make(text, &home, method, &it) == RH_OK) {
        (void)run(it.motion);
        for (size_t k = 0; k < sizeof BY / sizeof *BY; k++) {
            dials to = move_dials(home, BY[k]);
            // first both, then starts alone, then parameters alone
            if (k == 2) {
                memcpy(to.set, home.set, sizeof to.set);
            } else if (k == 3) {
                memcpy(to.start, home.start, sizeof to.start);
            }
            done += compare(path, text, method, &it, &to);
            (*out_tried)++;
        }
    }
    if (!has_feeds) {
        moving_end(&it);
    }
    free(text);
    return done;
}

static void all_examples_begin_anew(void **state)
{
    (void)state;
    uint32_t done = 0;
    uint32_t tried = 0;
    DIR *folder = opendir(RH_SOURCE_DIR "/examples");
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[512];
        (void)snprintf(path, sizeof path, "examples/%s/model.rhe", entry->d_name);
        char whole[700];
        (void)snprintf(whole, sizeof whole, "%s/%s", RH_SOURCE_DIR, path);
        FILE *there = fopen(whole, "rb");
        // its steps take seconds
        if (there != NULL && strcmp(entry->d_name, "chain_3d") != 0) {
            uint32_t tries = 0;
            const uint32_t got = go_through(path, RH_METHOD_AUTO, &tries);
            if (got < tries) {
                print_message("%s: %u of %u begun anew\n", path, got, tries);
            }
            done += got;
            tried += tries;
        }
        if (there != NULL) {
            (void)fclose(there);
        }
    }
    (void)closedir(folder);
    print_message("%u of %u\n", done, tried);
    assert_true(tried > 150 && done * 10 > tried * 9);
}

static void other_methods_begin_anew(void **state)
{
    (void)state;
    uint32_t tried = 0;
    assert_true(go_through("examples/rolling_disc/model.rhe", RH_METHOD_DOP853, &tried) > 0);
    assert_true(go_through("examples/rolling_disc/model.rhe", RH_METHOD_CVODE, &tried) > 0);
    assert_true(go_through("examples/pendulum_cartesian/model.rhe", RH_METHOD_IDA, &tried) > 0);
    assert_true(go_through("examples/van_der_pol/model.rhe", RH_METHOD_AUTO, &tried) > 0);
}

// However often: nothing is left behind.
static void beginning_anew_uses_nothing_up(void **state)
{
    (void)state;
    const char *path = "examples/rolling_disc/model.rhe";
    size_t size = 0;
    char *text = support_read(path, &size);
    rh_model *model = support_model(path);
    dials to = find_dials(model);
    rh_model_destroy(model);
    moving it;
    rh_error err;
    assert_int_equal(make(text, &to, RH_METHOD_AUTO, &it), RH_OK);
    const rh_store *store = it.equations->store;
    uint32_t count = 0;
    uint32_t work = 0;
    size_t used = 0;
    for (int k = 0; k < 200; k++) {
        to.set[0] *= 1.001;
        to.start[0] += 0.001;
        assert_int_equal(
            rh_motion_restart(it.motion, to.set, to.set_count, to.start, to.start_count, &err),
            RH_OK);
        (void)run(it.motion);
        if (k == 1) {
            count = rh__store_count(store);
            work = rh__store_work(store);
            used = it.motion->arena.used + it.motion->restart.start.used + it.model->arena.used;
        }
    }
    assert_int_equal(rh__store_count(store), count);
    assert_int_equal(rh__store_work(store), work);
    assert_int_equal(it.motion->arena.used + it.motion->restart.start.used + it.model->arena.used,
                     used);
    moving_end(&it);
    free(text);
}

// What is no single number, or what a motion that is kept has to stay with, is refused.
static void what_cannot_be_turned_is_refused(void **state)
{
    (void)state;
    const char *text = "param a = 1, b = 2\nstate x\nlaw x' = a + b\nstart x = 0\n";
    const moving_conditions with = {.set = {"a = 1, b = 2", "a = 3"}, .set_count = 2};
    moving it;
    rh_error err;
    assert_int_equal(moving_try(text, &with, &it), RH_OK);
    const double values[] = {5.0, 6.0};
    const double second[] = {(double)NAN, 6.0};
    assert_int_equal(rh_motion_restart(it.motion, values, 2, NULL, 0, &err), RH_E_ARGUMENT);
    assert_int_equal(rh_motion_restart(it.motion, NULL, 0, values, 1, &err), RH_E_ARGUMENT);
    assert_int_equal(rh_motion_restart(it.motion, second, 2, NULL, 0, &err), RH_OK);
    rh_stop stop;
    double row[4];
    assert_int_equal(rh_motion_advance(it.motion, 1.0, &stop, &err), RH_OK);
    assert_int_equal(rh_motion_row(it.motion, 1.0, row, &err), RH_OK);
    assert_near(row[1], 8.0, 1e-13);
    const rh_keep_def keep = rh_keep_def_default();
    assert_int_equal(rh_motion_keep(it.motion, &keep, &err), RH_OK);
    assert_int_equal(rh_motion_restart(it.motion, second, 2, NULL, 0, &err), RH_E_ARGUMENT);
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_examples_begin_anew),
        cmocka_unit_test(other_methods_begin_anew),
        cmocka_unit_test(beginning_anew_uses_nothing_up),
        cmocka_unit_test(what_cannot_be_turned_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
