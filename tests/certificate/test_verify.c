// SPDX-License-Identifier: Apache-2.0
// Verdicts proved, against closed forms and reference numbers: rolling disc (both steady values of
// w2, thresholds of stability, a chart of twenty points), sleigh, rattleback in both directions,
// rules of verdicts, points of rest, systems with holonomic constraints. The numbers are those of
// docs/theory/steady.md: 30-digit computations.

#include "proving.h"

static char *read_model(const char *path)
{
    size_t size = 0;
    return support_read(path, &size);
}

// The number of a line of the certificate that begins with `head`: its lower bound.
static double low_of(const proving *it, const char *head)
{
    const char *text = rh_certificate_text(it->certificate);
    const char *line = strstr(text, head);
    assert_non_null(line);
    return strtod(strchr(line, '[') + 1, NULL);
}

// --- the rolling disc ----------------------------------------------------------------------------

static void both_motions_of_the_disc_are_proved(void **state)
{
    (void)state;
    char *disc = read_model("examples/rolling_disc/model.rhe");
    const double w2[] = {1.1726273059845602709, -76.262494451590134959};
    const double a0[] = {80.620346736295836456, 4915.1298530909789787};
    const double im[] = {8.9774576989421585609, 70.107804509134209364};
    for (size_t k = 0; k < 2; k++) {
        const proving_call call = {
            .set = {"h=0.1"}, .fix = {"theta=0.5", "w3=6"}, .guess = {k == 0 ? "w2=1" : "w2=-76"}};
        proving it = proving_begin(disc, &call);
        assert_true(rh_certificate_holds(it.certificate));
        assert_string_equal(rh_certificate_verdict(it.certificate), "asymptotically stable");
        assert_int_equal(rh_certificate_dimension(it.certificate), 2);
        assert_near(low_of(&it, "enclose     w2"), w2[k], 1e-15);
        assert_near(low_of(&it, "coefficient 0"), a0[k], 1e-15);
        assert_near(low_of(&it, "coefficient 1"), 0.32, 1e-15);
        assert_int_equal(rh_certificate_root_count(it.certificate), 2);
        for (size_t j = 0; j < 2; j++) {
            const rh_certificate_root root = rh_certificate_root_at(it.certificate, j);
            assert_true(root.real_low <= -0.16 && root.real_high >= -0.16);
            assert_near(0.5 * (root.real_low + root.real_high), -0.16, 1e-14);
            const double middle = 0.5 * (root.imaginary_low + root.imaginary_high);
            assert_near(middle < 0.0 ? -middle : middle, im[k], 1e-14);
        }
        proving_end(&it);
    }
    free(disc);
}

// One unit of the tenth digit decides.
static void thresholds_of_the_disc_are_sharp(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *guess, *verdict;
    } CASES[] = {
        // upright rolling: 2.5573423705088843657
        {"theta=0", "w3=2.557342370", "w2=0", "unstable"},
        {"theta=0", "w3=2.557342371", "w2=0", "asymptotically stable"},
        {"theta=0", "w3=2.55734237050888436", "w2=0", "unstable"},
        {"theta=0", "w3=2.55734237050888437", "w2=0", "asymptotically stable"},
        // upright spinning: 3.9618177646126026729
        {"w3=0", "w2=3.961817764", "theta=0", "unstable"},
        {"w3=0", "w2=3.961817765", "theta=0", "asymptotically stable"},
        // lean 0.05: 0.13283866611445560855, 2.545015027903908602
        {"theta=0.05", "w3=0.132838666", "w2=4", "asymptotically stable"},
        {"theta=0.05", "w3=0.132838667", "w2=4", "unstable"},
        {"theta=0.05", "w3=2.545015027", "w2=0.26", "unstable"},
        {"theta=0.05", "w3=2.545015028", "w2=0.26", "asymptotically stable"},
        // lean 0.3: 1.0972625322554901013, 1.9193358146405227362
        {"theta=0.3", "w3=1.097262532", "w2=3.3", "asymptotically stable"},
        {"theta=0.3", "w3=1.097262533", "w2=3.3", "unstable"},
        {"theta=0.3", "w3=1.919335814", "w2=2", "unstable"},
        {"theta=0.3", "w3=1.919335815", "w2=2", "asymptotically stable"},
    };
    char *disc = read_model("examples/rolling_disc/model.rhe");
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const proving_call call = {
            .set = {"h=0.1"}, .fix = {CASES[k].first, CASES[k].second}, .guess = {CASES[k].guess}};
        proving_expect(disc, &call, CASES[k].verdict);
    }
    free(disc);
}

