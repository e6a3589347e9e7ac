// SPDX-License-Identifier: Apache-2.0
// Tests of src/model/constrain.c: deviation, kind, level and linearity of constraints, their
// realisations and perturbation laws, quasi-velocities, and `construct`.

#include "subject.h"

// --- kinds ---------------------------------------------------------------------------------------

typedef struct kind_case {
    const char *text; // after `constraint c:`
    rh_constraint_kind kind;
    uint32_t level;
    bool is_linear;
} kind_case;

static void expect_kinds(const char *declarations, const kind_case *cases, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%sconstraint c: %s\n", declarations, cases[k].text);
        rh_model *model = make(text);
        const rh_constraint *c = find_constraint(model, "c", 0);
        const bool is_same = c->kind == cases[k].kind && c->level == cases[k].level &&
                             (c->kind == RH_KIND_HOLONOMIC || c->is_linear == cases[k].is_linear);
        if (!is_same) {
            print_error("%s: %s, level %u, %s\n", cases[k].text, rh__kind_word(c->kind), c->level,
                        c->is_linear ? "linear" : "nonlinear");
        }
        rh_model_destroy(model);
        assert_true(is_same);
    }
}

static void coordinates_and_velocities(void **state)
{
    (void)state;
    static const kind_case CASES[] = {
        {"x^2 + y^2 = l^2", RH_KIND_HOLONOMIC, 2, true},
        {"x = t", RH_KIND_HOLONOMIC, 2, true},
        {"x' - x' + y = 0", RH_KIND_HOLONOMIC, 2, true},
        {"r = 2", RH_KIND_HOLONOMIC, 2, true},
        {"x'*sin(psi) - y'*cos(psi) = 0", RH_KIND_NONHOLONOMIC, 1, true}, // knife edge
        {"x' = l*cos(psi)*psi' + sin(t)", RH_KIND_NONHOLONOMIC, 1, true},
        {"y' = x", RH_KIND_NONHOLONOMIC, 1, true},
        {"x*y' - y*x' = l with c' = -c", RH_KIND_NONHOLONOMIC, 1, true},
        {"(x^2 + y^2)' = 0", RH_KIND_NONHOLONOMIC, 1, true},
        {"r' = 1", RH_KIND_NONHOLONOMIC, 1, true},
        {"w = 1", RH_KIND_NONHOLONOMIC, 1, true},
        {"x'^2 + y'^2 = l^2", RH_KIND_NONHOLONOMIC, 1, false}, // speed
        {"x'*y' = 1", RH_KIND_NONHOLONOMIC, 1, false},
        {"norm([x', y']) = l", RH_KIND_NONHOLONOMIC, 1, false},
        {"sin(x') = y", RH_KIND_NONHOLONOMIC, 1, false},
        // piecewise linear is not linear
        {"abs(x') = y'", RH_KIND_NONHOLONOMIC, 1, false},
        {"sqrt(x'^2) = y'", RH_KIND_NONHOLONOMIC, 1, false},
        {"max(x', 2*y') = psi'", RH_KIND_NONHOLONOMIC, 1, false},
        {"if(x' > 0, x', 2*x') = y'", RH_KIND_NONHOLONOMIC, 1, false},
        {"sign(psi')*x + y' = 0", RH_KIND_NONHOLONOMIC, 1, false},
        {"if(x > 0, x', 2*x') = abs(y)*y'", RH_KIND_NONHOLONOMIC, 1, true},
        {"(x' + y')^2 - x' >= 0", RH_KIND_NONHOLONOMIC, 1, false},
        // linear, though not written so
        {"(x' + 1)^2 - x'^2 = y", RH_KIND_NONHOLONOMIC, 1, true},
        {"(x' + y')*(x' - y') - x'^2 + y'^2 + psi' = 0", RH_KIND_NONHOLONOMIC, 1, true},
        {"(x'^2 - 1)/(x' - 1) = y", RH_KIND_NONHOLONOMIC, 1, true},
        {"sin(psi)^2*x' + cos(psi)^2*x' = y'", RH_KIND_NONHOLONOMIC, 1, true},
        {"x'*y'/y' = 1", RH_KIND_NONHOLONOMIC, 1, true},
    };
    expect_kinds("param l = 2\ncoord x, y, psi\nkinetic (x'^2 + y'^2 + psi'^2)/2\n"
                 "let r = sqrt(x^2 + y^2)\nquasi w = cos(psi)*x' + sin(psi)*y'\n",
                 CASES, sizeof CASES / sizeof *CASES);
    refuse("coord x\nkinetic x'^2/2\nconstraint c: x'' = 0\n", "E205");
    refuse("param a = 1\ncoord x\nkinetic x'^2/2\nconstraint c: a = 2\n", "E305");
    refuse("coord x\nkinetic x'^2/2\nconstraint c: sin(t) = const\n", "E305");
    refuse("coord x\nkinetic x'^2/2\nconstraint c: [x, 1] = [0, 0]\n", "E201");
}

