// SPDX-License-Identifier: Apache-2.0
// Bars of curves hold where the curves are: borders of the Lorenz equations, known in closed form,
// with variables that lie far from what they are subtracted from.

#include "../chart/charting.h"

static const char LORENZ[] = "param rho = 0.5, beta = 8/3, sigma = 10\n"
                             "state X, Y, Z\n"
                             "let x = X - %s\nlet y = Y - %s\nlet z = Z - %s\n"
                             "law X' = sigma*(y - x)\n"
                             "law Y' = rho*x - y - x*z\n"
                             "law Z' = x*y - beta*z\n"
                             "start X = 3 + %s, Y = 3 + %s, Z = 10 + %s\n";

// The border of the motions beside the origin: they begin at rho = 1 and end in a pair on the axis.
static double border(uint32_t kind, double sigma)
{
    const double beta = 8.0 / 3.0;
    return kind == RH_STEADY_UNSTABLE ? sigma * (sigma + beta + 3.0) / (sigma - beta - 1.0) : 1.0;
}

static double check_curve(const rh_chart_curve *curve, const char *text)
{
    double largest = 0.0;
    assert_true(curve->count > 0);
    for (size_t p = 0; p < curve->count; p++) {
        const double *point = curve->points + 2 * p;
        const double *bar = curve->bars + 2 * p;
        const uint32_t kind =
            curve->kinds[1] == RH_CHART_NONE ? curve->kinds[1] : RH_STEADY_UNSTABLE;
        assert_true((bar[0] == 0.0) != (bar[1] == 0.0)); // it lies on a line of the grid
        if (bar[1] == 0.0 && !(fabs(point[0] - border(kind, point[1])) <= bar[0])) {
            fail_msg("%.17g is not %.17g to %.3g in\n%s", point[0], border(kind, point[1]), bar[0],
                     text);
        }
        largest = fmax(largest, fmax(bar[0], bar[1]));
    }
    return largest;
}

static double check_borders(const char *x, const char *y, const char *z)
{
    char text[600];
    charting on;
    (void)snprintf(text, sizeof text, LORENZ, x, y, z, x, y, z);
    charting_begin(text, NULL, &on);
    const rh_chart_def def =
        charting_def((rh_chart_axis){"rho", 0.1, 30.0, 31}, (rh_chart_axis){"sigma", 8.0, 12.0, 5});
    rh_chart *chart = charting_draw(&on, &def);
    const size_t count = rh_chart_summarise(chart).curve_count;
    double largest = 0.0;
    assert_true(count > 0);
    for (size_t k = 0; k < count; k++) {
        const rh_chart_curve curve = rh_chart_curve_at(chart, k);
        largest = fmax(largest, check_curve(&curve, text));
    }
    rh_chart_destroy(chart);
    charting_end(&on);
    return largest;
}

static void borders_are_within_their_bars(void **state)
{
    (void)state;
    assert_true(check_borders("0", "0", "0") < 1e-10);
    assert_true(check_borders("1e3", "0", "0") < 1e-5);
    check_borders("1e4", "1e4", "1e4");
    check_borders("1e6", "0", "0");
    check_borders("1e6", "1e6", "1e6");
    check_borders("0", "0", "1e7");
    check_borders("1e8", "0", "0");
    check_borders("1e8", "1e8", "1e8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_are_within_their_bars),
    };
    return cmocka_run_group_tests_name("bars of charts", tests, NULL, NULL);
}