static void twenty_points_of_the_chart_are_proved(void **state)
{
    (void)state;
    static const char *const LEANS[] = {"theta=0.05", "theta=0.3", "theta=0.6", "theta=0.9",
                                        "theta=1.2"};
    static const char *const SPINS[] = {"w3=0.5", "w3=1.5", "w3=2.5", "w3=4"};
    static const double SMALL[5][4] = {
        {1.281722297304978, 0.4353113800856129, 0.2615902151143507, 0.1635806624607322},
        {5.312311666600902, 2.493289902147824, 1.569892083208192, 0.9992350258502263},
        {7.450174169089105, 4.624156356684612, 3.195116735750647, 2.130353345102222},
        {9.483322091303518, 6.874887760457271, 5.187727756994467, 3.678961532831151},
        {13.19507156046311, 10.66033384429994, 8.726132295065403, 6.678700671461291}};
    static const double A0[5][4] = {
        {-13.37115406758926, -10.02180792421202, -0.5426527107471659, 22.81575281457828},
        {14.40976047237534, -1.385174394830017, 4.703179572274228, 26.73098278234597},
        {40.2788334063424, 18.93442131870328, 19.97288749858682, 39.02826562035664},
        {66.13185835815367, 47.46262938938103, 45.86874297114407, 61.91062777933532},
        {120.8211747072509, 103.6742650946545, 99.66439674376275, 111.6166517395002}};
    char *disc = read_model("examples/rolling_disc/model.rhe");
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 4; j++) {
            char guess[40];
            (void)snprintf(guess, sizeof guess, "w2=%.4f", SMALL[i][j]);
            const proving_call call = {
                .set = {"h=0.1"}, .fix = {LEANS[i], SPINS[j]}, .guess = {guess}};
            proving it = proving_begin(disc, &call);
            assert_true(rh_certificate_holds(it.certificate));
            assert_string_equal(rh_certificate_verdict(it.certificate),
                                A0[i][j] > 0.0 ? "asymptotically stable" : "unstable");
            assert_near(low_of(&it, "enclose     w2"), SMALL[i][j], 1e-15);
            assert_near(low_of(&it, "coefficient 0"), A0[i][j], 1e-14);
            proving_end(&it);
        }
    }
    free(disc);
}

// --- sleigh, rattleback --------------------------------------------------------------------------

static const char SLEIGH[] =
    "param m = 2, J = 0.3, l = 0.25\ncoord x, y, th\n"
    "kinetic m/2*((x' - l*sin(th)*th')^2 + (y' + l*cos(th)*th')^2) + J/2*th'^2\n"
    "constraint blade: -sin(th)*x' + cos(th)*y' = 0\n"
    "start x = 0, y = 0, th = 0.2\n";

static const char FRAME[] = "quasi w1 = cos(th)*x' + sin(th)*y'\nquasi w2 = th'\n";

static void the_sleigh_is_stable_forwards_only(void **state)
{
    (void)state;
    char text[512];
    (void)snprintf(text, sizeof text, "%s%s", SLEIGH, FRAME);
    proving_call call = {.fix = {"w1=2"}};
    proving it = proving_begin(text, &call);
    assert_string_equal(rh_certificate_verdict(it.certificate), "asymptotically stable");
    assert_int_equal(rh_certificate_dimension(it.certificate), 1);
    assert_near(low_of(&it, "coefficient 0"), 2.3529411764705882353, 1e-15);
    proving_end(&it);
    call.fix[0] = "w1=-2";
    proving_expect(text, &call, "unstable");
    // at rest the steady set has a singular point
    call.fix[0] = "w1=0";
    proving_expect(text, &call, NULL);
}

