// SPDX-License-Identifier: Apache-2.0
// The Runge-Kutta stepper: its tableau by order conditions, its orders by halving steps, and its
// motions and events against those of Taylor series.

#include "moving.h"

#include "motion/tableau.h"

enum { STAGES = RH_TABLEAU_STAGES };

// --- the tableau ---------------------------------------------------------------------------------

static void every_stage_is_where_its_weights_put_it(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < STAGES; k++) {
        double sum = 0.0;
        for (uint32_t j = 0; j < STAGES; j++) {
            sum += rh__tableau.weight[k][j];
            assert_true(j < k || rh__tableau.weight[k][j] == 0.0);
        }
        assert_near(sum, rh__tableau.node[k], 3e-14);
    }
}

// A tree of Butcher's: a factor of the order condition for each stage, its order and its density.
typedef struct tree {
    double factor[STAGES];
    uint32_t order;
    double density;
} tree;

enum { MOST_TREES = 512, HIGHEST = 8 };

// [t1 t2 ... ]: trees of order p from those of lower orders, as products of factors A phi(t). A
// product is a tree without its root; adding a branch to it only from itself on gives each once.
typedef struct forest {
    tree trees[MOST_TREES]; // whole trees, by order
    uint32_t count;
} forest;

static tree rooted(const tree *branches)
{
    tree out = *branches;
    out.order = branches->order + 1;
    out.density = branches->density * out.order;
    return out;
}

static void graft(forest *into, const forest *from, const tree *branches, uint32_t first,
                  uint32_t order)
{
    if (branches->order + 1 == order) {
        assert_true(into->count < MOST_TREES);
        into->trees[into->count++] = rooted(branches);
        return;
    }
    for (uint32_t b = first; b < from->count; b++) {
        const tree *branch = &from->trees[b];
        if (branches->order + branch->order + 1 > order) {
            continue;
        }
        tree more = {.order = branches->order + branch->order,
                     .density = branches->density * branch->density};
        for (uint32_t k = 0; k < STAGES; k++) {
            double sum = 0.0;
            for (uint32_t j = 0; j < k; j++) {
                sum += rh__tableau.weight[k][j] * branch->factor[j];
            }
            more.factor[k] = branches->factor[k] * sum;
        }
        graft(into, from, &more, b, order);
    }
}

static void grow_forest(forest *out)
{
    tree nothing = {.order = 0, .density = 1.0};
    for (uint32_t k = 0; k < STAGES; k++) {
        nothing.factor[k] = 1.0;
    }
    out->count = 0;
    for (uint32_t order = 1; order <= HIGHEST; order++) {
        forest *below = malloc(sizeof *below);
        assert_non_null(below);
        *below = *out;
        graft(out, below, &nothing, 0, order);
        free(below);
    }
}

static double condition(const tree *it, const double *weights, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        sum += weights[k] * it->factor[k];
    }
    return sum;
}

static void the_weights_meet_all_order_conditions(void **state)
{
    (void)state;
    static const uint32_t KNOWN[HIGHEST + 1] = {0, 1, 1, 2, 4, 9, 20, 48, 115};
    uint32_t counts[HIGHEST + 1] = {0};
    forest *all = malloc(sizeof *all);
    assert_non_null(all);
    grow_forest(all);
    double third[STAGES] = {0};
    third[0] = rh__tableau.third[0];
    third[8] = rh__tableau.third[1];
    third[11] = rh__tableau.third[2];
    for (uint32_t k = 0; k < all->count; k++) {
        const tree *it = &all->trees[k];
        const double expected = 1.0 / it->density;
        counts[it->order]++;
        assert_near(condition(it, rh__tableau.weight[RH_TABLEAU_END], RH_TABLEAU_STEP), expected,
                    1e-13);
        if (it->order <= 5) {
            assert_near(condition(it, rh__tableau.fifth, RH_TABLEAU_STEP), 0.0, 1e-13);
        }
        if (it->order <= 3) {
            assert_near(condition(it, third, STAGES), expected, 1e-13);
        }
    }
    for (uint32_t order = 1; order <= HIGHEST; order++) {
        assert_int_equal(counts[order], KNOWN[order]);
    }
    free(all);
}

