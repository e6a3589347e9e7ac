# SPDX-License-Identifier: Apache-2.0
# FLINT with ball arithmetic, as the target FLINT::FLINT. FLINT 3 contains Arb, under flint/arb.h; before that Arb is a
# library of its own (libarb, in Debian libflint-arb) with its headers beside the folder flint. There is no pkg-config
# file for the older ones.
find_path(FLINT_INCLUDE_DIR flint/fmpz_mpoly.h)
find_library(FLINT_LIBRARY flint)
find_path(FLINT_ARB_INCLUDE_DIR NAMES flint/arb_mat.h arb_mat.h)
set(FLINT_PARTS "")
if(FLINT_ARB_INCLUDE_DIR AND NOT EXISTS "${FLINT_ARB_INCLUDE_DIR}/flint/arb_mat.h")
  find_library(FLINT_ARB_LIBRARY NAMES flint-arb arb)
  list(APPEND FLINT_PARTS FLINT_ARB_LIBRARY)
endif()
find_library(MPFR_LIBRARY mpfr)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FLINT REQUIRED_VARS FLINT_LIBRARY FLINT_INCLUDE_DIR FLINT_ARB_INCLUDE_DIR
                                  ${FLINT_PARTS} MPFR_LIBRARY)
mark_as_advanced(FLINT_INCLUDE_DIR FLINT_LIBRARY FLINT_ARB_INCLUDE_DIR FLINT_ARB_LIBRARY MPFR_LIBRARY)
if(FLINT_FOUND AND NOT TARGET FLINT::FLINT)
  set(FLINT_LINKS "${FLINT_LIBRARY}" "${MPFR_LIBRARY}" GMP::GMP)
  set(FLINT_PC_LIBS "-lflint -lmpfr")
  if(FLINT_PARTS)
    list(INSERT FLINT_LINKS 0 "${FLINT_ARB_LIBRARY}")
    get_filename_component(FLINT_ARB_STEM "${FLINT_ARB_LIBRARY}" NAME_WE)
    string(REGEX REPLACE "^lib" "-l" FLINT_ARB_FLAG "${FLINT_ARB_STEM}")
    set(FLINT_PC_LIBS "${FLINT_ARB_FLAG} ${FLINT_PC_LIBS}")
  endif()
  add_library(FLINT::FLINT INTERFACE IMPORTED)
  set_target_properties(FLINT::FLINT PROPERTIES
                        INTERFACE_INCLUDE_DIRECTORIES "${FLINT_INCLUDE_DIR};${FLINT_ARB_INCLUDE_DIR}"
                        INTERFACE_LINK_LIBRARIES "${FLINT_LINKS}")
endif()
