// SPDX-License-Identifier: Apache-2.0
// Ranks on and off the constraints, redundant sets by name, which multipliers are unique, how many
// freedoms remain.

#include "examined.h"

#include <time.h>

static void assert_ranks(const examined *it, uint32_t start, uint32_t near, uint32_t far,
                         uint32_t off)
{
    const uint32_t *rank = it->checkup->rank;
    assert_int_equal(rank[RH_CHECKUP_START], start);
    assert_int_equal(rank[RH_CHECKUP_NEAR], near);
    assert_int_equal(rank[RH_CHECKUP_FAR], far);
    assert_int_equal(rank[RH_CHECKUP_OFF], off);
}

static bool are_rates_unique(const examined *it)
{
    bool ok = true;
    for (uint32_t k = 0; k < it->checkup->form.rate_count; k++) {
        ok = ok && it->checkup->result.is_unique[k];
    }
    return ok;
}

static const char *const NOBODY[] = {NULL};

// --- redundant sets ------------------------------------------------------------------------------

static void bricard_has_one_row_too_many(void **state)
{
    (void)state;
    examined it = examine_file("examples/bricard/model.rhe");
    assert_int_equal(it.checkup->row_count, 5);
    assert_ranks(&it, 4, 4, 4, 5);
    assert_redundant(&it, "close_x",
                     (const char *[]){"close_y", "close_z", "axis_y", "axis_z", NULL});
    assert_redundant(&it, "axis_z",
                     (const char *[]){"close_x", "close_y", "close_z", "axis_y", NULL});
    for (uint32_t k = 0; k < 5; k++) {
        assert_int_equal(it.checkup->links[k].redundant_count, 4);
        assert_false(it.checkup->links[k].is_unique);
    }
    assert_true(are_rates_unique(&it));
    assert_int_equal(it.checkup->degrees_of_freedom, 1);
    assert_int_equal(it.checkup->configuration_dimension, 1);
    examined_end(&it);
}

static void copies_are_named(void **state)
{
    (void)state;
    examined it = examine_text("coord x, y, z, w\n"
                               "kinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\n"
                               "force x: 1\nforce z: 2\n"
                               "constraint a: x = 0\nconstraint b: 2*x = 0\n"
                               "constraint c: y = 0\nconstraint d: y = 0\n"
                               "constraint e: z = 0\n");
    assert_ranks(&it, 3, 3, 3, 3);
    assert_redundant(&it, "a", (const char *[]){"b", NULL});
    assert_redundant(&it, "b", (const char *[]){"a", NULL});
    assert_redundant(&it, "c", (const char *[]){"d", NULL});
    assert_redundant(&it, "d", (const char *[]){"c", NULL});
    assert_redundant(&it, "e", NOBODY);
    assert_false(report_of(&it, "a")->is_unique);
    assert_false(report_of(&it, "d")->is_unique);
    assert_true(report_of(&it, "e")->is_unique);
    assert_near(report_of(&it, "e")->multiplier, -2.0, 1e-13);
    // the reaction is unique, and the multipliers that give it are the least ones: 0.2, 0.4
    assert_near(report_of(&it, "a")->multiplier, -0.2, 1e-13);
    assert_near(report_of(&it, "b")->multiplier, -0.4, 1e-13);
    assert_int_equal(it.checkup->degrees_of_freedom, 1);
    examined_end(&it);
}

static void a_sum_of_others_is_named(void **state)
{
    (void)state;
    examined it = examine_text("coord x, y, z, w\n"
                               "kinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\n"
                               "constraint a: x' = w'*y\nconstraint b: y' = 0\n"
                               "constraint rod: z^2 + w^2 = 1\n"
                               "constraint c: x' - w'*y + (2 + sin(z))*y' = 0\n"
                               "start z = 0.6, w = 0.8, x = 0.1, y = 0.3\n");
    assert_ranks(&it, 3, 3, 3, 3);
    assert_redundant(&it, "a", (const char *[]){"b", "c", NULL});
    assert_redundant(&it, "b", (const char *[]){"a", "c", NULL});
    assert_redundant(&it, "c", (const char *[]){"a", "b", NULL});
    assert_redundant(&it, "rod", NOBODY);
    assert_false(report_of(&it, "a")->is_unique);
    assert_true(report_of(&it, "rod")->is_unique);
    examined_end(&it);
}