// The polynomial over the step as weights of the stages: of order 7 at every share s.
static void the_polynomial_meets_all_order_conditions(void **state)
{
    (void)state;
    forest *all = malloc(sizeof *all);
    assert_non_null(all);
    grow_forest(all);
    for (double s = 0.0; s <= 1.0; s += 0.125) {
        double weights[STAGES];
        for (uint32_t k = 0; k < STAGES; k++) {
            const double way = rh__tableau.weight[RH_TABLEAU_END][k];
            const double bend = (k == 0) - way;
            const double last = way - (k == RH_TABLEAU_END) - bend;
            double tail = 0.0;
            for (uint32_t m = RH_TABLEAU_TAIL; m-- > 0;) {
                tail = rh__tableau.tail[m][k] + (m % 2 == 0 ? s : 1.0 - s) * tail;
            }
            weights[k] = s * (way + (1.0 - s) * (bend + s * (last + (1.0 - s) * tail)));
        }
        for (uint32_t k = 0; k < all->count; k++) {
            const tree *it = &all->trees[k];
            if (it->order <= 7) {
                assert_near(condition(it, weights, STAGES), pow(s, it->order) / it->density, 2e-12);
            }
        }
    }
    free(all);
}

// --- orders --------------------------------------------------------------------------------------

typedef struct halving {
    double end;    // error at the end
    double middle; // largest error in the middles of steps
} halving;

// Steps of one length each; the tolerance is so loose that they are never cut.
static halving walk(const char *path, double span, uint32_t count)
{
    const moving_conditions loose = {.method = RH_METHOD_DOP853, .tolerance = 0.9};
    const moving_conditions exact = {.method = RH_METHOD_TAYLOR, .tolerance = 1e-15};
    moving it = moving_file(path, &loose);
    moving judge = moving_file(path, &exact);
    const size_t columns = rh_motion_column_count(it.motion);
    halving out = {0};
    for (uint32_t k = 0; k < count; k++) {
        const double middle = span * (k + 0.4) / count;
        moving_reach(&judge, middle);
        moving_reach(&it, span * (k + 1.0) / count);
        double *a = moving_row(&it, middle);
        double *b = moving_row(&judge, middle);
        for (size_t c = 0; c < columns; c++) {
            out.middle = fmax(out.middle, fabs(a[c] - b[c]));
        }
        free(a);
        free(b);
    }
    moving_reach(&judge, span);
    double *a = moving_row(&it, span);
    double *b = moving_row(&judge, span);
    for (size_t c = 0; c < columns; c++) {
        out.end = fmax(out.end, fabs(a[c] - b[c]));
    }
    free(a);
    free(b);
    moving_end(&it);
    moving_end(&judge);
    return out;
}

static void halving_the_steps_shows_the_orders(void **state)
{
    (void)state;
    const halving coarse = walk("examples/van_der_pol/model.rhe", 6.4, 64);
    const halving fine = walk("examples/van_der_pol/model.rhe", 6.4, 128);
    print_message("order at the ends %.2f, between %.2f\n", log2(coarse.end / fine.end),
                  log2(coarse.middle / fine.middle));
    assert_true(log2(coarse.end / fine.end) > 7.7);
    assert_true(log2(coarse.middle / fine.middle) > 7.3);
}

// --- agreement -----------------------------------------------------------------------------------

typedef struct agreement {
    const char *path;
    double time;
    bool is_plain;
    double tolerance;
    double error;
} agreement;

static void motions_agree_with_those_of_taylor(void **state)
{
    (void)state;
    static const agreement CASES[] = {
        {"examples/pendulum/model.rhe", 10.0, false, 1e-11, 1e-8},
        {"examples/pendulum_cartesian/model.rhe", 10.0, false, 1e-11, 1e-8},
        {"examples/rolling_disc/model.rhe", 10.0, false, 1e-11, 1e-8},
        {"examples/rolling_disc/model.rhe", 10.0, true, 1e-11, 1e-8},
        {"examples/andrews/model.rhe", 0.03, false, 1e-11, 1e-8},
        {"examples/lorenz/model.rhe", 5.0, false, 1e-12, 1e-8},
        {"examples/double_pendulum/model.rhe", 5.0, false, 1e-12, 1e-8},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        const agreement *one = &CASES[k];
        const moving_conditions with = {
            .method = RH_METHOD_DOP853, .tolerance = one->tolerance, .is_plain = one->is_plain};
        const moving_conditions taylor = {.method = RH_METHOD_TAYLOR, .is_plain = one->is_plain};
        moving it = moving_file(one->path, &with);
        moving judge = moving_file(one->path, &taylor);
        assert_string_equal(rh_motion_method(it.motion), "dop853");
        moving_reach(&it, one->time);
        moving_reach(&judge, one->time);
        double *a = moving_row(&it, one->time);
        double *b = moving_row(&judge, one->time);
        double worst = 0.0;
        for (size_t c = 0; c < rh_motion_column_count(it.motion); c++) {
            worst = fmax(worst, fabs(a[c] - b[c]) / (1.0 + fabs(b[c])));
        }
        print_message("%s: %.2g in %u steps\n", one->path, worst,
                      (unsigned)rh_motion_summarise(it.motion).steps);
        assert_true(worst < one->error);
        free(a);
        free(b);
        moving_end(&it);
        moving_end(&judge);
    }
}