static void the_rattleback_has_a_preferred_direction(void **state)
{
    (void)state;
    static const struct {
        const char *h, *spin, *verdict;
        double real[2], imaginary[2]; // of the two pairs, rightmost first
    } CASES[] = {
        {"h=0",
         "w3=5",
         "unstable",
         {0.234404046948932736, -5.92698865866494634},
         {20.7609058889103096, 101.279303870339002}},
        {"h=0",
         "w3=-5",
         "unstable",
         {5.92698865866494634, -0.234404046948932736},
         {101.279303870339002, 20.7609058889103096}},
        {"h=0.002",
         "w3=5",
         "asymptotically stable",
         {-1.42583832780263091, -6.43341295058004935},
         {20.7544038856601103, 101.04758143367416}},
        {"h=0.002",
         "w3=-5",
         "unstable",
         {5.40722894594036476, -1.88131100089101783},
         {101.506304847226031, 20.6362829970752206}},
    };
    char *text = read_model("examples/rattleback/model.rhe");
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const proving_call call = {
            .set = {CASES[k].h}, .fix = {CASES[k].spin}, .guess = {"al=0", "be=0"}};
        proving it = proving_begin(text, &call);
        assert_string_equal(rh_certificate_verdict(it.certificate), CASES[k].verdict);
        assert_int_equal(rh_certificate_dimension(it.certificate), 1);
        assert_int_equal(rh_certificate_root_count(it.certificate), 4);
        for (size_t j = 0; j < 4; j++) {
            const rh_certificate_root root = rh_certificate_root_at(it.certificate, j);
            const double middle = 0.5 * (root.imaginary_low + root.imaginary_high);
            assert_near(root.real_low, CASES[k].real[j / 2], 1e-13);
            assert_near(middle < 0.0 ? -middle : middle, CASES[k].imaginary[j / 2], 1e-13);
        }
        proving_end(&it);
    }
    free(text);
}

// --- rules ---------------------------------------------------------------------------------------

static void what_is_not_definite_is_not_proved(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "state p, w\nlaw p' = w\nlaw w' = -4*p^3\nstart p = 0, w = 0\n", // degenerate
        "state p, w\nlaw p' = w\nlaw w' = 0\nstart p = 0, w = 0\n",      // nilpotent
        "state p, w\nlaw p' = w\nlaw w' = -p\nstart p = 0, w = 0\n",     // imaginary
    };
    const proving_call call = {.solution = 0};
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        proving_expect(TEXTS[k], &call, NULL);
    }
    char *disc = read_model("examples/rolling_disc/model.rhe");
    const proving_call undamped = {.fix = {"theta=0.5", "w3=6"}};
    proving it = proving_begin(disc, &undamped);
    assert_false(rh_certificate_holds(it.certificate));
    assert_string_equal(rh_certificate_reason(it.certificate),
                        "the roots cannot be told from the imaginary axis");
    assert_string_equal(rh_certificate_text(it.certificate), "");
    proving_end(&it);
    free(disc);
}

