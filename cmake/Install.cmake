# What `cmake --install` puts under the prefix: the library and its headers, the
# command line, and what find_package(Tesela) reads.

include(CMakePackageConfigHelpers)

set(teselaPackage ${CMAKE_INSTALL_LIBDIR}/cmake/Tesela)

install(TARGETS tesela EXPORT TeselaTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/tesela
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET tesela-cli)
  file(RELATIVE_PATH libraryFromTools
    /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(tesela-cli PROPERTIES
    INSTALL_RPATH "$ORIGIN/${libraryFromTools}")
  install(TARGETS tesela-cli DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT TeselaTargets NAMESPACE Tesela:: DESTINATION ${teselaPackage})
configure_package_config_file(
  ${CMAKE_SOURCE_DIR}/cmake/TeselaConfig.cmake.in
  ${CMAKE_BINARY_DIR}/TeselaConfig.cmake
  INSTALL_DESTINATION ${teselaPackage}
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/TeselaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_BINARY_DIR}/TeselaConfig.cmake
  ${CMAKE_BINARY_DIR}/TeselaConfigVersion.cmake
  DESTINATION ${teselaPackage})
