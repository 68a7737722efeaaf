#compdef coppice
# Completion of coppice for zsh. To use it: source <(coppice completion zsh), after compinit
_coppice() {
	local -a names
	names=("${(@f)$(coppice completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ -n ${names[1]} ]]; then
		compadd -- "${names[@]}"
	else
		_files
	fi
}
if [[ ${funcstack[1]} == _coppice ]]; then
	_coppice "$@"
else
	compdef _coppice coppice
fi
