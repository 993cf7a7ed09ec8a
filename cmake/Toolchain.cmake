# The compiler flags and the LLVM/MLIR installation that everything uses.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

set(TESELA_LLVM_PREFIX /usr/lib/llvm-22 CACHE PATH
    "Where LLVM and MLIR 22 are installed")
if(NOT EXISTS ${TESELA_LLVM_PREFIX}/include/mlir/IR/MLIRContext.h)
  message(FATAL_ERROR "no MLIR headers under ${TESELA_LLVM_PREFIX}: "
    "install libmlir-22-dev, or set TESELA_LLVM_PREFIX")
endif()
set(TESELA_TBLGEN ${TESELA_LLVM_PREFIX}/bin/mlir-tblgen)

# -fPIC as a flag of every file: a precompiled header can only be shared by
# targets whose flags agree.
add_compile_options(-fPIC -Wall -Wextra -Wno-unused-parameter -fno-exceptions
  -ffunction-sections -fdata-sections)
include_directories(${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include
  ${CMAKE_BINARY_DIR}/src)
include_directories(SYSTEM ${TESELA_LLVM_PREFIX}/include)
add_compile_definitions(__STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
  __STDC_LIMIT_MACROS _GNU_SOURCE)

add_link_options(--ld-path=${TESELA_LLVM_PREFIX}/bin/ld.lld -Wl,--gc-sections
  -Wl,--build-id=sha1)

if(TESELA_SANITIZE)
  # Kernels are functions without the signature that `function` looks for;
  # `vptr` needs the type information of classes in LLVM's archives, which are
  # not instrumented.
  add_compile_options(-fsanitize=${TESELA_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize=vptr,function -fno-sanitize-recover=all)
  # Their run time as a library, for libtesela defines all that it uses and
  # Python is none of our programs.
  execute_process(OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND ${CMAKE_CXX_COMPILER}
      -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
    OUTPUT_VARIABLE sanitizerLibrary)
  get_filename_component(sanitizerFolder ${sanitizerLibrary} DIRECTORY)
  add_link_options(-fsanitize=${TESELA_SANITIZE} -shared-libasan
    -Wl,-rpath,${sanitizerFolder})
endif()

find_package(Threads REQUIRED)

# LLVM and MLIR as archives, by path. Their exported CMake targets would pull in
# libLLVM.so, and mixing the two aborts at start. The linker takes only the
# members that are used.
file(GLOB mlirArchives ${TESELA_LLVM_PREFIX}/lib/libMLIR*.a)
file(GLOB llvmArchives ${TESELA_LLVM_PREFIX}/lib/libLLVM*.a)
add_library(tesela_llvm INTERFACE)
target_link_libraries(tesela_llvm INTERFACE
  -Wl,--start-group ${mlirArchives} ${llvmArchives} -Wl,--end-group
  Threads::Threads ${CMAKE_DL_LIBS} z zstd m)