static void events_agree_with_those_of_taylor(void **state)
{
    (void)state;
    static const agreement CASES[] = {
        {"examples/pendulum/model.rhe", 50.0, false, 1e-12, 1e-9},
        {"examples/pendulum_cartesian/model.rhe", 50.0, false, 1e-12, 1e-9},
        {"examples/van_der_pol/model.rhe", 50.0, false, 1e-12, 1e-9},
        {"tests/golden/models/language_event_reset.rhe", 50.0, false, 1e-12, 1e-9},
        {"tests/golden/models/r11_friction_n10.rhe", 10.0, false, 1e-12, 1e-9},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        const agreement *one = &CASES[k];
        const moving_conditions with = {.method = RH_METHOD_DOP853, .tolerance = one->tolerance};
        const moving_conditions taylor = {.method = RH_METHOD_TAYLOR};
        moving it = moving_file(one->path, &with);
        moving judge = moving_file(one->path, &taylor);
        assert_int_equal(moving_advance(&it, one->time), moving_advance(&judge, one->time));
        const size_t count = rh_motion_occurrence_count(judge.motion);
        print_message("%s: %u events\n", one->path, (unsigned)count);
        assert_int_equal(rh_motion_occurrence_count(it.motion), count);
        for (size_t e = 0; e < count; e++) {
            const rh_occurrence a = rh_motion_occurrence(it.motion, e);
            const rh_occurrence b = rh_motion_occurrence(judge.motion, e);
            assert_string_equal(a.name, b.name);
            assert_near(a.time, b.time, one->error);
        }
        assert_near(rh_motion_time(it.motion), rh_motion_time(judge.motion), one->error);
        moving_end(&it);
        moving_end(&judge);
    }
}

// R11: a friction that acts on one side only; both conditions and the numbers of the table.
static void switches_are_met(void **state)
{
    (void)state;
    const moving_conditions with = {.method = RH_METHOD_DOP853, .tolerance = 1e-12};
    const double pi = 3.14159265358979323846;
    moving it = moving_file("tests/golden/models/r11_friction_n10.rhe", &with);
    moving_reach(&it, pi + 1.0);
    assert_near(moving_value(&it, "lat"), -0.092250260095258918254, 1e-9);
    assert_near(moving_value(&it, "lon"), -0.91323365813330819512, 1e-9);
    assert_near(moving_value(&it, "x"), 3.995842645559553, 1e-9);
    moving_reach(&it, pi + 5.0);
    assert_near(moving_value(&it, "lat"), -0.061588712251621314549, 1e-9);
    assert_near(moving_value(&it, "y"), -0.9474796483552999, 1e-9);
    moving_end(&it);
}

// y = -l is touched once in every half swing of this pendulum.
static void touching_is_seen_once(void **state)
{
    (void)state;
    const moving_conditions with = {.method = RH_METHOD_DOP853};
    moving it = moving_file("tests/golden/models/language_events.rhe", &with);
    assert_int_equal(moving_advance(&it, 60.0), RH_STOP_REACHED);
    double last = -1.0;
    size_t count = 0;
    for (size_t k = 0; k < rh_motion_occurrence_count(it.motion); k++) {
        const rh_occurrence found = rh_motion_occurrence(it.motion, k);
        if (strcmp(found.name, "lowest") == 0) {
            assert_true(last < 0.0 || fabs(found.time - last - 1.64744182122) < 1e-6);
            last = found.time;
            count++;
        }
    }
    assert_int_equal(count, 36);
    moving_end(&it);
}

static void steps_do_not_allocate(void **state)
{
    (void)state;
    static const char *const PATHS[] = {"examples/pendulum_cartesian/model.rhe",
                                        "examples/andrews/model.rhe"};
    static const double TIMES[] = {10.0, 0.01};
    for (size_t k = 0; k < 2; k++) {
        support_memory memory = {0};
        const moving_conditions with = {
            .method = RH_METHOD_DOP853, .tolerance = 1e-10, .memory = &memory};
        moving it = moving_file(PATHS[k], &with);
        const size_t before = memory.request_count;
        moving_reach(&it, TIMES[k]);
        assert_int_equal(memory.request_count, before);
        moving_end(&it);
        assert_int_equal(memory.block_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stage_is_where_its_weights_put_it),
        cmocka_unit_test(the_weights_meet_all_order_conditions),
        cmocka_unit_test(the_polynomial_meets_all_order_conditions),
        cmocka_unit_test(halving_the_steps_shows_the_orders),
        cmocka_unit_test(motions_agree_with_those_of_taylor),
        cmocka_unit_test(events_agree_with_those_of_taylor),
        cmocka_unit_test(switches_are_met),
        cmocka_unit_test(touching_is_seen_once),
        cmocka_unit_test(steps_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