// On a switching surface a ball of no width is finite, and says nothing of what lies beside it.
static void kinks_are_not_differentiated(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "state x\nlaw x' = -x + 2*abs(x)\nstart x = 0\n", // x' = x for positive x
        "state x\nlaw x' = 3*max(x, 0) - x\nstart x = 0\n",
        "state x\nlaw x' = if(x > 0, 2*x, -x)\nstart x = 0\n",
        "state x\nlaw x' = -x + 2*sign(x)\nstart x = 0\n",
        "state x, y\nlaw x' = -x + y\nlaw y' = -y + 2*abs(x - y)\nstart x = 0, y = 0\n",
        // a mass on a spring that pushes away on one side
        ("coord x\nkinetic x'^2/2\npotential x^2/2\ndissipation x'^2/2\n"
         "force x: if(x > 0, 3*x, 0)\nstart x = 0, x' = 0\n"),
        // dry friction: all of |x| <= 1 is at rest
        "coord x\nkinetic x'^2/2\npotential x^2/2\nforce x: -sign(x')\nstart x = 0, x' = 0\n",
    };
    const proving_call call = {.guess = {"x=0"}};
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        proving_expect(TEXTS[k], &call, NULL);
    }
    // beside a kink there is none
    const proving_call beside = {.guess = {"x=1"}};
    proving_expect("state x\nlaw x' = 1 - abs(x)\nstart x = 1\n", &beside, "asymptotically stable");
}

static void everything_near_is_steady(void **state)
{
    (void)state;
    const proving_call call = {.solution = 0};
    proving_expect("param m = 1\nstate p, q\nlaw p' = 0\nlaw q' = 0*m\nstart p = 1, q = 2\n", &call,
                   "stable");
}

// --- points of rest, constraints -----------------------------------------------------------------

static void points_of_rest_are_proved(void **state)
{
    (void)state;
    const proving_call call = {.solution = 0};
    proving_expect("param g = 9.81, l = 1, c = 0.2\ncoord th\nkinetic l^2*th'^2/2\n"
                   "potential -g*l*cos(th)\ndissipation c*th'^2/2\nstart th = 0.1\n",
                   &call, "asymptotically stable");
    proving_expect("param g = 9.81, l = 1, c = 0.2\ncoord th\nkinetic l^2*th'^2/2\n"
                   "potential -g*l*cos(th)\ndissipation c*th'^2/2\nstart th = 3.1\n",
                   &call, "unstable");
    // roots of x^3 - 2 are no rational numbers
    proving_expect("state x\nlaw x' = 2 - x^3\nstart x = 1\n", &call, "asymptotically stable");
    proving_expect("state x, y\nlaw x' = y - x*exp(-y)\nlaw y' = 1/3 - x\nstart x = 0.3, y = 0.2\n",
                   &call, "asymptotically stable");
}

static void a_pendulum_in_the_plane_is_proved(void **state)
{
    (void)state;
    static const char TEXT[] =
        "param m = 1, l = 1.5, g = 9.81, c = 0.3\ncoord x, y\nkinetic m*(x'^2 + y'^2)/2\n"
        "potential m*g*y\ndissipation c*(x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = l^2\n"
        "start x = 0.2, y = -sqrt(l^2 - 0.04)\n";
    proving_call call = {.guess = {"x=0.1", "y=-1.4"}};
    proving_expect(TEXT, &call, "asymptotically stable");
    call.guess[1] = "y=1.4";
    proving_expect(TEXT, &call, "unstable");
}

// A conical pendulum: th is given, the speed follows; damped in th alone.
static void a_routhian_family_is_proved(void **state)
{
    (void)state;
    static const char TEXT[] =
        "param m = 1, l = 1, g = 9.81, c = 0.3\ncoord th, ph\n"
        "kinetic m*l^2/2*(th'^2 + sin(th)^2*ph'^2)\npotential -m*g*l*cos(th)\n"
        "dissipation c*th'^2/2\nstart th = 0.5, ph = 0, ph' = 3\n";
    const proving_call call = {.fix = {"th=0.5"}, .guess = {"ph'=3"}};
    proving it = proving_begin(TEXT, &call);
    assert_string_equal(rh_certificate_verdict(it.certificate), "asymptotically stable");
    assert_int_equal(rh_certificate_dimension(it.certificate), 1);
    // ph'^2 = g/(l cos th)
    assert_near(low_of(&it, "enclose"), sqrt(9.81 / cos(0.5)), 1e-14);
    proving_end(&it);
}

