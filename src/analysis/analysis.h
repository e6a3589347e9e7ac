// SPDX-License-Identifier: Apache-2.0
// Door of the room `analysis`: knowledge about a system. A checkup holds what the constraint doctor
// found; output writes it.

#pragma once

#include "rheonom/analysis.h"

#include "base/base.h"
#include "equations/equations.h"

/// Yes, no, or not known.
typedef enum rh_answer { RH_ANSWER_UNKNOWN, RH_ANSWER_NO, RH_ANSWER_YES } rh_answer;

/// Where ranks are looked at.
enum {
    RH_CHECKUP_START, // the consistent start
    RH_CHECKUP_NEAR,  // two more states on the constraints
    RH_CHECKUP_FAR,
    RH_CHECKUP_OFF, // a state off the constraints
    RH_CHECKUP_STATES
};

#define RH_RANK_UNKNOWN UINT32_MAX

/// What is known of one link.
typedef struct rh_link_report {
    bool is_unique;    // its multiplier at the start
    bool is_active;    // it acts at the start
    double multiplier; // at the start
    uint32_t *redundant_with;
    uint32_t redundant_count;
    rh_answer is_integrable; // the single row
    rh_expr integral;        // none when it is not easy
    rh_gradient form;    // not linear in velocities: the linear form that it is but for a factor
    rh_expr factor;      // that; none: it has no such form
    bool is_factor_sure; // it is never zero, proved
    double control;      // pi = C M^-1 B at the start; NaN where it is not asked
    bool is_ideal, keeps;
    double ideality;     // largest |Z^T r| / |r| with orthonormal Z
    double virtual_work; // on the displacement with one unit component that gives most
    double *reaction;    // by entry of its push: push * multiplier at the start
} rh_link_report;

/// An integrable combination of rows.
typedef struct rh_combination {
    double *factor;   // by link, at the start
    rh_expr integral; // none when it is not easy
} rh_combination;

struct rh_checkup {
    rh_arena arena;
    rh_equations *equations;
    rh_diagnostics diagnostics;
    rh_layout layout;
    rh_start start;
    rh_point states[RH_CHECKUP_STATES];
    bool is_state[RH_CHECKUP_STATES]; // could it be reached?
    double *sizes;                    // of variables, by slot
    double time_size;                 // the time in which something happens
    rh_form form;                     // multipliers
    rh_form_result result;            // at the start
    bool *is_active;                  // by link, at the start
    rh_link_report *links;
    uint32_t row_count;               // two-sided rows that are kept
    uint32_t rank[RH_CHECKUP_STATES]; // of these
    uint32_t general;                 // the state on the constraints with the largest rank
    uint32_t holonomic_rank;          // of the holonomic ones there
    rh_answer is_flag_known;          // were combinations judged?
    uint32_t hidden_integrals;
    RH_ARRAY(rh_combination) combinations;
    uint32_t degrees_of_freedom;      // RH_RANK_UNKNOWN when not known
    uint32_t configuration_dimension; // RH_RANK_UNKNOWN when not known
};

/// Is it two-sided and kept at the start?
bool rh__checkup_keeps(const rh_checkup *checkup, uint32_t link);
