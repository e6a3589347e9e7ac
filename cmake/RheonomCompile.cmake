# SPDX-License-Identifier: Apache-2.0
# How every C file of the project is compiled: the target rheonom_compile carries it.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(rheonom_compile INTERFACE)
target_include_directories(rheonom_compile INTERFACE "${PROJECT_SOURCE_DIR}/include"
                           "${PROJECT_SOURCE_DIR}/src")
target_compile_options(rheonom_compile INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
  # the order of summation is part of the contract; a compiler may not fuse on its own
  -ffp-contract=off)
if(RH_WERROR)
  target_compile_options(rheonom_compile INTERFACE -Werror)
endif()

# Asserts come back with -UNDEBUG, which has to stand after the flags of the build type.
if(RH_KEEP_ASSERTS)
  target_compile_definitions(rheonom_compile INTERFACE RH_KEEP_ASSERTS)
  target_compile_options(rheonom_compile INTERFACE -UNDEBUG)
endif()

set(RH_LINK_OPTIONS "")
set(RH_SANITIZERS "")
if(RH_SANITIZE)
  set(RH_SANITIZERS address,undefined)
endif()
if(RH_FUZZ)
  string(PREPEND RH_SANITIZERS "fuzzer-no-link,")
  string(REGEX REPLACE ",$" "" RH_SANITIZERS "${RH_SANITIZERS}")
endif()
if(RH_SANITIZERS)
  target_compile_options(rheonom_compile INTERFACE -fsanitize=${RH_SANITIZERS}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    # empty arrays are NULL with a count of 0, and NULL + 0 is what clang complains about in C; gcc does not
    target_compile_options(rheonom_compile INTERFACE -fno-sanitize=pointer-overflow)
  endif()
  set(RH_LINK_OPTIONS -fsanitize=${RH_SANITIZERS})
  target_link_options(rheonom_compile INTERFACE ${RH_LINK_OPTIONS})
endif()

# What makes mistakes harder to use. Each where the compiler and the linker know it; tests/headers/hardened.sh looks at
# what came of it. Sanitizers bring checks of their own, and _FORTIFY_SOURCE needs optimisation.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Of -fcf-protection returns: marks for indirect branches are an instruction in every function, and Linux does not use them.
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=return)
  string(MAKE_C_IDENTIFIER "RH_HAS${flag}" known)
  check_c_compiler_flag("-Werror ${flag}" ${known})
  if(${known})
    target_compile_options(rheonom_compile INTERFACE $<$<COMPILE_LANGUAGE:C>:${flag}>)
  endif()
endforeach()
if(NOT RH_SANITIZERS)
  target_compile_options(rheonom_compile INTERFACE
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
foreach(flag relro now noexecstack)
  check_linker_flag(C "-Wl,-z,${flag}" RH_LINKS_${flag})
  if(RH_LINKS_${flag})
    add_link_options("LINKER:-z,${flag}")
  endif()
endforeach()