// A table on four legs: the forces are not unique, whichever leg is left out. A sixth leg that
// shares nothing with the others stays alone.
static void a_table_on_four_legs(void **state)
{
    (void)state;
    examined it =
        examine_text("coord z, a, b, u\n"
                     "kinetic (z'^2 + a'^2 + b'^2 + u'^2)/2\n"
                     "potential 9.81*(z + u)\n"
                     "constraint leg[1]: z + a + b = 0\nconstraint leg[2]: z - a + b = 0\n"
                     "constraint leg[3]: z + a - b = 0\nconstraint leg[4]: z - a - b = 0\n"
                     "constraint other: u = 0\n");
    assert_int_equal(it.checkup->rank[RH_CHECKUP_START], 4);
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(it.checkup->links[k].redundant_count, 3);
        assert_false(it.checkup->links[k].is_unique);
        assert_near(it.checkup->links[k].multiplier, 9.81 / 4.0, 1e-13);
    }
    assert_redundant(&it, "other", NOBODY);
    assert_near(report_of(&it, "other")->multiplier, 9.81, 1e-13);
    examined_end(&it);
}

// --- singular states -----------------------------------------------------------------------------

static void four_bars_have_full_rank(void **state)
{
    (void)state;
    examined two = examine_file("examples/four_bar/model.rhe");
    assert_ranks(&two, 5, 5, 5, 5);
    assert_int_equal(two.checkup->degrees_of_freedom, 1);
    examined_end(&two);
    examined forty = examine_file("examples/four_bar/n40.rhe");
    assert_int_equal(forty.checkup->rank[RH_CHECKUP_START], 81);
    assert_int_equal(forty.checkup->rank[RH_CHECKUP_NEAR], 81);
    assert_int_equal(forty.checkup->degrees_of_freedom, 1);
    for (uint32_t k = 0; k < 81; k++) {
        assert_int_equal(forty.checkup->links[k].redundant_count, 0);
        assert_true(forty.checkup->links[k].is_unique);
    }
    examined_end(&forty);
}

#define FLAT                                                                                       \
    "coord x[0..N], y[0..N]\n"                                                                     \
    "kinetic sum(i in 0..N: (x[i]'^2 + y[i]'^2)/6)\n"                                              \
    "for i in 0..N: constraint upright[i]: (x[i] - i)^2 + y[i]^2 = 1\n"                            \
    "for i in 1..N: constraint coupler[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"            \
    "for i in 0..N: start x[i] = i + 1, y[i] = 0, x[i]' = 0, y[i]' = 1\n"

// All bars lie on one line: the rank drops to N + 1 there, and only there. Nothing is redundant.
static void flat_four_bars_are_singular(void **state)
{
    (void)state;
    examined it = examine_text("param N = 2\n" FLAT);
    assert_int_equal(it.checkup->rank[RH_CHECKUP_START], 3);
    assert_int_equal(it.checkup->degrees_of_freedom, 3);
    assert_int_equal(it.checkup->configuration_dimension, 1);
    for (uint32_t k = 0; k < 5; k++) {
        assert_int_equal(it.checkup->links[k].redundant_count, 0);
    }
    assert_false(report_of(&it, "coupler[1]")->is_unique);
    assert_true(are_rates_unique(&it));
    examined_end(&it);
    // a blade beside it does not become integrable
    examined blade = examine_text("param N = 2\n" FLAT "coord u, v, th\n"
                                  "kinetic (u'^2 + v'^2 + th'^2)/2\n"
                                  "constraint blade: u'*sin(th) = v'*cos(th)\n");
    assert_int_equal(blade.checkup->rank[RH_CHECKUP_START], 4);
    assert_int_equal(blade.checkup->hidden_integrals, 0);
    assert_int_equal(blade.checkup->configuration_dimension, 4);
    examined_end(&blade);
}

// The rank drops at the start only: x^2 + y^2 = z^2 at the tip of the cone.
static void a_tip_is_singular(void **state)
{
    (void)state;
    examined it = examine_text("coord x, y, z, w\n"
                               "kinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\n"
                               "constraint held: w = 0\n"
                               "constraint cone: x^2 + y^2 = z^2\n"
                               "start x = 0, y = 0, z = 0, x' = 0, y' = 0, z' = 0\n");
    assert_int_equal(it.checkup->rank[RH_CHECKUP_START], 1);
    assert_int_equal(it.checkup->rank[RH_CHECKUP_OFF], 2);
    assert_int_equal(report_of(&it, "held")->redundant_count, 0);
    assert_true(report_of(&it, "held")->is_unique);
    examined_end(&it);
}

// --- large systems -------------------------------------------------------------------------------

