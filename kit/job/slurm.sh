# Slurm on its server, behind server.sh. BIN: folder of its commands, '' when they are in PATH. CONF: SLURM_CONF, '' for the usual one.

use_slurm() { # BIN CONF
  [[ -z $1 ]] || PATH=$1:$PATH
  [[ -z $2 ]] || export SLURM_CONF=$2
  export SLURM_TIME_FORMAT=%s
}

# Puts a text on one line, for a message.
in_short() { tr '\n' ' ' <<<"$1" | cut -c 1-250; }

# BIN CONF PREFIX: the rows of all jobs with such a name, columns as slurm-rows.ts takes them; waiting ones in the order in which they come to run,
# each with its place in its partition before it.
do_jobs() {
  use_slurm "$1" "$2"
  local rows row partition columns='JobID:24,State:24,exit_code:16,StartTime:24,EndTime:24,UserName:40,Partition:40,Reason:60,Name:80'
  local -A places=()
  rows=$(squeue --noheader --all --states all --sort=-p,i --Format "$columns" 2>&1) || fail 75 "squeue: $(in_short "$rows")"
  row=$(command -v apptainer || command -v singularity) && printf 'runtime\t%s\n' "${row##*/}"
  while IFS= read -r row; do
    if [[ ${row:24:8} == PENDING* ]]; then
      partition=${row:152:40}
      places[$partition]=$((${places[$partition]-0} + 1))
    fi
    [[ ${row:252} == "$3"* ]] && printf 'job\t%s\t%s\n' "${places[${row:152:40}]-0}" "$row"
  done <<<"$rows"
  return 0
}

ids_of() { # NAME: what Slurm still knows under that name, of this account
  squeue --noheader --all --states all --user "$(id -un)" --name "$1" --format %i
}

# BIN CONF FOLDER NAME COUNT OPTION… {FILE CONTENT}…: one submission of a name at a time. A job that has the name already is adopted; squeue
# completes the answer of sbatch.
do_submit() {
  local bin=$1 conf=$2 folder=$3 name=$4 count=$5 options said id='' before='' n
  shift 5
  options=("${@:1:count}")
  shift "$count"
  use_slurm "$bin" "$conf"
  command -v sbatch >/dev/null || fail 75 'there is no sbatch here'
  { [[ -d $folder ]] || mkdir -p -m 700 -- "$folder"; } && { mkdir -m 700 -- "$folder/$name" 2>/dev/null || before=yes; }
  exec 9>"$folder/$name/lock" && flock -w 20 9 || fail 75 'another submission of this job is under way'
  # Without a folder of it nothing was handed over: the folder comes first.
  [[ -z $before ]] || id=$(ids_of "$name" 2>&1) || fail 75 "squeue: $(in_short "$id")"
  put "$folder" "$name" "$@"
  cd "$folder/$name" || fail 74 "cannot enter $folder/$name"
  [[ -z $id ]] || { keep_id "$id"; return 0; }
  [[ ! -e id && ! -e claim ]] || return 0
  if said=$(sbatch --parsable "${options[@]}" --chdir "$PWD" --output "$PWD/said" "$PWD/wrapper" "$PWD" 2>&1 9>&-); then
    id=${said##*$'\n'}
    keep_id "${id%%;*}"
    return 0
  fi
  if is_refusal "$said"; then
    cd .. && rm -rf -- "$name"
    fail 65 "sbatch: $(in_short "$said")"
  fi
  for ((n = 0; n < 5; n++)); do
    id=$(ids_of "$name" 2>/dev/null) && [[ -n $id ]] && keep_id "$id" && return 0
    sleep 1
  done
  fail 75 "sbatch: $(in_short "$said")"
}

keep_id() { # several under one name: the first
  local id=$1
  [[ ! -e id ]] || return 0
  [[ $id != *$'\n'* ]] || id=$(sort -n <<<"$id" | head -n 1)
  printf '%s\n' "$id" >id.part && mv -f id.part id
}

# Recognizes refusals that no later attempt would change. An unknown word means: perhaps.
is_refusal() {
  case $1 in
    *redential* | *uthenticat* | *unge* | *ontact* | *ime*out* | *imed\ out* | *onnect* | *emporar*) return 1 ;;
    *nvalid* | *'not available'* | *'ccess/permission denied'* | *'requested'* | *'nrecognized option'*) return 0 ;;
    *) return 1 ;;
  esac
}

# BIN CONF FOLDER NAME
do_scancel() {
  local said
  use_slurm "$1" "$2"
  [[ ! -d $3/$4 || -e $3/$4/codigo || -e $3/$4/cancelled ]] || touch "$3/$4/cancelled"
  said=$(scancel --quiet --user "$(id -un)" --name "$4" 2>&1) || fail 75 "scancel: $(in_short "$said")"
}

# BIN CONF ID…: how jobs ended that squeue forgot, where there is accounting; `unknown` where it does not answer now; nothing otherwise.
do_accounting() {
  local said
  use_slurm "$1" "$2"
  shift 2
  said=$(sacct --noheader --parsable2 --allocations --duplicates --jobs "$(IFS=,; printf '%s' "$*")" --format JobIDRaw,State,ExitCode,Start,End 2>&1) || {
    case $said in *onnect* | *'imed out'* | *PersistInit*) echo unknown ;; esac
    return 0
  }
  while IFS= read -r row; do printf 'ended\t%s\n' "$row"; done <<<"$said"
}

# FOLDER NAME: its work folder; Slurm itself forgets the rest.
do_remove() {
  cd "$1" 2>/dev/null || { is_absent "$1" && return 0 || fail 74 "cannot read $1"; }
  rm -rf -- "$2"
}