static void restrictions_hold_states(void **state)
{
    (void)state;
    static const char *const CHETAEV =
        "param mu = 1, kappa = 2, E = 1\nstate xi, v, eta\nlaw xi' = v\n"
        "law v' = -mu*v - (eta - 1)*xi - xi^3\nlaw kappa*eta' = -mu*eta\n";
    static const kind_case CASES[] = {
        {"v^2 + (eta - 1)*xi^2 + xi^4/2 = 2*E", RH_KIND_RESTRICTION, 1, false},
        {"eta = const", RH_KIND_RESTRICTION, 1, true},
        {"v + eta = E", RH_KIND_RESTRICTION, 1, true},
        {"v*eta = E", RH_KIND_RESTRICTION, 1, false},
        // linear in the selected states is enough
        {"v + xi^2 = E", RH_KIND_RESTRICTION, 1, true},
        {"xi*v - eta*exp(xi) = E", RH_KIND_RESTRICTION, 1, true},
        {"(v + eta)^2 - v^2 - eta*(2*v + eta) + v = 1", RH_KIND_RESTRICTION, 1, true},
        // no selected state: how often it must be differentiated is not known yet
        {"xi = 1", RH_KIND_RESTRICTION, 0, true},
        // the rate of a state that is not selected is what its law says
        {"xi' = E", RH_KIND_RESTRICTION, 1, true},
        {"xi'^2 = E", RH_KIND_RESTRICTION, 1, false},
        {"(xi^2)' = E", RH_KIND_RESTRICTION, 1, true},
    };
    expect_kinds(CHETAEV, CASES, sizeof CASES / sizeof *CASES);

    // with another selection v is not selected: a reaction acts on xi and eta
    static const kind_case SELECTED[] = {
        {"v = xi", RH_KIND_RESTRICTION, 1, true},
        {"v^2 = eta", RH_KIND_RESTRICTION, 1, true},
        {"v^2 = 1", RH_KIND_RESTRICTION, 0, false},
        {"v' = E", RH_KIND_RESTRICTION, 1, false}, // holds (eta - 1)*xi
    };
    char given[512];
    (void)snprintf(given, sizeof given, "%sselect xi, eta\n", CHETAEV);
    expect_kinds(given, SELECTED, sizeof SELECTED / sizeof *SELECTED);

    static const kind_case MIXED[] = {
        {"x' + s = 0", RH_KIND_RESTRICTION, 1, true},
        {"x'*s = 1", RH_KIND_RESTRICTION, 1, false},
        {"x + p = 0", RH_KIND_RESTRICTION, 0, true},
    };
    expect_kinds("coord x\nstate p, s\nkinetic x'^2/2\nlaw p' = s\nlaw s' = -x\n", MIXED,
                 sizeof MIXED / sizeof *MIXED);
    refuse("state v\nlaw v' = -v\nconstraint c: v' = 0\n", "E328");
}

// --- deviations ----------------------------------------------------------------------------------

