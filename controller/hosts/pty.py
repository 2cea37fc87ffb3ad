"""A login shell on a pty: what Node cannot open by itself. Started by local-shell.ts, with one argument, JSON:
{"become": {"name", "uid", "gid"} or null, "home", "folder": base64 or null, "columns", "rows", "environment": {…}}.

fd 0: bytes typed, at its end the shell is hung up. fd 1: bytes printed. fd 3, a socket: lines `columns rows` come in, and at the end one
line goes out, {"code": number or null, "signal": name or null}. It becomes the account before anything else, and for good.
"""

import base64
import fcntl
import json
import os
import pty
import pwd
import select
import signal
import struct
import sys
import termios

CONTROL = 3
PIECE = 65536
# From <asm-generic/termbits.h>: the module termios does not name it.
IUTF8 = 0o040000


def become(account):
    os.initgroups(account["name"], account["gid"])
    os.setgid(account["gid"])
    os.setuid(account["uid"])
    if os.getuid() != account["uid"] or os.geteuid() != account["uid"] or account["uid"] == 0:
        raise SystemExit("could not become the account")


def start(order):
    """Answers pid and master of a login shell: argv[0] begins with a dash."""
    entry = pwd.getpwuid(os.getuid())
    shell = entry.pw_shell or "/bin/sh"
    environment = dict(order["environment"])
    environment.update(HOME=order["home"], USER=entry.pw_name, LOGNAME=entry.pw_name, SHELL=shell, TERM="xterm-256color", COLORTERM="truecolor")
    pid, master = pty.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            erase_characters()
            enter([os.fsencode(order["home"])] if order["folder"] is None else [base64.b64decode(order["folder"]), os.fsencode(order["home"])])
            os.closerange(3, 64)
            os.execve(shell, ["-" + os.path.basename(shell)], environment)
        except OSError as error:
            print("%s: %s" % (shell, error.strerror), flush=True)
        os._exit(127)
    return pid, master


def erase_characters():
    """The line editor of the kernel erases a whole character of UTF-8, not its last byte."""
    modes = termios.tcgetattr(0)
    modes[0] |= IUTF8
    termios.tcsetattr(0, termios.TCSANOW, modes)


def enter(folders):
    """The first one that it may enter; why not is shown."""
    for folder in folders:
        try:
            return os.chdir(folder)
        except OSError as error:
            print("%s: %s" % (os.fsdecode(folder).encode("utf-8", "replace").decode(), error.strerror), flush=True)
    os.chdir("/")


def resize(master, columns, rows):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def relay(pid, master):
    """Until the shell ended or the other side hung up. A side that does not read holds up its own direction only."""
    wake, tell = os.pipe()
    for each in (0, 1, CONTROL, master, wake, tell):
        os.set_blocking(each, False)
    signal.set_wakeup_fd(tell)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    typed, printed, orders = b"", b"", b""
    is_over = False
    while True:
        if not is_over:
            is_over = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        poll = select.poll()
        poll.register(wake, select.POLLIN)
        poll.register(CONTROL, select.POLLIN)
        poll.register(0, 0 if typed else select.POLLIN)
        poll.register(1, select.POLLOUT if printed else 0)
        if typed or not printed:
            poll.register(master, (select.POLLOUT if typed else 0) | (0 if printed else select.POLLIN))
        events = dict(poll.poll(0 if is_over and not printed else None))
        if is_over and not printed and not events.get(master, 0) & select.POLLIN:
            return True
        if events.get(wake):
            read(wake)
        if events.get(CONTROL):
            piece = read(CONTROL)
            if piece == b"":
                return is_over
            orders = obey(master, orders + (piece or b""))
        if typed and events.get(0, 0) & select.POLLHUP:
            return is_over
        if events.get(0) and not typed:
            typed = read(0)
            if typed == b"":
                return is_over
            typed = typed or b""
        if events.get(1, 0) & (select.POLLERR | select.POLLHUP):
            return is_over
        if events.get(master, 0) & select.POLLOUT:
            typed = write(master, typed)
        if events.get(master, 0) & (select.POLLIN | select.POLLHUP) and not printed:
            printed = read(master) or b""
            if printed == b"" and is_over:
                return True
            if printed == b"":
                # Every program on it closed it; the shell may live on without one, and is not waited for.
                return is_over
        if printed and events.get(1, 0) & select.POLLOUT:
            printed = write(1, printed)


def obey(master, text):
    *lines, rest = text.split(b"\n")
    for line in lines:
        columns, rows = (int(word) for word in line.split())
        resize(master, columns, rows)
    return rest


def read(descriptor):
    """None: nothing now. b'': the end; a pty without programs says EIO."""
    try:
        return os.read(descriptor, PIECE)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def write(descriptor, data):
    """Answers what is left."""
    try:
        return data[os.write(descriptor, data) :]
    except BlockingIOError:
        return data
    except OSError:
        return b""


def main():
    # Why there is no shell is shown where it would be.
    os.dup2(1, 2)
    order = json.loads(sys.argv[1])
    if order["become"] is not None:
        become(order["become"])
    pid, master = start(order)
    resize(master, order["columns"], order["rows"])
    ended = relay(pid, master)
    # The kernel sends SIGHUP to what is left on the pty.
    os.close(master)
    if not ended:
        os.kill(pid, signal.SIGHUP)
        signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
        signal.alarm(5)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    end = {"code": code, "signal": None} if code >= 0 else {"code": None, "signal": signal.Signals(-code).name}
    os.set_blocking(CONTROL, True)
    try:
        os.write(CONTROL, json.dumps(end).encode() + b"\n")
    except OSError:
        pass


main()
