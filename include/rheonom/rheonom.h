// SPDX-License-Identifier: Apache-2.0
// Everything a user of the library may see.

#pragma once

#include "rheonom/base.h"
#include "rheonom/model.h"
#include "rheonom/output.h"
