# What a package of mishap holds: the binary, the helpers for test-suites, the schemas and the
# documents. Packs, apis and assets are inside the binary.
include(GNUInstallDirs)
set(shared ${CMAKE_INSTALL_DATADIR}/mishap)

install(TARGETS mishap RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mishap)
install(DIRECTORY client-tests/bindings DESTINATION ${shared} COMPONENT mishap
        FILES_MATCHING PATTERN "*.py" PATTERN "*.mjs" PATTERN "*.h" PATTERN "README.md"
        PATTERN "*_test*" EXCLUDE PATTERN "test_*" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT mishap
        PATTERN "node_modules" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT mishap)

set(CPACK_PACKAGE_NAME mishap)
set(CPACK_PACKAGE_VENDOR "mishap")
set(CPACK_PACKAGE_CONTACT "the authors of mishap")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "proves how an API client behaves when the API misbehaves")
set(CPACK_PACKAGE_DESCRIPTION
    "A mock API server that goes wrong in the ways a real one does, and a driver that runs any
 client against it and judges from evidence: timeouts, duplicates, waits, stops, truth.")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_COMPONENTS_ALL mishap)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_DEB_COMPONENT_INSTALL OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_PACKAGE_FILE_NAME
    "mishap-${PROJECT_VERSION}-linux-${CMAKE_HOST_SYSTEM_PROCESSOR}")
include(CPack)