static void deviations_have_a_sign(void **state)
{
    (void)state;
    rh_model *model =
        make("param a = 2\ncoord x, y, q[1..2]\nstate s\nlaw s' = -s\n"
             "kinetic (x'^2 + y'^2 + dot(q', q'))/2\n"
             "constraint equal: x + y = a\nconstraint over: x' >= a*y'\n"
             "constraint under: x'^2 <= a\nconstraint held: s^2 = const\n"
             "for i in 1..2: constraint rod[i]: q[i] = i*x\n"
             "observe equal_ = x + y - a\nobserve over_ = x' - a*y'\nobserve under_ = a - x'^2\n"
             "observe rod_ = q[2] - 2*x\nobserve dev_ = under + 2*rod[2]\n"
             "observe both_ = a - x'^2 + 2*q[2] - 4*x\n");
    assert_int_equal(model->constraints.count, 6);
    assert_means(model, find_constraint(model, "equal", 0)->deviation, "equal_");
    assert_means(model, find_constraint(model, "over", 0)->deviation, "over_");
    assert_means(model, find_constraint(model, "under", 0)->deviation, "under_");
    assert_means(model, find_constraint(model, "rod", 1)->deviation, "rod_");
    // a constraint's name stands for its deviation
    assert_means(model, observed(model, "dev_"), "both_");
    assert_false(find_constraint(model, "equal", 0)->is_one_sided);
    assert_true(find_constraint(model, "over", 0)->is_one_sided);
    assert_true(find_constraint(model, "under", 0)->is_one_sided);
    const rh_constraint *held = find_constraint(model, "held", 0);
    const point where = {.seed = 7};
    assert_true(held->takes_constant);
    assert_false(find_constraint(model, "equal", 0)->takes_constant);
    assert_near(value_of(model, held->deviation, &where),
                pow(at(&where, "s"), 2.0) - at(&where, "const.held"), 1e-12);
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        assert_int_equal(model->constraints.data[k].by, RH_BY_IDEAL);
        assert_false(model->constraints.data[k].has_law);
    }
    rh_model_destroy(model);
}

static void walls_need_impact(void **state)
{
    (void)state;
    rh_model *model = make("param e = 1/2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                           "constraint floor: y >= 0 impact 0.75\n"
                           "constraint roof: y <= 3 + x impact e\nconstraint edge: x' >= 0\n"
                           "observe roof_ = 3 + x - y\n");
    assert_int_equal(find_constraint(model, "floor", 0)->impact.i,
                     rh__expr_ratio(model->store, 3, 4).i);
    assert_shown(model, find_constraint(model, "roof", 0)->impact, "e");
    assert_means(model, find_constraint(model, "roof", 0)->deviation, "roof_");
    assert_int_equal(find_constraint(model, "edge", 0)->impact.i, 0);
    rh_model_destroy(model);
    refuse("coord y\nkinetic y'^2/2\nconstraint floor: y >= 0\n", "E306");
    refuse("coord y\nkinetic y'^2/2\nconstraint floor: y' >= 0 impact 0.5\n", "E307");
    refuse("coord y\nkinetic y'^2/2\nconstraint floor: y = 0 impact 0.5\n", "E307");
    refuse("coord y\nkinetic y'^2/2\nconstraint floor: y >= 0 impact 1.5\n", "E308");
    refuse("param e = -1\ncoord y\nkinetic y'^2/2\nconstraint floor: y >= 0 impact e\n", "E308");
    refuse("coord y\nkinetic y'^2/2\nconstraint floor: y >= 0 impact y\n", "E205");
}

// --- realisations --------------------------------------------------------------------------------

static void realisations_are_read(void **state)
{
    (void)state;
    rh_model *model =
        make("param d = 2, N = 100\ncoord x, y, psi, q[1..2]\nstate s\nlaw s' = -s\n"
             "kinetic (x'^2 + y'^2 + psi'^2 + dot(q', q'))/2\n"
             "constraint a: x = 1 by ideal\n"
             "constraint b: y + d*sin(psi) = 0 by servo(psi: 1, q[2]: d*x, s: 2)\n"
             "constraint c: x'^2 + y'^2 = 1 by inertia(x'^2/2)\n"
             "constraint d1: x' >= 0 by inertia(d*x', hold)\n"
             "constraint e: y' = x' by vakonomic\n"
             "constraint f: y' >= 0 by vakonomic(literal)\n"
             "constraint g: x' >= y' by friction(N*d)\n"
             "constraint h: q[1] = q[2] by reaction(q[1]: -x', q[2]: x')\n"
             "observe b2_ = d*x\nobserve c_ = x'^2/2\nobserve d_ = d*x'\nobserve g_ = N*d\n"
             "observe h_ = -x'\n");
    const rh_constraint *b = find_constraint(model, "b", 0);
    assert_int_equal(b->by, RH_BY_SERVO);
    assert_int_equal(b->component_count, 3);
    assert_shown(model, b->components[0].target, "psi");
    assert_true(rh__expr_is_one(model->store, b->components[0].value));
    assert_shown(model, b->components[1].target, "q[2]");
    assert_means(model, b->components[1].value, "b2_");
    assert_shown(model, b->components[2].target, "s");
    const rh_constraint *c = find_constraint(model, "c", 0);
    assert_int_equal(c->by, RH_BY_INERTIA);
    assert_int_equal(c->option, RH_OPTION_NONE);
    assert_means(model, c->argument, "c_");
    const rh_constraint *d = find_constraint(model, "d1", 0);
    assert_int_equal(d->by, RH_BY_INERTIA);
    assert_int_equal(d->option, RH_OPTION_HOLD);
    assert_means(model, d->argument, "d_");
    assert_int_equal(find_constraint(model, "e", 0)->by, RH_BY_VAKONOMIC);
    assert_int_equal(find_constraint(model, "f", 0)->option, RH_OPTION_LITERAL);
    const rh_constraint *g = find_constraint(model, "g", 0);
    assert_int_equal(g->by, RH_BY_FRICTION);
    assert_means(model, g->argument, "g_");
    const rh_constraint *h = find_constraint(model, "h", 0);
    assert_int_equal(h->by, RH_BY_REACTION);
    assert_int_equal(h->component_count, 2);
    assert_means(model, h->components[0].value, "h_");
    assert_int_equal(find_constraint(model, "a", 0)->by, RH_BY_IDEAL);
    rh_model_destroy(model);
}

