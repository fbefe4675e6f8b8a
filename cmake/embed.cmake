# mishap_embed(OUT.cpp FUNCTION NAMESPACE ROOT files...): compiles text files into the binary. The
# result is one .cpp that defines `std::vector<std::pair<std::string_view, std::string_view>>
# NAMESPACE::FUNCTION()`, the name relative to ROOT and the text, in the order given.
function(mishap_embed out function namespace root)
  list(JOIN ARGN ";" files)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DFUNCTION=${function} -DNAMESPACE=${namespace}
            -DROOT=${root} "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake
    VERBATIM)
endfunction()
