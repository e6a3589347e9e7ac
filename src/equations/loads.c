// SPDX-License-Identifier: Apache-2.0
// Forces that are not energies: generalised forces, dissipation, forces at points and torques on
// bodies through virtual work (both in fixed axes).

#include "equations/derive.h"

static bool add_generalised(rh_derive *derive)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < derive->model->forces.count; k++) {
        const rh_force *force = &derive->model->forces.data[k];
        const uint32_t carrier = rh__derive_carrier(derive, force->target);
        RH_ASSERT(carrier != UINT32_MAX);
        ok = rh__derive_force(derive, carrier, force->value, true);
    }
    return ok;
}

// Rayleigh: the force is minus the gradient in the velocities.
static bool add_dissipation(rh_derive *derive)
{
    rh_gradient partials;
    bool ok = rh__expr_gradient(derive->store, rh__model_dissipation(derive->model),
                                RH_ROLE_VELOCITY, &derive->scratch, &partials);
    for (uint32_t k = 0; ok && k < partials.count; k++) {
        const uint32_t carrier = rh__derive_carrier(derive, partials.data[k].symbol);
        ok = rh__derive_force(derive, carrier,
                              rh__expr_negate(derive->store, partials.data[k].value), true);
    }
    return ok;
}

// Q_i += F . dr/dq_i
static bool add_point_force(rh_derive *derive, const rh_load *load)
{
    bool ok = true;
    for (uint32_t d = 0; ok && d < load->length; d++) {
        rh_gradient partials;
        ok = rh__expr_gradient(derive->store, load->place[d], RH_ROLE_COORD, &derive->scratch,
                               &partials);
        for (uint32_t k = 0; ok && k < partials.count; k++) {
            const uint32_t carrier = rh__derive_carrier(derive, partials.data[k].symbol);
            ok = rh__derive_force(
                derive, carrier,
                rh__expr_multiply(derive->store, load->value[d], partials.data[k].value), true);
        }
    }
    return ok;
}

// Q_i += tau . w_i, where (dR/dq_i) R^T is the cross product matrix of w_i.
static bool add_torque(rh_derive *derive, const rh_load *load)
{
    // w_d = sum_c dR[row][c] R[other][c]: components (3,2), (1,3), (2,1)
    static const uint32_t ROW[] = {2, 0, 1};
    static const uint32_t OTHER[] = {1, 2, 0};
    rh_store *store = derive->store;
    bool ok = true;
    for (uint32_t entry = 0; ok && entry < 9; entry++) {
        rh_gradient partials;
        ok = rh__expr_gradient(store, load->place[entry], RH_ROLE_COORD, &derive->scratch,
                               &partials);
        for (uint32_t d = 0; d < 3; d++) {
            if (ROW[d] != entry / 3) {
                continue;
            }
            const rh_expr partner = load->place[OTHER[d] * 3 + entry % 3];
            for (uint32_t k = 0; ok && k < partials.count; k++) {
                const rh_expr factors[] = {load->value[d], partials.data[k].value, partner};
                ok = rh__derive_force(derive, rh__derive_carrier(derive, partials.data[k].symbol),
                                      rh__expr_product(store, factors, 3), true);
            }
        }
    }
    return ok;
}

rh_status rh__derive_forces(rh_derive *derive)
{
    bool ok = add_generalised(derive) && add_dissipation(derive);
    for (uint32_t k = 0; ok && k < derive->model->loads.count; k++) {
        const rh_load *load = &derive->model->loads.data[k];
        ok = load->is_torque ? add_torque(derive, load) : add_point_force(derive, load);
    }
    return ok ? RH_OK : rh__derive_failed(derive);
}