static void wrong_realisations_are_refused(void **state)
{
    (void)state;
    static const char *const WRONG[][2] = {
        {"x = 1 by servo(p: 1)", "E309"},
        {"x = 1 by servo(x: 1, x: 2)", "E309"},
        {"x = 1 by servo(x: x'')", "E205"},
        {"x' = 1 by vakonomic(hold)", "E310"},
        {"x' = 1 by inertia(x', literal)", "E310"},
        {"x = 1 with c' = -c", "E311"},
        {"x' = 1 with c'' = -c", "E311"},
        {"x' = 1 with baumgarte(1, 2)", "E311"},
        {"x = 1 with d'' = -1", "E"},
        {"x = 1 with c'' = -c''", "E312"},
        {"x' >= 1 with c' = -c", "E312"},
        {"x = 1 by reaction(x: 1) with c'' = -c", "E312"},
        {"x = 1 with baumgarte(1)", "E"},
        {"x' >= const", "E335"},
        {"x = 1 with c'' = -c - x''", "E205"},
        {"x = 1 with c'' = -lambda.c", "E205"},
    };
    for (size_t k = 0; k < sizeof WRONG / sizeof *WRONG; k++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "param p = 1\ncoord x\nkinetic x'^2/2\nconstraint c: %s\n", WRONG[k][0]);
        refuse(text, WRONG[k][1]);
    }
}

// --- perturbation laws ---------------------------------------------------------------------------

static void perturbation_laws_hold_deviations(void **state)
{
    (void)state;
    rh_model *model = make("param w = 5, mu = 3, k = 2\ncoord x, y, q[1..3]\n"
                           "kinetic (x'^2 + y'^2 + dot(q', q'))/2\n"
                           "constraint rod: x^2 + y^2 = 1 with rod'' = -w*rod - k*rod' - rod'^2*x\n"
                           "constraint areal: x*y' - y*x' = k with areal' = -k*areal + rod + t\n"
                           "for i in 1..3: constraint ring[i]: q[i] = x with baumgarte(w, mu*i)\n"
                           "constraint cross_: q[1] = y by servo(y: 1) with cross_'' = -cross_\n");
    const point at_seed = {.seed = 11};
    const double w = at(&at_seed, "w"), k = at(&at_seed, "k"), mu = at(&at_seed, "mu");
    const rh_constraint *rod = find_constraint(model, "rod", 0);
    assert_true(rod->has_law);
    assert_int_equal(rod->law_order, 2);
    const double dev = at(&at_seed, "rod"), rate = at(&at_seed, "rod'");
    assert_near(value_of(model, rod->law, &at_seed),
                -w * dev - k * rate - rate * rate * at(&at_seed, "x"), 1e-12);
    const rh_constraint *areal = find_constraint(model, "areal", 0);
    assert_int_equal(areal->law_order, 1);
    assert_near(value_of(model, areal->law, &at_seed),
                -k * at(&at_seed, "areal") + dev + at(&at_seed, "t"), 1e-12);
    const rh_constraint *ring = find_constraint(model, "ring", 2);
    assert_int_equal(ring->law_order, 2);
    assert_near(value_of(model, ring->law, &at_seed),
                -w * w * at(&at_seed, "ring[3]") - 2.0 * mu * 3.0 * at(&at_seed, "ring[3]'"),
                1e-12);
    const rh_constraint *servo = find_constraint(model, "cross_", 0);
    assert_int_equal(servo->by, RH_BY_SERVO);
    assert_true(servo->has_law);
    rh_model_destroy(model);

    // a restriction without a selected state: any order
    model = make("state x, v\nlaw x' = v\nlaw v' = -x\n"
                 "constraint c: x = 1 with c'' = -c - c'\n");
    assert_int_equal(model->constraints.data[0].level, 0);
    assert_int_equal(model->constraints.data[0].law_order, 2);
    rh_model_destroy(model);
}

