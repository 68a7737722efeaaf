# Builds the program that README.md shows, and checks that it prints what README.md says.
file(READ ${library}/README.md text)

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
execute_process(COMMAND ${compiler} -std=c++20 -I${library}/include -o ${work}/readme ${work}/readme.cpp
  RESULT_VARIABLE code ERROR_VARIABLE errors)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "README.md's program does not compile:\n${errors}")
endif()
execute_process(COMMAND ${work}/readme OUTPUT_VARIABLE output)
if(NOT output STREQUAL want)
  message(FATAL_ERROR "README.md's program printed\n${output}not\n${want}")
endif()
