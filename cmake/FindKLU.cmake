# SPDX-License-Identifier: Apache-2.0
# KLU of SuiteSparse with what it stands on, as the target KLU::KLU. Debian 12 brings no pkg-config file for it.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_LIBRARY klu)
set(KLU_PARTS btf amd colamd suitesparseconfig)
set(KLU_PART_LIBRARIES "")
foreach(part ${KLU_PARTS})
  find_library(KLU_${part}_LIBRARY ${part})
  mark_as_advanced(KLU_${part}_LIBRARY)
  if(KLU_${part}_LIBRARY)
    list(APPEND KLU_PART_LIBRARIES "${KLU_${part}_LIBRARY}")
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_LIBRARY KLU_INCLUDE_DIR
                                  KLU_btf_LIBRARY KLU_amd_LIBRARY KLU_colamd_LIBRARY
                                  KLU_suitesparseconfig_LIBRARY)
mark_as_advanced(KLU_INCLUDE_DIR KLU_LIBRARY)
if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU UNKNOWN IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES IMPORTED_LOCATION "${KLU_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
                        INTERFACE_LINK_LIBRARIES "${KLU_PART_LIBRARIES}")
endif()
