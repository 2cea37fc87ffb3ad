# Actions of the portal on jobs of a server, run as the account that owns them. Sent over standard input with a call of `act` behind it
# (controller/clusters/job-server.ts), all in one group of commands: a truncated text runs nothing. Arguments never are words of a command
# line. FOLDER is where the jobs of the account are, relative to its home; a job is a folder in it (wrapper.sh lists its files).
set -u
umask 077
unset CDPATH "${!SBATCH_@}" "${!SQUEUE_@}" "${!SACCT_@}" "${!SLURM_@}" "${!SCANCEL_@}"
export LC_ALL=C

act() { # WORD…: with escapes for what is no plain character
  local word words=()
  for word; do printf -v word %b "$word"; words+=("$word"); done
  cd / && cd "$HOME" || exit 71
  "do_${words[0]}" "${words[@]:1}"
  exit
}

fail() {
  printf 'svc-says %s\n' "$2" >&2
  exit "$1"
}

# FOLDER NAME {FILE CONTENT}…: a job that is claimed already gets a new header and address only. The content has escapes still, since it may hold NUL.
put() {
  # A folder for this call alone: two calls may put the same job at once, and neither may move the unfinished files of the other.
  local folder=$1/$2 new=$1/$2/.put$$ parts=()
  shift 2
  mkdir -p -m 700 -- "$new" || fail 74 "cannot make $folder"
  while (($# > 1)); do
    if [[ ! -e $folder/claim || $1 == header || $1 == url ]]; then
      printf %b "$2" >"$new/$1" || fail 74 "cannot write $1"
      parts+=("$new/$1")
    fi
    shift 2
  done
  # A single process for all files, since a small job spends most of its time here; each file is renamed by itself.
  mv -f -t "$folder" -- "${parts[@]}" || fail 74 "cannot write to $folder"
  sync -f "$folder" 2>/dev/null || true
}

lives() { # PID START BOOT: that very process, and no zombie
  local line fields boot
  [[ ${1-} =~ ^[1-9][0-9]{0,9}$ ]] || return 1
  { read -r boot </proc/sys/kernel/random/boot_id && read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  read -ra fields <<<"${line##*) }"
  [[ ${fields[0]} != [ZX] && ${fields[19]} == "${2-}" && $boot == "${3-}" ]]
}

first_line() { # VARIABLE FILE: at most 200 characters of a plain file
  local line=''
  [[ -f $2 && ! -L $2 ]] && read -r -n 200 line <"$2"
  printf -v "$1" %s "${line//[^A-Za-z0-9 ._:-]/?}"
}

leave_word() { # FILE WORD: in place of what lies there, which may be a pipe that nobody reads
  rm -rf -- "$1.part" && printf '%s\n' "$2" >"$1.part" && mv -f -- "$1.part" "$1"
}

is_there() { # VARIABLE FILE
  if [[ -e $2 ]]; then printf -v "$1" yes; else printf -v "$1" ''; fi
}

# FILE: it is not there; one that can't be read, as on a network disk, may be.
is_absent() { [[ ! -e $1 && $(stat -L -- "$1" 2>&1) =~ (No\ such\ file|Not\ a\ directory) ]]; }

# FILE: it can be read now, or there is none.
is_readable() {
  if [[ -f $1 ]]; then { : <"$1"; } 2>/dev/null; else [[ -e $1 ]] || is_absent "$1"; fi
}

# NAME: by force, the wrapper, and the command with all that it started. In this order: a command that begins meanwhile asks for the wrapper.
kill_job() {
  local process
  first_line process "$1/claim/process"
  lives $process && kill -KILL "${process%% *}"
  first_line process "$1/command"
  lives $process && kill -KILL -- "-${process%% *}"
}

# NAME SECONDS: so much longer than all of its time the wrapper lives, by the uptime of the machine. Its own watch ends it before, unless it was stopped.
is_overdue() {
  local up process seconds delivery
  first_line process "$1/claim/process"
  first_line seconds "$1/seconds"
  first_line delivery "$1/delivery"
  [[ $seconds =~ ^[0-9]{1,9}$ && $delivery =~ ^[0-9]{1,9}$ ]] && lives $process || return 1
  read -r up _ </proc/uptime
  set -- "$2" $process
  ((${up%%.*} - $3 / $(getconf CLK_TCK) > seconds + delivery + $1))
}

# FOLDER PREFIX [SECONDS]: a line for each job that was put here, with what it left: name, cluster's id, claimed, lives, begun, ended, exit code, reason,
# cancelled, sent; begun and ended in seconds of the epoch. `unread NAME` for one that can't be read now. One that lives SECONDS after its time is killed first: it failed, its time was over.
do_records() {
  local folder name process id claimed alive code reason cancelled sent at n tab=$'\t' names=() before=() behind=() some=()
  local -A times=()
  cd "$1" 2>/dev/null || { is_absent "$1" && return 0 || fail 74 "cannot read $1"; }
  for folder in "$2"*/; do
    name=${folder%/}
    [[ $name =~ ^[a-z0-9-]{1,63}$ && -d $name && ! -L $name ]] || continue
    if [[ -n ${3-} ]] && is_overdue "$name" "$3"; then
      kill_job "$name"
      [[ -e $name/codigo ]] || { leave_word "$name/reason" limit && leave_word "$name/codigo" 124; }
    fi
    first_line process "$name/claim/process"
    # A job that can't be read now may live. Where the address can be seen nobody needs to be asked about a claim that is not there.
    if [[ -z $process && (-e $name/claim || ! -e $name/url) ]] && ! is_readable "$name/claim/process"; then
      printf 'unread\t%s\n' "$name"
      continue
    fi
    # Before what it leaves: one that ends in between is seen as it was, never as one that left nothing.
    lives $process && alive=yes || alive=''
    is_there claimed "$name/claim"
    first_line code "$name/codigo"
    is_there cancelled "$name/cancelled"
    is_there sent "$name/sent"
    first_line id "$name/id"
    first_line reason "$name/reason"
    names+=("$name")
    before+=("$name$tab${id:-${process%% *}}$tab$claimed$tab$alive")
    behind+=("$code$tab$reason$tab$cancelled$tab$sent")
  done
  # The times of many by one process, after all was read: what was there has one.
  for ((n = 0; n < ${#names[@]}; n += 500)); do
    some=("${names[@]:n:500}")
    while read -r at name; do times[$name]=$at; done < <(stat -c '%Y %n' -- "${some[@]/%//claim/process}" "${some[@]/%//codigo}" 2>/dev/null)
  done
  for ((n = 0; n < ${#names[@]}; n++)); do
    name=${names[n]}
    printf 'record\t%s\t%s\t%s\t%s\n' "${before[n]}" "${times[$name/claim/process]-}" "${times[$name/codigo]-}" "${behind[n]}"
  done
}

# FOLDER NAME {FILE CONTENT}…: the wrapper runs in a session of its own, beyond the portal's life.
do_start() {
  local folder=$1 name=$2 n
  put "$@"
  cd "$folder/$name" || fail 74 "cannot enter $folder/$name"
  [[ -e claim ]] && return 0
  setsid -f bash "$PWD/wrapper" "$PWD" </dev/null >>"$PWD/said" 2>&1 || fail 70 'cannot start the wrapper'
  for ((n = 0; n < 100; n++)); do
    [[ -e claim/process ]] && return 0
    sleep 0.05
  done
  fail 75 'the wrapper did not say that it runs'
}

# FOLDER NAME SECONDS: by a signal to the wrapper, which ends the command; by force when that was asked for so long ago and it still lives.
do_stop() {
  local process
  cd "$1/$2" 2>/dev/null || return 0
  # Asked again it stays of the first time, from which the seconds count.
  [[ -e codigo || -e cancelled ]] || touch cancelled
  first_line process claim/process
  lives $process || return 0
  kill -TERM "${process%% *}" 2>/dev/null
  if (($(date +%s) - $(stat -c %Y cancelled 2>/dev/null || date +%s) > $3)); then kill_job .; fi
  return 0
}

# FOLDER NAME: what lives is left alone, and so is what can't be read now, which may live.
do_forget() {
  local process
  cd "$1" 2>/dev/null || { is_absent "$1" && return 0 || fail 74 "cannot read $1"; }
  first_line process "$2/claim/process"
  [[ -n $process ]] || is_readable "$2/claim/process" || fail 74 "cannot read $2"
  lives $process && return 0
  rm -rf -- "$2"
}