static void a_thousand_rods_take_no_time(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = support_read("examples/chain/model.rhe", &size);
    const char *const set[] = {"N=1000", NULL};
    const clock_t begin = clock();
    examined it = examine_with(text, set, NULL);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_int_equal(it.status, RH_OK);
    assert_int_equal(it.checkup->rank[RH_CHECKUP_START], 1000);
    assert_int_equal(it.checkup->rank[RH_CHECKUP_OFF], 1000);
    assert_int_equal(it.checkup->degrees_of_freedom, 1000);
    assert_int_equal(it.checkup->configuration_dimension, 1000);
    assert_true(report_of(&it, "rod[1000]")->is_unique);
    // straight and at rest: every rod carries what hangs below, along itself
    assert_near(report_of(&it, "rod[1]")->multiplier, -9.81 * cos(0.5) / 2.0 * 1000.0, 1e-9);
    print_message("%.2f s\n", seconds);
    examined_end(&it);
    free(text);
}

// --- freedoms ------------------------------------------------------------------------------------

static void assert_freedoms(const char *text, uint32_t velocities, uint32_t configurations)
{
    examined it = examine_text(text);
    if (it.checkup->degrees_of_freedom != velocities ||
        it.checkup->configuration_dimension != configurations) {
        fail_msg("%u and %u, not %u and %u:\n%s", it.checkup->degrees_of_freedom,
                 it.checkup->configuration_dimension, velocities, configurations, text);
    }
    examined_end(&it);
}

static void files_have_their_freedoms(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint32_t velocities, configurations;
    } files[] = {
        {"examples/rolling_disc/model.rhe", 3, 5},     {"examples/knife_edge/model.rhe", 2, 3},
        {"examples/whipple_bicycle/model.rhe", 3, 7},  {"examples/rattleback/model.rhe", 3, 5},
        {"examples/double_pendulum/model.rhe", 2, 2},  {"examples/andrews/model.rhe", 1, 1},
        {"examples/chaplygin_sleigh/model.rhe", 2, 3}, {"examples/two_mass_rod/model.rhe", 5, 5},
        {"examples/fekete_points/model.rhe", 40, 40},  {"examples/rolling_torus/vectors.rhe", 3, 5},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        size_t size = 0;
        char *text = support_read(files[k].path, &size);
        assert_freedoms(text, files[k].velocities, files[k].configurations);
        free(text);
    }
}

static void texts_have_their_freedoms(void **state)
{
    (void)state;
    // spherical pendulum in Cartesian coordinates
    assert_freedoms("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
                    "constraint rod: x^2 + y^2 + z^2 = 1\nstart x = 0.6, y = 0, z = -0.8\n",
                    2, 2);
    // ball rolling on a plane
    assert_freedoms("coord x, y, psi, th, ph\nlet R = rotz(psi)*rotx(th)*rotz(ph)\n"
                    "let w = R*spin(R)\nkinetic (x'^2 + y'^2)/2 + dot(w, w)/5\n"
                    "constraint rx: x' = w[2]\nconstraint ry: y' = -w[1]\n"
                    "start th = 1, psi' = 0.3, th' = 0.2, ph' = 1\n",
                    3, 5);
    // the same without spin about the normal: the rolling distribution (2, 3, 5)
    assert_freedoms("coord x, y, psi, th, ph\nlet R = rotz(psi)*rotx(th)*rotz(ph)\n"
                    "let w = R*spin(R)\nkinetic (x'^2 + y'^2)/2 + dot(w, w)/5\n"
                    "constraint rx: x' = w[2]\nconstraint ry: y' = -w[1]\n"
                    "constraint twist: w[3] = 0\nstart th = 1, th' = 0.2\n",
                    2, 5);
    // no freedom is left
    assert_freedoms("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x = t\n"
                    "constraint b: y = sin(t)\n",
                    0, 0);
}

static void trailers_reach_everything(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 4; n++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "param n = %u\ncoord x, y, phi[0..n]\n"
                       "kinetic (x'^2 + y'^2 + sum(i in 0..n: phi[i]'^2))/2\n"
                       "let r[0] = [x, y]\n"
                       "for i in 1..n: let r[i] = r[i-1] - [cos(phi[i]), sin(phi[i])]\n"
                       "for i in 0..n: constraint wheel[i]: "
                       "dot(r[i]', [-sin(phi[i]), cos(phi[i])]) = 0\n"
                       "for i in 0..n: guess phi[i] = 0.1*i\nguess x' = 1\n",
                       n);
        assert_freedoms(text, 2, n + 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricard_has_one_row_too_many),
        cmocka_unit_test(copies_are_named),
        cmocka_unit_test(a_sum_of_others_is_named),
        cmocka_unit_test(a_table_on_four_legs),
        cmocka_unit_test(four_bars_have_full_rank),
        cmocka_unit_test(flat_four_bars_are_singular),
        cmocka_unit_test(a_tip_is_singular),
        cmocka_unit_test(a_thousand_rods_take_no_time),
        cmocka_unit_test(files_have_their_freedoms),
        cmocka_unit_test(texts_have_their_freedoms),
        cmocka_unit_test(trailers_reach_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
