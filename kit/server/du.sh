# Tells the room that folders below the folder `dir` take on the disk. The caller sets `dir` and the words NAME:DEPTH:SECONDS. Reads only. Counts allocated blocks,
# a file with several names once for each NAME, and no other file system below.
#   root NAME            then lines of du: KILOBYTES<tab>PATH, a folder after what is in it, down to DEPTH
#   end CODE             0: whole; else it was cut off, or something could not be read: it is at least what was said
set -u
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd "$dir" 2>/dev/null || exit 15
for each in "$@"; do
  seconds=${each##*:} rest=${each%:*}
  name=${rest%:*} depth=${rest##*:}
  if [ ! -e "$name" ] && [ ! -L "$name" ]; then continue; fi
  printf 'root %s\n' "$name"
  { timeout "$seconds" du -xk --max-depth="$depth" -- "$name" 2>/dev/null; printf 'end %s\n' "$?"; } | tail -n 4000
done
exit 0
