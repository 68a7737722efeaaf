# Completion of coppice for PowerShell. To use it: coppice completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName coppice -ScriptBlock {
	param($word, $line, $cursor)
	$words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
	if ($word -eq '') { $words += '""' }
	coppice completion words '--' @words 2>$null | ForEach-Object {
		$text = if ($_ -match '\s') { "'$_'" } else { $_ }
		[System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
	}
}
