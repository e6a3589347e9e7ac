# SPDX-License-Identifier: Apache-2.0
# Guests that not every program needs: small libraries beside the program, loaded at run time when they are asked for.
# src/sweep/guest.c says where they are looked for: by whole paths, so that no program needs a search path for them.

set(RH_GUEST_DIR "${CMAKE_INSTALL_FULL_LIBDIR}/rheonom")
set_source_files_properties(src/sweep/guest.c PROPERTIES COMPILE_DEFINITIONS
                            "RH_GUEST_DIR=\"${RH_GUEST_DIR}\";RH_BUILD_DIR=\"${PROJECT_BINARY_DIR}\"")

# Installed as they are built. Paths that CMake changes when it installs are filled up with empty elements before, each of
# which means the folder where a program is started. Libraries outside the system's folders are still found.
macro(rh_keep_paths)
  set_target_properties(${ARGN} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
endmacro()
rh_keep_paths(rheonom rheonom_shared)

function(rh_add_guest name source)
  add_library(${name} MODULE "${source}")
  set_target_properties(${name} PROPERTIES PREFIX "" POSITION_INDEPENDENT_CODE ON
                        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE rheonom_compile ${ARGN} ${RH_LINK_OPTIONS})
  rh_keep_paths(${name})
  install(TARGETS ${name} LIBRARY DESTINATION "${RH_GUEST_DIR}")
endfunction()

if(RH_MPI)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    rh_add_guest(rheonom_mpi src/sweep/ranks_mpi.c MPI::MPI_C)
    add_dependencies(rheonom rheonom_mpi)
  else()
    message(STATUS "MPI is not there: sweeps run in one process")
  endif()
endif()

if(RH_HDF5)
  # a serial library before one that was built for MPI: either writes the same files
  find_package(HDF5 QUIET COMPONENTS C)
  if(HDF5_FOUND)
    rh_add_guest(rheonom_hdf5 src/output/table_hdf5.c ${HDF5_C_LIBRARIES})
    target_include_directories(rheonom_hdf5 SYSTEM PRIVATE ${HDF5_C_INCLUDE_DIRS})
    if(HDF5_IS_PARALLEL AND MPI_C_FOUND)
      target_link_libraries(rheonom_hdf5 PRIVATE MPI::MPI_C)
    endif()
    add_dependencies(rheonom rheonom_hdf5)
  else()
    message(STATUS "HDF5 is not there: tables of sweeps are .csv and .jsonl")
  endif()
endif()
