#!/bin/bash
# Runs one job of the queue: fetches its inputs, runs its command, sends log and outputs to the portal. Where it runs it needs bash, the core
# utilities, and curl or python3. usage: bash wrapper JOB [STATE]
#
# JOB, written by the driver of the cluster and only read here: url, header (the line with the token; read at every request, so that it can be
# replaced), seconds, delivery (how much longer than the command all the rest may take), command, env and launch (NUL after each word), and
# perhaps image, memory (KiB for each process), cpu (seconds of processor) and pace (seconds, for tests). STATE, JOB itself by default: claim/ (who runs it), log, codigo, reason,
# sent, and work/ with entrada/ and saida/.
#
# The command never runs twice: a second wrapper finds the claim and ends. Exit code: that of the command; 124 its time was over, 125 it could
# not be run, 143 it was ended from outside. Decision: docs/decisions/0212-clusters.md
set -um
umask 077
shopt -s globstar dotglob nullglob
job=$1 state=${2:-$1}
beat_seconds=10 log_seconds=2 pause_max=60 end_seconds=10 piece=$((8 * 1024 * 1024))
outputs_seconds=10
# schema/limits.ts and schema/jobs.ts: what the portal takes. A list with one entry more, or other ones, is refused whole.
outputs_max=1000 output_bytes_max=$((16 << 30)) path_bytes_max=1024 names_told_max=20
files_at_once=50 bytes_at_once=$((64 << 20))
[[ -r $job/pace ]] && read -r beat_seconds log_seconds pause_max end_seconds piece outputs_seconds <"$job/pace"
outputs_seconds=${outputs_seconds:-10}
read -r url <"$job/url"
read -r seconds <"$job/seconds"
read -r delivery <"$job/delivery"
mapfile -d '' command <"$job/command"
mapfile -d '' environment <"$job/env"
mapfile -d '' confinement <"$job/launch"
walls=() launch=() runner=''
if command -v curl >/dev/null; then client=curl; else client=python3; fi
# Files of one process each: publish has files of its own.
scratch=$state/.
answer=${scratch}answer body=${scratch}body
status=000 beaten=-1000 logged=-1000 log_sent=0 failures=0 stop='' full='' missing='' pid=0 publisher=0
deadline=$((seconds + delivery))

keep() { # FILE TEXT: whole or not at all; on a full disk in the room that was kept free for it
  { printf '%s\n' "$2" >"$1.part" || { rm -f "$state/.reserve" && printf '%s\n' "$2" >"$1.part"; }; } 2>/dev/null && mv -f "$1.part" "$1"
}

# Fails when the disk is full, and then remembers it.
has_room() {
  { printf '%4096s' '' >"${scratch}probe" && : >"${scratch}probe"; } 2>/dev/null && return 0
  full=yes
  return 1
}

process_of() { # PID: into $process "PID START BOOT", which no other process ever has
  local line fields boot
  process=''
  read -r line <"/proc/$1/stat" && read -r boot </proc/sys/kernel/random/boot_id || return 1
  read -ra fields <<<"${line##*) }"
  process="$1 ${fields[19]} $boot"
}

# Into walls: the words of bubblewrap for the folders that are there now. It fails on a folder that is gone, as the home of a person who left since
# the job was submitted; such a folder needs no cover.
raise_walls() {
  local at=0 count
  walls=()
  while ((at < ${#confinement[@]})); do
    case ${confinement[at]} in
      --size) count=4 ;;
      --tmpfs | --remount-ro) count=2 ;;
      *) count=1 ;;
    esac
    # The last of these words is the folder.
    ((count > 1)) && [[ ! -d ${confinement[at + count - 1]} ]] || walls+=("${confinement[@]:at:count}")
    at=$((at + count))
  done
}

# COMMAND…: reads outputs as the command of the job does: a link that it made leads nowhere that it could not look itself.
inside() {
  raise_walls
  "${walls[@]}" "$@"
}

with_python='import sys, urllib.request, urllib.error
method, url, header, body, out, span, seconds = sys.argv[1:]
class Stay(urllib.request.HTTPRedirectHandler):
    redirect_request = lambda *_: None
