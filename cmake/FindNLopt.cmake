# SPDX-License-Identifier: Apache-2.0
# NLopt, the library of optimisers, as the target NLopt::C.
find_path(NLOPT_INCLUDE_DIR nlopt.h)
find_library(NLOPT_LIBRARY nlopt)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NLopt REQUIRED_VARS NLOPT_LIBRARY NLOPT_INCLUDE_DIR)
mark_as_advanced(NLOPT_INCLUDE_DIR NLOPT_LIBRARY)
if(NLopt_FOUND AND NOT TARGET NLopt::C)
  add_library(NLopt::C UNKNOWN IMPORTED)
  set_target_properties(NLopt::C PROPERTIES IMPORTED_LOCATION "${NLOPT_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${NLOPT_INCLUDE_DIR}")
endif()
