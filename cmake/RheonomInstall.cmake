# SPDX-License-Identifier: Apache-2.0
# What `make install` puts where.
install(TARGETS rheonom rheonom_static rheonom_shared
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY include/rheonom DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
file(GLOB RH_MAN_PAGES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/man/*.1")
install(FILES ${RH_MAN_PAGES} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

configure_file(cmake/rheonom.pc.in rheonom.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/rheonom.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
