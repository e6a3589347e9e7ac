// SPDX-License-Identifier: Apache-2.0
// Many tangents through the matrix of variation: the same as direction by direction through the
// tape, and as closed forms; which entries the matrix has.

#include "orbiting.h"

#include "orbit/orbit.h"

typedef struct passing {
    const char *text;
    double time;
    uint32_t colours; // of the matrix; 0: it does not pay
} passing;

static const passing LIST[] = {
    // springs that harden
    {"param N = 12\ncoord q[1..N]\nkinetic sum(i in 1..N: q[i]'^2/2)\n"
     "potential (q[1]^2 + q[N]^2)/2 + (q[1]^4 + q[N]^4)/40 +\n"
     "    sum(i in 2..N: (q[i] - q[i-1])^2/2 + (q[i] - q[i-1])^4/40)\n"
     "for i in 1..N: start q[i] = sin(pi*i/(N + 1))\n",
     30.0, 3},
    // reaction and diffusion along a line: stiff, and not symmetric
    {"param N = 10\nstate u[1..N], w[1..N]\n"
     "for i in 1..N: law u[i]' = 1 - 4*u[i] + u[i]^2*w[i] +\n"
     "    8*(if(i < N, u[min(i + 1, N)] - u[i], 0) + if(i > 1, u[max(i - 1, 1)] - u[i], 0))\n"
     "for i in 1..N: law w[i]' = 3*u[i] - u[i]^2*w[i] + 4*sin(t)*w[i]/9\n"
     "for i in 1..N: start u[i] = 1 + i/20\nfor i in 1..N: start w[i] = 3 - i/10\n",
     6.0, 4},
    // pendulums, each with a switch, coupled weakly; entries that vanish on one side
    {"param N = 8\ncoord a[1..N]\nkinetic sum(i in 1..N: a[i]'^2/2)\n"
     "potential sum(i in 1..N: -cos(a[i])) + sum(i in 2..N: (a[i] - a[i-1])^2/20)\n"
     "for i in 1..N: force a[i]: -0.3*sign(a[i]) + if(a[i] < 1/2, -a[i]'/5, 0)\n"
     "for i in 1..N: start a[i] = 1 + i/10\n",
     8.0, 4},
    // everything depends on everything
    {"param N = 10\nstate x[1..N]\nfor i in 1..N: law x[i]' = x[i]*(1 - sum(j in 1..N: x[j])/9) +\n"
     "    sin(t + i)/7\nfor i in 1..N: start x[i] = i/10\n",
     4.0, 0},
};

static void run(rh_motion *motion, rh_transport *transport, double time)
{
    rh_stop stop = RH_STOP_NONE;
    const double end = motion->t + time;
    while (stop == RH_STOP_NONE) {
        rh__transport_prepare(transport);
        assert_int_equal(rh_motion_step(motion, end, &stop, NULL), RH_OK);
        if (!rh__transport_follow(transport)) {
            fail_msg("%s", transport->reason);
        }
    }
    assert_int_equal(stop, RH_STOP_REACHED);
}

static double *units(uint32_t n)
{
    double *v = calloc((size_t)n * n, sizeof *v);
    assert_non_null(v);
    for (uint32_t i = 0; i < n; i++) {
        v[(size_t)i * n + i] = 1.0;
    }
    return v;
}

static double *copy(const double *v, uint32_t count)
{
    double *out = malloc(count * sizeof *out);
    assert_non_null(out);
    memcpy(out, v, count * sizeof *out);
    return out;
}

static void matrix_and_tape_agree(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof LIST / sizeof *LIST; k++) {
        orbiting it;
        rh_transport transport;
        assert_int_equal(orbiting_move(LIST[k].text, NULL, &it), RH_OK);
        const uint32_t n = it.motion->n;
        const uint32_t size = n * n;
        double *unit = units(n);
        double *start = copy(it.motion->x, n);
        double *found[3];
        assert_int_equal(rh__transport_create(it.motion, n, NULL, &transport, NULL), RH_OK);
        assert_int_equal(transport.strain.colour_count, LIST[k].colours);
        const uint32_t width = transport.strain.width;
        for (int way = 0; way < 3; way++) {
            transport.strain.colour_count = way < 2 ? LIST[k].colours : 0;
            transport.strain.width = way == 0 ? 2 : width; // registers do not matter
            assert_int_equal(rh__motion_place(it.motion, start, NULL), RH_OK);
            assert_int_equal(rh__transport_begin(&transport, unit), RH_OK);
            run(it.motion, &transport, LIST[k].time);
            found[way] = copy(transport.v, size);
        }
        assert_memory_equal(found[0], found[1], size * sizeof(double));
        for (uint32_t d = 0; d < n; d++) {
            double largest = 0.0;
            for (uint32_t i = 0; i < n; i++) {
                largest = fmax(largest, fabs(found[2][d * n + i]));
            }
            for (uint32_t i = 0; i < n; i++) {
                assert_near(found[0][d * n + i] / largest, found[2][d * n + i] / largest, 1e-12);
            }
        }
        for (int way = 0; way < 3; way++) {
            free(found[way]);
        }
        free(start);
        free(unit);
        rh__transport_destroy(&transport);
        orbiting_end(&it);
    }
}

