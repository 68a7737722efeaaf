# Completion of coppice for fish. To use it: coppice completion fish | source
complete -c coppice -a '(set -l words (commandline -opc) (commandline -ct); coppice completion words -- $words[2..] 2>/dev/null)'
