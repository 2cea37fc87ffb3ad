"""
What somebody else does to a folder that several may write to, until standard input ends. It says how often, now and then and at the end.
  entries DIR SIDE TARGET  exchanges names in DIR for links to TARGET, those behind what was just opened first, and back
  new     DIR SIDE TARGET  puts a link to TARGET in the place of whatever new thing of the portal appears in DIR
"""
import ctypes, itertools, os, random, select, struct, sys

what, folder, side, target = sys.argv[1:5]
libc = ctypes.CDLL(None, use_errno=True)
EXCHANGE = 2
IN_OPEN, IN_MOVED_TO, IN_CREATE, IN_NONBLOCK = 0x20, 0x80, 0x100, 0o4000
watch = libc.inotify_init1(IN_NONBLOCK)
# Its own exchanges are movements, too.
heard = {"entries": IN_OPEN, "new": IN_MOVED_TO | IN_CREATE}[what]
if libc.inotify_add_watch(watch, folder.encode(), heard) < 0:
    sys.exit("no watch")
done = 0


def exchange(one, other):
    global done
    if libc.renameat2(-100, one.encode(), -100, other.encode(), EXCHANGE) == 0:
        done += 1


def events():
    try:
        data = os.read(watch, 65536)
    except BlockingIOError:
        return []
    names, at = [], 0
    while at < len(data):
        _, _, _, length = struct.unpack_from("iIII", data, at)
        names.append(data[at + 16 : at + 16 + length].rstrip(b"\0").decode())
        at += 16 + length
    return names


def entries():
    names = os.listdir(folder)
    where = {name: n for n, name in enumerate(names)}
    for name in names:
        os.symlink(target, f"{side}/{name}")
    turned = []
    pairs = [(f"{folder}/{name}", f"{side}/{name}") for name in names]
    random.shuffle(pairs)
    print("ready", flush=True)
    for turn in itertools.count():
        for name in events():
            n = where.get(name)
            if n is None:
                continue
            for next_name in names[n + 1 : n + 3]:
                exchange(f"{folder}/{next_name}", f"{side}/{next_name}")
                turned.append(next_name)
        if len(turned) > 6:
            name = turned.pop(0)
            exchange(f"{folder}/{name}", f"{side}/{name}")
        one, other = pairs[turn % len(pairs)]
        for _ in range(8):
            exchange(one, other)
        if turn % 64 == 0:
            print(done, flush=True)
            if select.select([0], [], [], 0)[0]:
                return


def new():
    global done
    print("ready", flush=True)
    while not select.select([0], [], [], 0)[0]:
        for name in events():
            if not name.startswith(".svc-envio-"):
                continue
            try:
                os.symlink(target, f"{side}/{name}")
            except FileExistsError:
                continue
            exchange(f"{folder}/{name}", f"{side}/{name}")


{"entries": entries, "new": new}[what]()
print(done, flush=True)
