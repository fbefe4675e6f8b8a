# Runs one fuzzer on a copy of its corpus: the repository's own is never written to.
file(MAKE_DIRECTORY ${FOLDER}/corpus)
file(COPY ${CORPUS}/ DESTINATION ${FOLDER}/corpus)
execute_process(
  COMMAND ${FUZZER} -max_total_time=${SECONDS} -max_len=${MAX_LEN} -rss_limit_mb=2048 -timeout=10
          -print_final_stats=1 -artifact_prefix=${FOLDER}/ ${FOLDER}/corpus
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "a finding; its input is the newest file in ${FOLDER}")
endif()
