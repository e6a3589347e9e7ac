// SPDX-License-Identifier: Apache-2.0
// The numbers of the explicit Runge-Kutta method of order 8 by Dormand and Prince (DOP853).

#pragma once

/// Stages 0 ... 11 make the step, 12 is the rate at its end, 13 ... 15 serve the polynomial only.
enum {
    RH_TABLEAU_STEP = 12,
    RH_TABLEAU_END = 12, // its row are the weights of order 8
    RH_TABLEAU_STAGES = 16,
    RH_TABLEAU_DEGREE = 7, // of the polynomial over the step
    RH_TABLEAU_TAIL = 4    // coefficients of the polynomial that have weights of their own
};

typedef struct rh_tableau {
    double node[RH_TABLEAU_STAGES];
    double weight[RH_TABLEAU_STAGES][RH_TABLEAU_STAGES]; // lower triangle
    double fifth[RH_TABLEAU_STEP];                       // order 8 minus order 5
    double third[3]; // weights of order 3: of the stages 0, 8, 11
    double tail[RH_TABLEAU_TAIL][RH_TABLEAU_STAGES];
} rh_tableau;

extern const rh_tableau rh__tableau;