// A law lets the constraint deviate: its multiplier remains in the equations.
static void multipliers_may_remain(void **state)
{
    (void)state;
    static const char TEXT[] =
        "param m = 1, l = 1, g = 9.81, c = 0.3, w = 5, mu = 4\ncoord x, y\n"
        "kinetic m*(x'^2 + y'^2)/2\npotential m*g*y\ndissipation c*(x'^2 + y'^2)/2\n"
        "constraint rod: x^2 + y^2 = l^2 with rod'' = -w^2*rod - 2*mu*rod'\n"
        "start x = 0.1, y = -1\n";
    proving_call call = {.guess = {"x=0.1", "y=-1"}};
    proving_expect(TEXT, &call, "asymptotically stable");
    call.guess[1] = "y=1";
    proving_expect(TEXT, &call, "unstable");
    // a control that pushes y alone, damped
    proving_expect("param c = 1, k = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                   "potential k*x^2/2 + y^2/2\ndissipation c*(x'^2 + y'^2)/2\n"
                   "constraint aim: x + 2*y = 1 by servo(y: 1)\nstart x = 0.2, y = 0.4\n",
                   &(const proving_call){.solution = 0}, "asymptotically stable");
}

static void mechanisms_are_proved(void **state)
{
    (void)state;
    static const char *const PATHS[] = {
        "examples/andrews/model.rhe", "examples/two_link_arm_program/model.rhe",
        "examples/double_pendulum/model.rhe", "examples/lorenz/model.rhe"};
    for (size_t k = 0; k < sizeof PATHS / sizeof *PATHS; k++) {
        char *text = read_model(PATHS[k]);
        proving_expect(text, &(const proving_call){.solution = 0}, "unstable");
        free(text);
    }
}

// --- identities ----------------------------------------------------------------------------------

// Quasi-velocities that mix the velocity of the positional coordinate with others: it is exchanged.
static void mixed_quasi_velocities_are_exchanged(void **state)
{
    (void)state;
    char *disc = read_model("examples/rolling_disc/model.rhe");
    const size_t size = strlen(disc) + 256;
    char *text = malloc(size);
    char *from = strstr(disc, "quasi w1");
    char *to = strstr(disc, "# reference case");
    assert_non_null(text);
    *from = '\0';
    (void)snprintf(text, size,
                   "%slet w3 = phi' - sin(theta)*psi'\nquasi a1 = theta' + 2*psi'\n"
                   "quasi a2 = psi' - theta'/3\nquasi a3 = w3 + theta'\n%s",
                   disc, to);
    const proving_call call = {
        .set = {"h=0.1"}, .fix = {"theta=0.5", "a3=6"}, .guess = {"a1=2.3", "a2=1.17"}};
    proving it = proving_begin(text, &call);
    assert_string_equal(rh_certificate_verdict(it.certificate), "asymptotically stable");
    assert_non_null(strstr(rh_certificate_text(it.certificate), "= theta'"));
    assert_near(low_of(&it, "coefficient 0"), 80.620346736295836456, 1e-15);
    proving_end(&it);
    free(text);
    free(disc);
}

// A free body about its middle axis, in axes that are not its own: three equations, two unknowns,
// and the third follows from the balance of power.
static void the_balance_of_power_gives_an_equation(void **state)
{
    (void)state;
    static const char TEXT[] =
        "coord al, be, ga\nlet R = rotz(al)*rotx(be)*rotz(ga)\nlet w = spin(R)\n"
        "let B = rotz(0.3)*rotx(0.2)\nlet J = B*diag(1, 2, 3)*transpose(B)\n"
        "kinetic dot(w, J*w)/2\nquasi w1 = w.x\nquasi w2 = w.y\nquasi w3 = w.z\n"
        "start al = 0, be = 1, ga = 0, w1 = -1, w2 = 3, w3 = 0.7\n";
    // the middle axis is B (0, 1, 0)
    const proving_call call = {.fix = {"w2=3"}, .guess = {"w1=-0.93", "w3=0.64"}};
    proving it = proving_begin(TEXT, &call);
    assert_string_equal(rh_certificate_verdict(it.certificate), "unstable");
    assert_non_null(strstr(rh_certificate_text(it.certificate), "by power balance"));
    proving_end(&it);
}

