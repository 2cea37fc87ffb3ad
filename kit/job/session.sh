#!/bin/bash
# Stands on the login host for a backend that runs as a job of Slurm: submits it, follows it, and carries its socket back over ssh. The supervisor starts and ends it
# like any backend. usage: session.sh BIN CONF SSH_CONF SECONDS COUNT OPTION… COMMAND…  (COUNT options for sbatch)
#
# In the folder of the app: job.state (what the supervisor reads: state, id, number, words) and job/NAME, a folder for each submission with cwd, seconds, env and
# command, the lock and id of server.sh and slurm.sh, what on-node.sh leaves, and `wanted`: without that file the job ends itself, also when Slurm does not answer.
# Only one NAME is ever wanted: the one before is over, by Slurm's own list, before the next is submitted. A list that can't be read changes nothing.
# Decision: docs/decisions/0437-backends-on-a-cluster.md
here=${BASH_SOURCE[0]%/*}
app=${SVC_APP_SOCKET%/*}
jobs=$app/job
umask 077
set -o pipefail
mkdir -p "$jobs" || exit 1
env -0 | grep -zvE '^(SHLVL|_|PWD|OLDPWD)=' >"$jobs/env.part"
bin=$1 conf=$2 ssh_conf=$3 seconds=$4 count=$5
shift 5
options=("${@:1:count}")
shift "$count"
printf '%s\0' "$@" >"$jobs/command.part"
# A job of before is taken over when it was submitted for the same start.
start=$(sha256sum <<<"${SVC_APP_TOKEN-}${svc_secret_SVC_APP_TOKEN-} ${SVC_APP_INSTALLED_HASH-} $seconds ${options[*]}")
source "$here/server.sh" && source "$here/slurm.sh" || exit 1
use_slurm "$bin" "$conf"
list_seconds_max=30 retry_seconds=30 lost_seconds=10
name='' folder='' id='' line=0 line_at=0 said=''

# STATE ID NUMBER WORDS: the number is the place in the queue or the end in seconds of the epoch, 0 where it is not known.
say() {
  local now
  now=$(printf '%s\t%s\t%s\t%s' "$1" "$2" "$3" "$(in_short "$4")")
  [[ $now != "$said" ]] || return 0
  printf '%s\n' "$now" >"$app/job.state.part" && mv -f "$app/job.state.part" "$app/job.state" && said=$now
}

# Without a process for each wait, and ended by a signal at once.
exec 8<> <(:)
pause() { read -rt "$1" -u 8; }

# By the list of Slurm: nothing for a job that it does not know; fails where it can't be read.
row_of() { squeue --noheader --all --states all --user "$(id -un)" --name "$1" --format '%i %T %P %r' | sort -n | head -n 1; }
is_going() { [[ $1 =~ ^(PENDING|CONFIGURING|RE|SPECIAL|RUNNING|COMPLETING|SUSPENDED|STOPPED|SIGNALING|STAGE_OUT|RESIZING) && $1 != REVOKED ]]; }

place_of() { # ID PARTITION
  squeue --noheader --all --states PENDING --sort=-p,i --partition "$2" --format %i 2>/dev/null | grep -nxF "$1" | cut -d : -f 1
}

stop_line() {
  ((line == 0)) || kill "$line" 2>/dev/null
  line=0
}

# The job is not wanted any more: it sees that on its node, and Slurm is told.
drop() { # NAME
  rm -f "$jobs/$1/wanted" "$jobs/$1/env"
  (do_scancel "$bin" "$conf" "$jobs" "$1") 2>/dev/null
}

trap 'trap "" TERM; stop_line; [[ -z $name ]] || drop "$name"; exit 143' TERM

over() { # REASON WORDS [CODE]: this process ends; the job did
  stop_line
  say ended "$id" 0 "$1 $2"
  rm -rf -- "$folder"
  exit "${3:-1}"
}

# Ends every job of another start, and finds the one of this.
settle() {
  local each row rest
  for each in "$jobs"/svc-app-*/; do
    [[ -d $each ]] || continue
    each=${each%/} each=${each##*/}
    # A start whose files can't be read now may be the one that is wanted.
    until is_readable "$jobs/$each/wanted" && is_readable "$jobs/$each/start"; do
      say waiting '' 0 "the job of before can't be read: $each"
      pause 5
    done
    if [[ -e $jobs/$each/wanted && "$(cat "$jobs/$each/start" 2>/dev/null)" == "$start" ]]; then
      name=$each
      continue
    fi
    until drop "$each" && row=$(row_of "$each" 2>&1); do
      say waiting '' 0 "Slurm does not answer: $row"
      pause 5
    done
    while read -r _ rest _ <<<"$row" && is_going "$rest"; do
      say waiting '' 0 'the job of before is ending'
      pause 1
      drop "$each"
      row=$(row_of "$each" 2>/dev/null) || row='0 RUNNING'
    done
    rm -rf -- "${jobs:?}/$each"
  done
  [[ -z $name ]] || return 0
  name=svc-app-${SVC_APP_ID:0:40}-$(od -An -N4 -tx1 /dev/urandom | tr -d ' \n')
  mkdir -m 700 "$jobs/$name" && cd "$jobs/$name" || exit 1
  mv ../env.part env && mv ../command.part command && cp "$here/on-node.sh" wrapper || exit 1
  printf '%s' "$OLDPWD" >cwd
  printf '%s\n' "$start" >start
  : >wanted
  sync -f . 2>/dev/null
  cd "$OLDPWD" || exit 1
}

# Submits once: what Slurm has under that name already is that submission.
submit() {
  local answer code
  answer=$(do_submit "$bin" "$conf" "$jobs" "$name" $((${#options[@]} + 2)) "--job-name=$name" "--comment=$name" "${options[@]}" seconds "$seconds" 2>&1)
  code=$?
  answer=${answer#svc-says }
  ((code != 65)) || over refused "$answer"
  ((code == 0)) || say waiting '' 0 "not yet submitted: $answer"
  return "$code"
}

# The socket of the node, under the name that the portal dials.
carry() { # NODE SOCKET
  ((line > 0)) && kill -0 "$line" 2>/dev/null && return 0
  ((SECONDS >= line_at)) || return 0
  line_at=$((SECONDS + 5))
  ssh ${ssh_conf:+-F "$ssh_conf"} -axTN -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=15 -o ExitOnForwardFailure=yes -o ControlPath=none \
    -o StreamLocalBindUnlink=yes -L "$SVC_APP_SOCKET:$2" "$1" 8>&- &
  line=$!
}

# Into $why: an end that the node did not bring about may be Slurm's, which ends the command and not the script around it.
ask_why() {
  local row state n
  for ((n = 0; n < 8; n++)); do
    row=$(row_of "$name" 2>/dev/null) || return 0
    read -r _ state _ <<<"$row"
    case $state in
      CANCELLED | REVOKED) why=cancelled ;;
      TIMEOUT | DEADLINE) why=limit ;;
      RUNNING | COMPLETING) pause 1; continue ;;
    esac
    return 0
  done
}

# Follows the files of the node: its end is the end of this process.
follow_node() {
  local node='' socket='' ends=0 code='' why=''
  [[ -e $folder/begun ]] && read -r node socket ends <"$folder/begun"
  if [[ -e $folder/end ]] && read -r code why <"$folder/end"; then
    [[ $why != ended ]] || ask_why
    over "$why" "exit code $code" "$code"
  fi
  [[ -n $node ]] || return 1
  say running "$id" "$ends" "$node"
  [[ ! -e $folder/listening ]] || carry "$node" "$socket"
}

# Slurm's own view, for what the node did not say.
follow_list() {
  local row state='' partition='' words=''
  if ! row=$(row_of "$name" 2>&1); then
    [[ -e $folder/begun ]] || say waiting "$id" 0 "Slurm does not answer: $row"
    return 0
  fi
  read -r _ state partition words <<<"$row"
  [[ -z $row ]] || missing=0
  case $state in
    '')
      # Forgotten, or lost with Slurm's own records: a node that still has it sees that it is not wanted.
      ((missing > 0)) || missing=$SECONDS list_seconds=1
      ((SECONDS - missing < lost_seconds)) || { drop "$name"; over lost 'Slurm does not know it any more'; }
      ;;
    TIMEOUT | DEADLINE) over limit "$state" ;;
    CANCELLED | REVOKED) over cancelled "$state" ;;
    COMPLETED | FAILED | NODE_FAIL | BOOT_FAIL | OUT_OF_MEMORY | PREEMPTED)
      # The last words of the node may still be on their way.
      pause 3
      follow_node
      over ended "$state"
      ;;
    RUNNING | COMPLETING) [[ -e $folder/begun ]] || say waiting "$id" 0 "$state" ;;
    *) [[ -e $folder/begun ]] || say waiting "$id" "$(place_of "$id" "$partition" || echo 0)" "$state ($words)" ;;
  esac
}

say waiting '' 0 ''
settle
folder=$jobs/$name missing=0
until [[ -e $folder/id || -e $folder/claim ]]; do submit || pause "$retry_seconds"; done
[[ ! -e $folder/id ]] || read -r id <"$folder/id"
list_at=0 list_seconds=1
while :; do
  follow_node
  if ((SECONDS >= list_at)); then
    follow_list
    list_at=$((SECONDS + list_seconds))
    ((list_seconds >= list_seconds_max)) || list_seconds=$((list_seconds + 1))
  fi
  pause 1
done
