// SPDX-License-Identifier: Apache-2.0
// Knowledge about a system. The checkup is the constraint doctor: ranks, redundancy, integrability,
// ideality, and a consistent start, before anything moves.

#pragma once

#include "rheonom/base.h"
#include "rheonom/equations.h"

RH_EXTERN_C_BEGIN

/// Examine the constraints of a system at its start and near it.
/// @param equations  kept by reference; must outlive the checkup
/// @param out        receives a checkup the caller destroys. With RH_E_MODEL it is made too: it
///                   holds the diagnostics.
/// @return RH_E_MODEL when there is no consistent start, RH_E_MEMORY, RH_E_LIMIT, RH_E_ARGUMENT
RH_API RH_NODISCARD rh_status rh_checkup_create(rh_equations *equations, rh_checkup **out,
                                                rh_error *err);

/// Destroy a checkup. NULL is allowed.
RH_API void rh_checkup_destroy(rh_checkup *checkup);

/// Remarks made by the checkup, in order of place.
RH_API size_t rh_checkup_diagnostic_count(const rh_checkup *checkup);
RH_API rh_diagnostic rh_checkup_diagnostic(const rh_checkup *checkup, size_t index);

RH_EXTERN_C_END