static void an_observed_quantity_may_be_fixed(void **state)
{
    (void)state;
    char text[640];
    (void)snprintf(text, sizeof text, "%s%sobserve energy = m/2*w1^2 + (J + m*l^2)/2*w2^2\n",
                   SLEIGH, FRAME);
    const proving_call call = {.fix = {"energy=4"}, .guess = {"w1=1.9"}};
    proving it = proving_begin(text, &call);
    assert_string_equal(rh_certificate_verdict(it.certificate), "asymptotically stable");
    assert_near(low_of(&it, "enclose     w1"), 2.0, 1e-15);
    proving_end(&it);
}

// x' depends on the heading, which is cyclic: a value of w1 is fixed instead.
static void what_depends_on_cyclic_coordinates_is_not_fixed(void **state)
{
    (void)state;
    const proving_call call = {.fix = {"x'=1.96"}, .guess = {"th'=0"}};
    proving it = proving_begin(SLEIGH, &call);
    assert_string_equal(rh_certificate_verdict(it.certificate), "asymptotically stable");
    assert_null(strstr(rh_certificate_text(it.certificate), "x' ="));
    proving_end(&it);
}

static void a_fixed_parameter_is_set(void **state)
{
    (void)state;
    const proving_call call = {.fix = {"c=0.25"}};
    proving it = proving_begin("param c = 1\nstate x\nlaw x' = c - x\nstart x = 0\n", &call);
    assert_string_equal(rh_certificate_verdict(it.certificate), "asymptotically stable");
    assert_non_null(strstr(rh_certificate_text(it.certificate), "c=0.25"));
    assert_near(low_of(&it, "enclose"), 0.25, 1e-15);
    proving_end(&it);
}

// The last value counts, and a fixed one more; the text says only that.
static void a_parameter_is_set_once(void **state)
{
    (void)state;
    const char *text = "param b = 1, c = 1\nstate x\nlaw x' = c - b*x\nstart x = 0\n";
    const proving_call call = {.set = {"b=4", "c=3", "b=2"}, .fix = {"c=0.5"}};
    proving it = proving_begin(text, &call);
    const char *told = rh_certificate_text(it.certificate);
    assert_string_equal(rh_certificate_verdict(it.certificate), "asymptotically stable");
    assert_non_null(strstr(told, "c=0.5"));
    assert_non_null(strstr(told, "b=2"));
    assert_null(strstr(told, "b=4"));
    assert_null(strstr(told, "c=3"));
    assert_near(low_of(&it, "enclose"), 0.25, 1e-15);
    proving_end(&it);
}

// A body on two wheels turns while it hangs, or stands: three equations vanish with sin(th).
static void half_turns_are_exact(void **state)
{
    (void)state;
    static const char ROBOT[] =
        "param M = 2, m = 0.2, l = 0.3, r = 0.1, b = 0.2, g = 9.81, J = 0.05, Jw = 0.001\n"
        "coord x, y, ps, th, p1, p2\nlet xb = x + l*sin(th)*cos(ps)\n"
        "let yb = y + l*sin(th)*sin(ps)\n"
        "kinetic M/2*(xb'^2 + yb'^2 + (l*cos(th))'^2) + J/2*(th'^2 + ps'^2) + m*(x'^2 + y'^2)"
        " + Jw/2*(p1'^2 + p2'^2)\npotential M*g*l*cos(th)\ndissipation 0.1*th'^2\n"
        "constraint side: -sin(ps)*x' + cos(ps)*y' = 0\n"
        "constraint left: cos(ps)*x' + sin(ps)*y' - b*ps' = r*p1'\n"
        "constraint right: cos(ps)*x' + sin(ps)*y' + b*ps' = r*p2'\nstart th = 0\n";
    static const char *const GUESSES[] = {"th=3", "th=-3", "th=0.1"};
    static const char *const LINES[] = {"th = pi\n", "th = -pi\n", "th = 0\n"};
    for (size_t k = 0; k < sizeof GUESSES / sizeof *GUESSES; k++) {
        const proving_call call = {.fix = {"p1'=6", "p2'=14"}, .guess = {GUESSES[k]}};
        proving it = proving_begin(ROBOT, &call);
        assert_string_equal(rh_certificate_verdict(it.certificate),
                            k < 2 ? "asymptotically stable" : "unstable");
        assert_non_null(strstr(rh_certificate_text(it.certificate), LINES[k]));
        proving_compare(&it, 0);
        proving_end(&it);
    }
}

