// SPDX-License-Identifier: Apache-2.0
// Everything a user of the library may see.

#pragma once

#include "rheonom/base.h"
#include "rheonom/model.h"
#include "rheonom/equations.h"
#include "rheonom/system.h"
#include "rheonom/analysis.h"
#include "rheonom/motion.h"
#include "rheonom/orbit.h"
#include "rheonom/average.h"
#include "rheonom/inverse.h"
#include "rheonom/steady.h"
#include "rheonom/program.h"
#include "rheonom/certificate.h"
#include "rheonom/chart.h"
#include "rheonom/optimum.h"
#include "rheonom/sweep.h"
#include "rheonom/output.h"