// --- quasi-velocities and construct --------------------------------------------------------------

static void quasi_velocities_are_lets_too(void **state)
{
    (void)state;
    rh_model *model = make("param J = 2\ncoord th, psi, phi, q[1..2]\n"
                           "quasi w3 = phi' - sin(th)*psi' + t\nquasi w1 = th'\n"
                           "for i in 1..2: quasi u[i] = i*q[i]'\n"
                           "kinetic J*w3^2/2 + w1^2/2 + psi'^2 + u[1]^2 + u[2]^2\n"
                           "observe w = phi' - sin(th)*psi' + t\n"
                           "observe T_ = J/2*(phi' - sin(th)*psi' + t)^2 + th'^2/2 + psi'^2 +\n"
                           "  q[1]'^2 + 4*q[2]'^2\n");
    assert_int_equal(model->quasis.count, 4);
    assert_means(model, model->quasis.data[0].value, "w");
    assert_means(model, rh__model_kinetic(model), "T_");
    assert_true(rh__slice_is(model->quasis.data[0].row.name, "w3"));
    assert_int_equal(model->quasis.data[3].row.member, 1);
    rh_model_destroy(model);
    refuse("coord x\nkinetic x'^2/2\nquasi w = x'^2\n", "E313");
    refuse("coord x\nkinetic x'^2/2\nquasi w = 2*x\n", "E313");
    refuse("coord x\nkinetic x'^2/2\nquasi w = x'\nquasi u = 2*x'\n", "E314");
    refuse("coord x\nkinetic x'^2/2\nquasi w = x''\n", "E205");
    model = make(
        "coord x, y\nkinetic x'^2 + y'^2\nquasi w = (x' + y')^2 - x'^2 - y'*(2*x' + y') + x'\n");
    assert_int_equal(model->quasis.count, 1);
    rh_model_destroy(model);
}

static void construct_builds_without_masses(void **state)
{
    (void)state;
    rh_model *model = make("coord x, y, z[1..2]\nconstraint a: x*y = 1 with a'' = -a\n"
                           "construct tangent 1.5 + t with [0, 0, 1, 0], [x', 0, 0, y]\n");
    assert_true(model->construct.is_given);
    const point where = {.seed = 3};
    assert_near(value_of(model, model->construct.tangent, &where), 1.5 + at(&where, "t"), 1e-12);
    assert_int_equal(model->construct.vector_count, 2);
    assert_shown(model, model->construct.vectors[4], "x'");
    assert_shown(model, model->construct.vectors[7], "y");
    rh_model_destroy(model);
    model = make("coord x\nconstraint a: x = 1 with a'' = -a\nconstruct\n");
    assert_true(model->construct.is_given);
    assert_int_equal(model->construct.tangent.i, 0);
    rh_model_destroy(model);
    refuse("coord x\nkinetic x'^2\nconstraint a: x = 1 with a'' = -a\nconstruct\n", "E318");
    refuse("coord x, y\nlaw x'' = 1\nconstraint a: y = 1 with a'' = -a\nconstruct\n", "E318");
    refuse("coord x\nconstraint a: x = 1\nconstruct\n", "E318");
    refuse("coord x, y, z\nconstraint a: x = 1 with a'' = 0\nconstruct tangent 1\n", "E319");
    refuse("coord x, y, z\nconstraint a: x = 1 with a'' = 0\nconstruct tangent 1 with [1, 2]\n",
           "E319");
    refuse("coord x\nconstraint a: x = 1 with a'' = 0\nconstruct\nconstruct\n", "E330");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_and_velocities),
        cmocka_unit_test(restrictions_hold_states),
        cmocka_unit_test(deviations_have_a_sign),
        cmocka_unit_test(walls_need_impact),
        cmocka_unit_test(realisations_are_read),
        cmocka_unit_test(wrong_realisations_are_refused),
        cmocka_unit_test(perturbation_laws_hold_deviations),
        cmocka_unit_test(quasi_velocities_are_lets_too),
        cmocka_unit_test(construct_builds_without_masses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