name, _, value = open(header).readline().strip().partition(": ")
request = urllib.request.Request(url, data=open(body, "rb").read() if body else None, method=method)
request.add_header(name, value)
request.add_header("Content-Type", "application/octet-stream")
if span: request.add_header("Range", "bytes=" + span)
try: answer = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay).open(request, timeout=int(seconds))
except urllib.error.HTTPError as error: answer = error
print(answer.code, end="", flush=True)
size = 0
with open(out, "wb") as to:
    while part := answer.read(65536): size += to.write(part)
# It takes an answer that was cut for a short one.
sys.exit(size < int(answer.headers.get("Content-Length") or 0))
'

# METHOD PATH BODY-FILE OUT [RANGE]: past any proxy that the environment names, and with no module of Python that it names. The status is in $status, 000 when there was none. Fails when the answer is not whole; OUT has what came.
request() {
  local method=$1 address=$url$2 from=$3 out=$4 span=${5-}
  : >"$out"
  if [[ $client == curl ]]; then
    local words=(-q -sS --noproxy '*' -o "$out" -w '%{http_code}' -X "$method" -H "@$job/header" -H 'Expect:' -H 'Content-Type: application/octet-stream')
    words+=(--connect-timeout 10 --speed-limit 1 --speed-time 30 ${span:+-r "$span"} ${from:+--data-binary "@$from"})
    curl "${words[@]}" "$address" >"${scratch}status" 2>"${scratch}error" &
  else
    python3 -I -c "$with_python" "$method" "$address" "$job/header" "$from" "$out" "$span" 30 >"${scratch}status" 2>"${scratch}error" &
  fi
  # Not in the foreground: a signal is answered at once.
  wait $!
  local ended=$?
  ((ended > 128)) && kill $! 2>/dev/null
  # The file has no end of a line.
  status=''
  read -r status <"${scratch}status"
  [[ $status =~ ^[1-5][0-9][0-9]$ ]] || status=000
  [[ $status == 410 ]] && stop=${stop:-cancelled}
  return "$ended"
}

took() { [[ $status == 2?? ]]; }
# Somebody removed the folder of the job: nobody will ever ask for what comes of it. One that can't be read now, as on a network disk, is there.
is_removed() { [[ ! -d $state/claim ]] && is_absent "$state/claim"; }
is_absent() { [[ ! -e $1 && $(LC_ALL=C stat -L -- "$1" 2>&1) =~ (No\ such\ file|Not\ a\ directory) ]]; }
is_over() { [[ -n $stop || $status == 404 || $SECONDS -ge $deadline ]] || is_removed; }

# Sleeps after a failure, twice as long after each; fails when there is no sense in another try.
back_off() {
  is_over && return 1
  local pause=$((failures < 6 ? 1 << failures : 60))
  ((pause > pause_max)) && pause=$pause_max
  failures=$((failures + 1))
  sleep "$pause.$((RANDOM % 10))" &
  wait $!
  beat
  ! is_over
}

# At most six decimals are sent; what a program writes as 3e-05 is nothing yet.
progress() {
  local line number='((0|1)|(0?\.[0-9]{1,6})[0-9]*|(1\.0{0,6})0*|[0-9](\.[0-9]*)?e-[0-9]+)'
  [[ -s $state/work/.progresso ]] || return 0
  line=$(tail -n 1 "$state/work/.progresso" 2>/dev/null)
  [[ $line =~ ^svc-progresso\ $number$ ]] || return 0
  number=${BASH_REMATCH[2]}${BASH_REMATCH[3]}${BASH_REMATCH[4]}
  printf 'progresso=%s\n' "${number:-0}"
}

