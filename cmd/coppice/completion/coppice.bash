# Completion of coppice for bash. To use it: source <(coppice completion bash)
_coppice() {
	local name
	COMPREPLY=()
	while IFS= read -r name; do
		COMPREPLY+=("$name")
	done < <(coppice completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	if [[ ${#COMPREPLY[@]} -gt 0 ]]; then
		# Names may have spaces: bash quotes them as it quotes names of files.
		compopt -o filenames 2>/dev/null
	fi
}
complete -o default -F _coppice coppice
