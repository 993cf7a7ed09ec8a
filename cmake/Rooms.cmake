# A room is a folder of src/ and one static library. src/LAYERS says which rooms
# it may include.

# tesela_room(<name> <folder> [MLIR | NVVM])
#   MLIR: its files see the precompiled MLIR headers.
function(tesela_room name folder)
  cmake_parse_arguments(arg "MLIR" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(tesela_${name} STATIC ${sources})
  if(arg_MLIR)
    target_precompile_headers(tesela_${name} REUSE_FROM tesela_pch)
    add_dependencies(tesela_${name} tesela_generated)
  endif()
  set_property(GLOBAL APPEND PROPERTY TESELA_ROOMS tesela_${name})
endfunction()

# tesela_tablegen(<td> <output> <mlir-tblgen arguments>…)
# Writes build/src/<folder>/<output> from src/<folder>/<td>.
function(tesela_tablegen td output)
  get_filename_component(folder ${td} DIRECTORY)
  set(out ${CMAKE_BINARY_DIR}/src/${folder}/${output})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/src/${folder})
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${TESELA_TBLGEN} ${ARGN} ${CMAKE_SOURCE_DIR}/src/${td} -o ${out}
      -d ${out}.d --write-if-changed
      -I ${CMAKE_SOURCE_DIR}/src -I ${TESELA_LLVM_PREFIX}/include
    DEPENDS ${CMAKE_SOURCE_DIR}/src/${td}
    DEPFILE ${out}.d
    COMMENT "Generating ${folder}/${output}")
  set_property(GLOBAL APPEND PROPERTY TESELA_GENERATED ${out})
endfunction()