// q_i'' = q_(i+1) - 2 q_i + q_(i-1) + what is cubic, at rest: modes sin(pi i k/(N + 1)) with the
// rates 2 sin(pi k/(2 N + 2)). 40 tangents are more than go side by side.
static void chain_at_rest_has_its_modes(void **state)
{
    (void)state;
    enum { N = 20 };
    const double time = 100.0;
    const double pi = acos(-1.0);
    orbiting it;
    rh_transport transport;
    assert_int_equal(
        orbiting_move("param N = 20\ncoord q[1..N]\nkinetic sum(i in 1..N: q[i]'^2/2)\n"
                      "potential (q[1]^2 + q[N]^2)/2 + sum(i in 2..N: (q[i] - q[i-1])^2/2 +\n"
                      "    (q[i] - q[i-1])^4*(1 + q[i]^2))\n",
                      NULL, &it),
        RH_OK);
    const uint32_t n = it.motion->n;
    assert_int_equal(n, 2 * N);
    double *unit = units(n);
    assert_int_equal(rh__transport_create(it.motion, n, NULL, &transport, NULL), RH_OK);
    assert_true(transport.strain.colour_count > 0);
    assert_int_equal(rh__transport_begin(&transport, unit), RH_OK);
    run(it.motion, &transport, time);
    for (uint32_t from = 0; from < N; from++) {
        for (uint32_t to = 0; to < N; to++) {
            double place = 0.0;
            double speed = 0.0;
            for (int k = 1; k <= N; k++) {
                const double rate = 2.0 * sin(pi * k / (2.0 * N + 2.0));
                const double share = 2.0 / (N + 1) * sin(pi * k * (from + 1.0) / (N + 1)) *
                                     sin(pi * k * (to + 1.0) / (N + 1));
                place += share * cos(rate * time);
                speed += share * sin(rate * time) / rate;
            }
            assert_near(transport.v[from * n + to], place, 1e-12);
            assert_near(transport.v[(N + from) * n + to], speed, 1e-12);
            assert_near(transport.v[(N + from) * n + N + to], place, 1e-12);
        }
    }
    free(unit);
    rh__transport_destroy(&transport);
    orbiting_end(&it);
}

// Truths have no derivative, blocks couple all they have, and nothing else is there.
static void dependence_is_that_of_operations(void **state)
{
    (void)state;
    orbiting it;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX);
    uint64_t *bits = NULL;
    size_t words = 0;
    assert_int_equal(orbiting_move("state x, y, z, w\nlaw x' = y*z\n"
                                   "law y' = if(x < z, sin(w), 2*y) + sign(x)\n"
                                   "law z' = t\nlaw w' = exp(x)/(1 + w^2)\nstart x = 1\n",
                                   NULL, &it),
                     RH_OK);
    const rh_range x = {1, 4};
    assert_int_equal(rh__tape_depend(it.motion->system->step, x, 4, &arena, &bits, &words), RH_OK);
    assert_int_equal(words, 1);
    // y' may be what keeps x = z, by the second derivative y'*z + y*t - 1; x itself acts on truths
    assert_int_equal(bits[0], 1u << 1 | 1u << 2);
    assert_int_equal(bits[1], 1u << 1 | 1u << 2 | 1u << 3);
    assert_int_equal(bits[2], bits[1]); // one block
    assert_int_equal(bits[3], 1u << 0 | 1u << 3);
    orbiting_end(&it);
    assert_int_equal(
        orbiting_move("coord x, y, u\nkinetic (x'^2 + y'^2 + u'^2)/2\npotential y + u\n"
                      "constraint rod: x^2 + y^2 = 1\nguess y = -1\n"
                      "start x = 0.5, x' = 0, u = 0, u' = 0\n",
                      NULL, &it),
        RH_OK);
    const rh_range all = {1, it.motion->n};
    assert_int_equal(
        rh__tape_depend(it.motion->system->step, all, it.motion->n, &arena, &bits, &words), RH_OK);
    for (uint32_t k = 0; k < it.motion->n; k++) {
        const uint32_t index = rh__system_index(it.motion->system, it.motion->system->x.data[k]);
        assert_int_equal(index, k);
    }
    assert_int_equal(bits[0], 1u << 3);
    assert_int_equal(bits[3], 1u << 0 | 1u << 1 | 1u << 3 | 1u << 4);
    assert_int_equal(bits[4], bits[3]);
    assert_int_equal(bits[5], 0);
    orbiting_end(&it);
    rh__arena_end(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_and_tape_agree),
        cmocka_unit_test(chain_at_rest_has_its_modes),
        cmocka_unit_test(dependence_is_that_of_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