# [LINE…]: a sign of life; without lines only when one is due.
beat() {
  (($# == 0 && SECONDS - beaten < beat_seconds)) && return 0
  beaten=$SECONDS
  [[ $# == 0 ]] && set -- "estado=$doing"
  { printf '%s\n' "$@"; progress; } >"$body"
  request POST /batida "$body" "$answer" && took
}

# Sends the rest of the log, a piece at a time; fails when the portal did not take a piece.
send_log() {
  local size
  [[ -s $state/log ]] || return 0
  size=$(stat -c %s "$state/log") || return 0
  logged=$SECONDS
  while ((log_sent < size)); do
    tail -c "+$((log_sent + 1))" "$state/log" | head -c "$piece" >"$body"
    request PUT "/registo?desde=$log_sent" "$body" "$answer"
    # 413: the portal keeps no more of it.
    [[ $status == 413 ]] && log_sent=$size && return 0
    took || return 1
    [[ $(<"$answer") =~ \"ate\":\ *([0-9]+) ]] || return 1
    ((BASH_REMATCH[1] > log_sent)) || return 1
    log_sent=${BASH_REMATCH[1]}
    beat
  done
}

sum_of() {
  local sum
  if command -v sha256sum >/dev/null; then { sum=$(sha256sum <"$1"); } 2>/dev/null; else
    sum=$(python3 -I -c 'import hashlib, sys
sum = hashlib.sha256()
while part := sys.stdin.buffer.read(1 << 20): sum.update(part)
print(sum.hexdigest())' <"$1" 2>/dev/null)
  fi
  printf '%s' "${sum%% *}"
}

decoded() { # PATH: into $path; fails for what leads out of the folder
  [[ $1 =~ ^[A-Za-z0-9._~%/-]+$ && $1 != *%00* && $1 != *%0[aA]* ]] || return 1
  printf -v path '%b' "${1//%/\\x}"
  [[ "/$path/" != */../* && "/$path/" != *//* && "/$path/" != */./* ]]
}

encoded() { # PATH: into $path
  local LC_ALL=C text=$1 at
  path=''
  for ((at = 0; at < ${#text}; at++)); do
    case ${text:at:1} in
      [A-Za-z0-9._~/-]) path+=${text:at:1} ;;
      *) printf -v path '%s%%%02X' "$path" "'${text:at:1}" ;;
    esac
  done
}

fetch() { # SHA SIZE PATH
  local sha=$1 size=$2 path to part=$state/.input have
  [[ $sha =~ ^[0-9a-f]{64}$ && $size =~ ^[0-9]{1,15}$ ]] && decoded "$3" || return 1
  to=$state/work/$path
  mkdir -p "${to%/*}" || return 1
  : >"$part"
  while :; do
    have=$(stat -c %s "$part")
    if ((have >= size)); then
      [[ $have == "$size" && $(sum_of "$part") == "$sha" ]] && mv -f "$part" "$to" && return 0
      # Other bytes than were announced: from the beginning.
      : >"$part"
      status=000
      back_off || return 1
      continue
    fi
    request GET "/entradas/$sha" '' "$answer" "$have-$((have + piece - 1))"
    if [[ $status == 206 || ($status == 200 && $have == 0) ]] && [[ -s $answer ]]; then
      cat "$answer" >>"$part" 2>/dev/null || { has_room; return 1; }
      failures=0
      beat
      [[ -z $stop ]] || return 1
    else
      has_room && back_off || return 1
    fi
  done
}

fetch_all() {
  local sha size path rest
  if [[ -z $listed ]]; then
    until request GET /entradas '' "$state/.inputs" && took; do has_room && back_off || return 1; done
  fi
  failures=0
  while IFS=$'\t' read -r sha size path rest; do
    [[ -z $sha ]] || fetch "$sha" "$size" "$path" || return 1
  done <"$state/.inputs"
}

# Puts the variables of the job (descriptor 3) around its command, in a bash that has no others of ours. Variables that bash or the loader
# take for their own are set by env, the last program before the command. usage: SAIDA PROGRESSO TRABALHO COMMAND…
# Empties the file of descriptor 4 first: the command begins.
enter=': 2>/dev/null >/dev/fd/4; exec 4>&-
export SVC_SAIDA=$1 SVC_PROGRESSO=$2 SVC_TRABALHO=$3
shift 3
# For env the first word without such a sign is the command.
[[ $1 != *=* ]] || set -- "$(type -P nice)" -n 0 -- "$@"
while IFS= read -r -d ""; do
  case ${REPLY%%=*} in
    SVC_SAIDA | SVC_PROGRESSO | SVC_TRABALHO) ;;
    _ | PATH | REPLY | IFS | ENV | UID | EUID | PPID | BASH* | SHELLOPTS | POSIXLY_CORRECT | PS[0-9] | PROMPT_COMMAND | LD_* | GLIBC_TUNABLES | LC_* | LANG | LANGUAGE | \
    RANDOM | SRANDOM | SECONDS | EPOCH* | LINENO | LINES | COLUMNS | GROUPS | DIRSTACK | FUNCNAME | FUNCNEST | PIPESTATUS | OPT* | TMOUT | *IGNORE | IGNOREEOF | HIST* | COMP_* | READLINE_* | MAPFILE | COPROC | MAIL* | PWD | OLDPWD | SHLVL | HOST* | MACHTYPE | OSTYPE | TZ)
      set -- "$REPLY" "$@" ;;
    *) export "$REPLY" ;;
  esac
done <&3
exec 3<&-
[[ $1 != *=* ]] || set -- env -- "$@"
exec -- "$@"'

# In a process of its own, which records how the command ended even when the wrapper is gone.
run() {
  trap : TERM INT HUP
  # Not by the wrapper, which may be stopped or killed in between. A forced end kills the wrapper, and then the process that is named here:
  # a process that was not named by then finds the wrapper gone.
  process_of "$BASHPID"
  keep "$state/command" "$process"
  local code tries
  for ((tries = 1; ; tries++)); do
    kill -0 $$ 2>/dev/null || return 0
    begin
    code=$?
    # bubblewrap ended before the command began. A disk that is too full for this file is no reason to run a command twice.
    [[ $code == 1 && -s $state/.outside ]] || break
    ((tries < 3)) || { code=125; keep "$state/reason" walls; break; }
    # By a signal: the job is to end.
    sleep 1 || break
  done
  rm -f "$state/.outside"
  keep "$state/codigo" "$code"
}

# The command of the job, within its walls. The file .outside has a word until it begins.
begin() {
  raise_walls
  ((${#walls[@]} == 0)) || echo outside 2>/dev/null >"$state/.outside"
  (
    ulimit -c 0
    [[ -r $job/memory ]] && ulimit -d "$(<"$job/memory")"
    [[ -r $job/cpu ]] && ulimit -t "$(<"$job/cpu")"
    cd "$state/work" || exit 126
    if [[ -n $runner ]]; then
      # Under its own prefix, by which it passes them on: nothing of the job steers it.
      for one in "${environment[@]}"; do export "${runner}ENV_$one"; done
      export SVC_SAIDA=$state/work/saida SVC_PROGRESSO=$state/work/.progresso SVC_TRABALHO=$state/work
      exec "${launch[@]}" "${command[@]}"
    fi
    exec "${walls[@]}" bash -c "$enter" svc "$state/work/saida" "$state/work/.progresso" "$state/work" "${command[@]}" 3<"$job/env" 4<>"$state/.outside"
  ) </dev/null >>"$state/log" 2>&1
}

# By what runs images here; without any the command runs as it is, and the log says so.
with_image() {
  local image tool
  read -r image <"$job/image"
  if tool=$(command -v apptainer || command -v singularity); then
    [[ $image == *://* || $image == /* ]] || image=docker://$image
    confinement=()
    runner=${tool##*/} runner=${runner^^}
    launch=("$tool" exec --bind "$state/work" --pwd "$state/work" "$image")
  else
    echo "svc: nothing here runs images: the command runs without $image" >>"$state/log"
  fi
}

end_command() {
  local until=$((SECONDS + end_seconds))
  kill -TERM -- "-$pid" 2>/dev/null
  while kill -0 -- "-$pid" 2>/dev/null && ((SECONDS < until)); do
    sleep 0.1 &
    wait $!
  done
  kill -KILL -- "-$pid" 2>/dev/null
}

# For its first second a command is left alone: of one that is over by then, its beginning and its end are told.
watch() {
  local until=$((SECONDS + seconds)) sleeper
  while [[ -z $stop ]]; do
    sleep 1 &
    sleeper=$!
    # Returns when either ends, or when a signal comes.
    wait -n "$pid" "$sleeper"
    { kill "$sleeper" && wait "$sleeper"; } 2>/dev/null
    [[ -z $stop ]] && kill -0 "$pid" 2>/dev/null || break
    if is_removed; then
      stop=removed
      break
    fi
    if ((SECONDS >= until)); then
      stop=limit
      break
    fi
    if ((publisher == 0)); then
      # A process group: its pending request ends with it.
      ( set +m; publish ) &
      publisher=$!
    fi
    ((SECONDS - logged < log_seconds)) || send_log
    beat
  done
  [[ -n $stop ]] && end_command
  wait "$pid" 2>/dev/null
  if [[ $stop == removed ]]; then
    ((publisher == 0)) || kill -KILL -- "-$publisher" 2>/dev/null
    exit 143
  fi
  case $stop in
    limit) keep "$state/codigo" 124 && keep "$state/reason" limit ;;
    ?*) keep "$state/codigo" 143 && keep "$state/reason" "$stop" ;;
    # The exit code that the command left is not written over where it can't be read now.
    *) ! is_absent "$state/codigo" || keep "$state/codigo" 137 ;;
  esac
}

send() { # FILE SHA OFFSET SIZE: the bytes that were announced, also of a file that has grown since then
  local file=$1 sha=$2 at=$3 size=$4 now
  while ((at < size || size == 0)); do
    now=$((size - at < piece ? size - at : piece))
    status=200
    inside tail -c "+$((at + 1))" "$file" 2>/dev/null | head -c "$now" >"$body" 2>/dev/null
    # Not a byte of it could be written here, or it is gone.
    [[ $size == 0 || -s $body ]] || return 1
    request PUT "/saidas/$sha?desde=$at" "$body" "$answer"
    took || return 1
    at=$((at + $(stat -c %s "$body")))
    ((size == 0)) && break
    beat
    [[ -z $stop ]] || return 1
  done
}

declare -A files=() sizes=()           # by sha256
declare -A looks=() sums=() paths=()   # by file
found=()                               # all in the folder of outputs

# The folder of outputs, as it was made: a link in its place has none.
has_folder() { [[ -d $state/work/saida && ! -L $state/work/saida && ! -L $state/work ]]; }

# FILE…: inode, bytes and time of each into looks, nothing for one that is gone. One process for many, as below. No name here has an escape.
look_at() {
  local line name
  looks=()
  while (($# > 0)); do
    while IFS= read -r line; do
      name=${line#* * * }
      [[ -z $line ]] || looks[$name]=${line%" $name"}
    done <<<"$(stat -c '%i %s %.9Y %n' -- "${@:1:files_at_once}" 2>/dev/null)"
    shift $(($# < files_at_once ? $# : files_at_once))
  done
}

sum_all() { # FILE…: into sums, nothing for one that can't be read
  local line told tries
  sums=()
  if ((${#confinement[@]} == 0)) && ! command -v sha256sum >/dev/null; then
    for line; do sums[$line]=$(sum_of "$line"); done
    return
  fi
  while (($# > 0)); do
    # Nothing at all was read where the walls could not be mounted.
    for tries in 1 2 3; do
      told=$(inside sha256sum -- "${@:1:files_at_once}" 2>/dev/null)
      [[ -z $told && ${#confinement[@]} != 0 ]] || break
      sleep 0.2
    done
    while IFS= read -r line; do
      [[ ! $line =~ ^[0-9a-f]{64}\ [\ *] ]] || sums[${line:66}]=${line:0:64}
    done <<<"$told"
    shift $(($# < files_at_once ? $# : files_at_once))
  done
}

list_output() { # FILE LOOK SHA: its line of the list, into $line too
  local size=${2#* }
  size=${size%% *}
  files[$3]=$1 sizes[$3]=$size
  printf -v line '%s\t%s\t%s' "$3" "$size" "${paths[$1]}"
  printf '%s\n' "$line" >>"${scratch}outputs"
}

is_too_large() { # LOOK
  local size=${1#* }
  ((${size%% *} > output_bytes_max))
}

# Percent-encoded UTF-8, each character in its shortest form. Source: RFC 3629, 4.
more='%[89AB].'
utf8="^([A-Za-z0-9._~/-]|%[2-7].|%(C[2-9A-F]|D.)$more|%E0%[AB].$more|%E[1-9ABCEF]($more){2}|%ED%[89].$more"
utf8+="|%F0%[9AB].($more){2}|%F[1-3]($more){3}|%F4%8.($more){2})*\$"

# Characters that a plain line excludes, beside controls: C1, separators, direction, noncharacters, and invisible ones. Source:
# schema/plain-line.ts
hidden='%C2%([89].|AD)|%D8%9C|%E1%85%(9F|A0)|%E1%9E%B[45]|%E1%A0%8[B-F]|%E2%80%(8[BEF]|A[89A-E])|%E2%81%A.|%E3%85%A4'
hidden+='|%EF%(B7%[9A].|BB%BF|BE%A0|BF%B[0-8EF])|%F0%(9B%B2%A[0-3]|9D%85%B[3-9A])|%F3%A0%(8[0-389A-F]%..|87%B.|[9AB].%..)|%F.%[89AB]F%BF%B[EF]'

cannot_go() { # FILE: why the portal takes no output of that name, into $why; its encoded path into paths
  local LC_ALL=C path name=${1#"$state/work/saida/"}
  why=''
  encoded "saida/$name"
  paths[$1]=$path
  if ((${#name} > path_bytes_max)); then why="its path is longer than $path_bytes_max bytes"
  elif [[ $path =~ %(0.|1.|7F) ]]; then why='its name holds a control character'
  elif [[ $path == *%5C* ]]; then why='its name holds a backslash'
  elif [[ ! $path =~ $utf8 ]]; then why='its name is not UTF-8'
  elif [[ $path =~ $hidden ]]; then why='its name holds a character that is not shown'
  fi
  [[ -n $why ]]
}

# In the order of the bytes of their paths, so that the same ones are left out each time.
find_outputs() {
  local LC_ALL=C
  found=()
  has_folder && found=("$state/work/saida"/**)
}

names_told=0
leave() { # FILE WHY: in the log, by a name that shows each byte
  local LC_ALL=C name
  ((names_told++ < names_told_max)) || return 0
  printf -v name %q "${1#"$state/work/"}"
  ((${#name} <= 300)) || name="${name:0:300}..."
  printf 'svc: not sent: %s: %s\n' "$name" "$2" >>"$state/log"
}

# FILE…: lists those that stay as they are while they are read, and leaves the others, each with its reason.
list_all() {
  local file look tries again=("$@")
  local -A before=()
  for tries in 1 2 3; do
    set -- "${again[@]}"
    again=()
    (($# > 0)) || return 0
    look_at "$@"
    before=()
    for file; do before[$file]=${looks[$file]-}; done
    sum_all "$@"
    look_at "$@"
    for file; do
      look=${looks[$file]-}
      if [[ -z $look ]]; then leave "$file" 'it is gone'
      elif is_too_large "$look"; then leave "$file" "it is larger than $output_bytes_max bytes"
      elif [[ -z ${sums[$file]-} ]]; then leave "$file" "it can't be read"
      elif [[ ${before[$file]} != "$look" ]]; then again+=("$file")
      else
        list_output "$file" "$look" "${sums[$file]}"
        continue
      fi
      left=yes
    done
  done
  for file in "${again[@]}"; do leave "$file" 'it changes while it is read' && left=yes; done
}

# Files outside of the list are never requested. Every file that is left out is reported.
send_outputs() {
  local file line why size left='' chosen=() batch=() bytes=0 over=0
  local -A size_of=()
  : >"${scratch}outputs" || return 1
  [[ ! -e $state/work/saida && ! -L $state/work/saida ]] || has_folder || { leave "$state/work/saida" 'it is no folder'; left=yes; }
  find_outputs
  for file in "${found[@]}"; do
    if [[ -L $file ]]; then leave "$file" 'it is a link'
    elif [[ -d $file ]]; then [[ -r $file && -x $file ]] || { leave "$file" "the folder can't be read"; left=yes; }
    elif [[ ! -e $file ]]; then continue
    elif [[ ! -f $file ]]; then leave "$file" 'it is no plain file'
    elif cannot_go "$file"; then leave "$file" "$why"; left=yes
    elif ((${#chosen[@]} < outputs_max)); then chosen+=("$file")
    else over=$((over + 1)) left=yes
    fi
  done
  look_at "${chosen[@]}"
  for file in "${!looks[@]}"; do
    size=${looks[$file]#* }
    size_of[$file]=${size%% *}
  done
  # Between two batches there is a sign of life.
  for file in "${chosen[@]}"; do
    batch+=("$file") bytes=$((bytes + ${size_of[$file]-0}))
    ((${#batch[@]} >= files_at_once || bytes > bytes_at_once)) || continue
    list_all "${batch[@]}"
    batch=() bytes=0
    beat
  done
  list_all "${batch[@]}"
  ((names_told <= names_told_max)) || echo "svc: not sent: $((names_told - names_told_max)) more of this kind" >>"$state/log"
  ((over == 0)) || echo "svc: not sent: $over outputs more than the $outputs_max that a job leaves" >>"$state/log"
  # Nothing was left, and nothing was told before.
  [[ ! -s ${scratch}outputs && ! -e $state/.publish.wanted ]] || deliver || return 1
  [[ -z $left ]]
}

pass_seconds() { # COUNT: fails when the wrapper is gone meanwhile
  local n
  for ((n = 0; n < $1; n++)); do sleep 1 && kill -0 $$ 2>/dev/null || return 1; done
}

# While the command runs, in a process of its own: files that are between two looks as they were. One that changes after that is sent again
# and takes the place of the one before; one that is being written is not sent. Files that fail are sent at the next look, or at the end.
publish() {
  local file look line why list='' sent='' chosen fresh
  local -A seen=() now=() known=() lines=() told=()
  scratch=$state/.publish.
  answer=${scratch}answer body=${scratch}body
  while pass_seconds "$outputs_seconds"; do
    files=() sizes=() chosen=() fresh=() now=()
    : >"${scratch}outputs"
    find_outputs
    for file in "${found[@]}"; do
      [[ -f $file && ! -L $file ]] && ! cannot_go "$file" && chosen+=("$file")
      ((${#chosen[@]} < outputs_max)) || break
    done
    look_at "${chosen[@]}"
    for file in "${!looks[@]}"; do
      look=${looks[$file]} now[$file]=${looks[$file]}
      [[ ${seen[$file]-} == "$look" && ${known[$file]-} != "$look "* ]] && ! is_too_large "$look" && fresh+=("$file")
    done
    sum_all "${fresh[@]}"
    # Written while it was read: the next look.
    look_at "${fresh[@]}"
    for file in "${fresh[@]}"; do
      [[ ${looks[$file]-} == "${now[$file]}" && -n ${sums[$file]-} ]] && known[$file]="${now[$file]} ${sums[$file]}"
    done
    for file in "${chosen[@]}"; do
      look=${now[$file]-}
      if [[ -n $look && ${seen[$file]-} == "$look" && ${known[$file]-} == "$look "* ]]; then
        list_output "$file" "$look" "${known[$file]##* }" && lines[$file]=$line
      elif [[ -n $look && -n ${told[$file]-} ]]; then
        # The portal keeps its copy until the file is at rest again.
        printf '%s\n' "${told[$file]}" >>"${scratch}outputs"
      fi
      seen[$file]=$look
    done
    list=$(<"${scratch}outputs")
    if [[ $list != "$sent" ]] && deliver; then
      sent=$list
      for file in "${!lines[@]}"; do told[$file]=${lines[$file]}; done
    fi
    [[ -z $stop ]] || return 0
  done
}

# The portal says which it still wants, and from where: again until it wants none, or three times the same. A file that can't be sent keeps none of
# the others back; a portal that does not answer, or has no room, is asked again later.
deliver() {
  local sha at before='' rounds=0 is_later
  while :; do
    if request POST /saidas "${scratch}outputs" "${scratch}wanted" && took; then
      [[ -s ${scratch}wanted ]] || return 0
      [[ $before == "$(<"${scratch}wanted")" ]] && rounds=$((rounds + 1))
      ((rounds < 3)) || return 1
      before=$(<"${scratch}wanted") is_later=''
      while IFS=$' \t' read -r sha at _; do
        [[ -n ${files[$sha]-} && $at =~ ^[0-9]{1,15}$ ]] || continue
        send "${files[$sha]}" "$sha" "$at" "${sizes[$sha]}" && failures=0 && continue
        case $status in
          507) is_later=yes ;;
          000 | 401 | 408 | 410 | 429 | 5??) is_later=yes; break ;;
        esac
      done <"${scratch}wanted"
      [[ -n $is_later ]] || continue
      rounds=0 before=''
    elif [[ $status == 400 || $status == 413 ]]; then
      # A list that the portal takes never.
      return 1
    fi
    back_off || return 1
  done
}

tell_end() {
  until beat estado=terminado "codigo=$code"; do back_off || return 1; done
}

mkdir "$state/claim" 2>/dev/null || { echo "svc: another wrapper runs this job" >&2; exit 125; }
process_of $$
keep "$state/claim/process" "$process ${SLURM_JOB_ID-}"
trap 'stop=${stop:-ended}' TERM INT HUP
mkdir -p "$state/work/entrada" "$state/work/saida"
# Walls that can't bound files in memory put them here.
[[ " ${confinement[*]} " != *" $state/tmp "* ]] || mkdir -p "$state/tmp" "$state/shm"
: >>"$state/log" >>"$state/.outside"
# Given back at the end: what a full disk must not take away are the exit code, the list of outputs, and a piece of each at a time.
printf '%262144s' '' >"$state/.reserve"
[[ -r $job/image ]] && with_image
doing=iniciado listed=''
# The answer to it is the list of inputs.
answer=$state/.inputs beat "estado=$doing" && [[ $status == 200 ]] && listed=yes
if fetch_all && [[ -z $stop ]]; then
  doing=a-correr
  run &
  pid=$!
  beaten=-1000
  watch
  ((publisher == 0)) || { kill -KILL -- "-$publisher" && wait "$publisher"; } 2>/dev/null
else
  rm -f "$state/.reserve" "$state/.input" "$answer"
  if [[ -n $full ]]; then
    echo 'svc: the disk of this machine is full: the inputs could not be stored' >>"$state/log"
  elif [[ -z $stop ]]; then
    echo 'svc: the inputs could not be fetched' >>"$state/log"
  fi
  reason=${full:+disk}
  keep "$state/codigo" 125 && keep "$state/reason" "${stop:-${reason:-inputs}}"
fi
: >"$state/.reserve"
code=''
for tries in 1 2 3 4 5; do
  { read -r code <"$state/codigo"; } 2>/dev/null
  # A network disk that is away for a moment says nothing of how the command ended.
  [[ -z $code ]] && ! is_absent "$state/codigo" || break
  sleep "$tries" &
  wait $!
done
# Not a byte of it could be written: what is known is that it did not end well.
[[ $code =~ ^[0-9]{1,3}$ ]] || code=137
has_room || echo 'svc: the disk of this machine is full' >>"$state/log"
doing=a-enviar failures=0
# Ended from outside: there is time for what is small only.
[[ $stop == ended ]] && deadline=$((SECONDS + end_seconds)) outputs=no || outputs=yes
# The reason is in the file; what is left to do is to deliver.
[[ $stop == cancelled ]] && outputs=no deadline=$SECONDS || stop=''
if [[ $outputs == yes ]] && ! send_outputs; then
  missing=yes
  echo 'svc: not all outputs could be sent' >>"$state/log"
fi
until send_log; do back_off || break; done
if [[ -z $missing ]]; then
  tell_end && echo yes >"$state/sent"
else
  # It does not say that everything arrived: the portal hears of the end from the cluster, and says that outputs are missing.
  until beat "estado=$doing" "codigo=$code"; do back_off || break; done
fi
# For Kubernetes, which shows it with the exit code.
[[ ! -w /dev/termination-log || ! -r $state/reason ]] || cat "$state/reason" >/dev/termination-log
exit "$code"