// What only changes its place is an integral: one equation follows from the others.
static void integrals_give_equations(void **state)
{
    (void)state;
    static const struct {
        const char *text, *fix, *line;
    } CASES[] = {
        {"param a = 2, b = 3\nstate x, y\nlaw x' = -a*x + b*y\nlaw y' = a*x - b*y\nstart x = 1\n",
         "x=1", "by integral 1 x', 1 y'"},
        {"param b = 0.5, g = 0.2, d = 0.1\nstate S, I, R\nlaw S' = -b*S*I + d*R\n"
         "law I' = b*S*I - g*I\nlaw R' = g*I - d*R\nobserve N = S + I + R\n"
         "start S = 0.4, I = 0.2, R = 0.4\n",
         "N=1", "by integral 1 S', 1 I', 1 R'"},
        // volumes 1 and 7/3
        {"state x, y\nlaw x' = y - x^3\nlaw y' = 3/7*(x^3 - y)\nstart x = 1, y = 1\n", "x=1",
         "by integral 3 x', 7 y'"},
        // two of them
        {"param k = 3\nstate a, b, c, d\nlaw a' = d^2 - k*a*b\nlaw b' = d^2 - k*a*b\n"
         "law c' = d - c\nlaw d' = 2*k*a*b - 2*d^2 + c - d\nstart a = 1, b = 1, c = 1.7, d = 1.7\n",
         "a=1", "by integral"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const proving_call call = {.fix = {CASES[k].fix, k == 3 ? "b=0.75" : NULL}};
        proving it = proving_begin(CASES[k].text, &call);
        assert_string_equal(rh_certificate_verdict(it.certificate), "asymptotically stable");
        assert_non_null(strstr(rh_certificate_text(it.certificate), CASES[k].line));
        proving_compare(&it, 0);
        proving_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_motions_of_the_disc_are_proved),
        cmocka_unit_test(thresholds_of_the_disc_are_sharp),
        cmocka_unit_test(twenty_points_of_the_chart_are_proved),
        cmocka_unit_test(the_sleigh_is_stable_forwards_only),
        cmocka_unit_test(the_rattleback_has_a_preferred_direction),
        cmocka_unit_test(what_is_not_definite_is_not_proved),
        cmocka_unit_test(kinks_are_not_differentiated),
        cmocka_unit_test(everything_near_is_steady),
        cmocka_unit_test(points_of_rest_are_proved),
        cmocka_unit_test(a_pendulum_in_the_plane_is_proved),
        cmocka_unit_test(a_routhian_family_is_proved),
        cmocka_unit_test(multipliers_may_remain),
        cmocka_unit_test(mechanisms_are_proved),
        cmocka_unit_test(mixed_quasi_velocities_are_exchanged),
        cmocka_unit_test(the_balance_of_power_gives_an_equation),
        cmocka_unit_test(an_observed_quantity_may_be_fixed),
        cmocka_unit_test(what_depends_on_cyclic_coordinates_is_not_fixed),
        cmocka_unit_test(a_fixed_parameter_is_set),
        cmocka_unit_test(a_parameter_is_set_once),
        cmocka_unit_test(integrals_give_equations),
        cmocka_unit_test(half_turns_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
