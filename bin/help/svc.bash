# Completes svc and svc-app-publish in bash. Load it with:  source <(svc completion bash)
_svc() {
  local program=${COMP_WORDS[0]/#\~/$HOME} kind line
  local -a lines of
  # The one svc beside it answers for both.
  case $program in *svc-app-publish) of=(--of svc-app-publish) program=${program%-app-publish} ;; esac
  mapfile -t lines < <("$program" complete "${of[@]}" -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  kind=${lines[0]-}
  COMPREPLY=()
  local typed=${COMP_WORDS[COMP_CWORD]}
  [ "$typed" != = ] || typed=
  case $kind in
    files)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$typed")
      ;;
    folders)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$typed")
      ;;
    words)
      for line in "${lines[@]:1}"; do COMPREPLY+=("${line%%$'\t'*}"); done
      # More comes after Server/.
      case ${COMPREPLY[0]-} in */) [ ${#COMPREPLY[@]} -gt 1 ] || compopt -o nospace ;; esac
      ;;
  esac
}
complete -F _svc svc svc-app-publish
