# Builds the program that a document shows, and checks that it prints what the document says.
file(READ ${document} text)

# The first block of a language, as text.
function(fenced language into)
  string(FIND "${text}" "```${language}\n" start)
  string(LENGTH "```${language}\n" fence)
  math(EXPR start "${start} + ${fence}")
  string(SUBSTRING "${text}" ${start} -1 rest)
  string(FIND "${rest}" "```" end)
  string(SUBSTRING "${rest}" 0 ${end} rest)
  set(${into} "${rest}" PARENT_SCOPE)
endfunction()

fenced(cpp program)
fenced(text want)
file(REMOVE_RECURSE ${work})
file(WRITE ${work}/readme.cpp "${program}")
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND ${compiler} -std=c++20 ${flags} -I${include} -o ${work}/readme ${work}/readme.cpp
  RESULT_VARIABLE code ERROR_VARIABLE errors)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${document}: the program does not compile:\n${errors}")
endif()
execute_process(COMMAND ${work}/readme OUTPUT_VARIABLE output)
if(NOT output STREQUAL want)
  message(FATAL_ERROR "${document}: the program printed\n${output}not\n${want}")
endif()
