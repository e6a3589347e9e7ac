// SPDX-License-Identifier: Apache-2.0
// From text to model: the chain of N rods of the engine's benchmark, and a small model.

#include "bench.h"

#include "model/model.h"

#include <stdio.h>

static const char CHAIN[] =
    "model \"chain\"\n"
    "param N = %u, l = 1/N, m = 1/N, g = 9.81, alpha = 0.05\n"
    "coord x[1..N], y[1..N]\n"
    "kinetic sum(i in 1..N: m/2*(x[i]'^2 + y[i]'^2))\n"
    "potential sum(i in 1..N: m*g*y[i])\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
    "for i in 1..N: start x[i] = i*l*sin(alpha), y[i] = -i*l*cos(alpha)\n";

static const char DISC[] = "model \"disc\"\n"
                           "param m = 1, a = 0.5, g = 9.81, h = 0.02, A = m*a^2/4, C = m*a^2/2\n"
                           "coord theta, psi, phi, x, y\n"
                           "let xc = x - a*sin(theta)*sin(psi)\n"
                           "let yc = y + a*sin(theta)*cos(psi)\n"
                           "let zc = a*cos(theta)\n"
                           "kinetic m/2*(xc'^2 + yc'^2 + zc'^2) + (A*theta'^2 + "
                           "A*cos(theta)^2*psi'^2 + C*w3^2)/2\n"
                           "potential m*g*zc\n"
                           "dissipation h*theta'^2/2\n"
                           "constraint roll_x: x' = a*cos(psi)*phi'\n"
                           "constraint roll_y: y' = a*sin(psi)*phi'\n"
                           "quasi w1 = theta'\nquasi w2 = psi'\nquasi w3 = phi' - sin(theta)*psi'\n"
                           "start theta = 0.2, psi' = 1, w3 = 10\n";

static measure read_text(const char *text)
{
    tally count = {0, 0};
    const double begin = bench_clock();
    rh_model *model = bench_model(text, &count);
    measure result = {.seconds = bench_clock() - begin, .peak_bytes = count.peak};
    if (model != NULL) {
        result.work = rh__store_count(model->store);
        result.ok = true;
    }
    rh_model_destroy(model);
    return result;
}

measure bench_read_chain(uint32_t size)
{
    char text[1024];
    (void)snprintf(text, sizeof text, CHAIN, size);
    return read_text(text);
}

measure bench_read_disc(uint32_t size)
{
    (void)size;
    return read_text(DISC);
}
