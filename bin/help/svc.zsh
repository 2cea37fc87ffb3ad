#compdef svc svc-app-publish
# Completes svc and svc-app-publish in zsh. Load it after compinit with:  source <(svc completion zsh)
_svc() {
  local program=${~words[1]} line text about kind
  local -a lines shown open of
  # The one svc beside it answers for both.
  [[ $program != *svc-app-publish ]] || { of=(--of svc-app-publish); program=${program%-app-publish} }
  lines=("${(@f)$("$program" complete $of -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  kind=$lines[1]
  case $kind in
    files | folders)
      [[ $PREFIX != --*=* ]] || compset -P '*='
      [[ $kind == files ]] && _files || _files -/
      ;;
    words)
      for line in "${(@)lines[2,-1]}"; do
        text=${line%%$'\t'*}
        about=${line#*$'\t'}
        # More comes after Server/.
        if [[ $text == */ ]]; then open+=("$text")
        elif [[ $text == $line ]]; then shown+=("${text//:/\\:}")
        else shown+=("${text//:/\\:}:$about"); fi
      done
      (( ! $#open )) || compadd -S '' -a open
      (( ! $#shown )) || _describe svc shown
      ;;
  esac
}
compdef _svc svc svc-app-publish
