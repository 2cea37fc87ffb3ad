"""Lives and never binds: the 15 probes run out, `ready: false` (rules 3.2)."""

import signal

print('nunca-liga: vivo, sem socket', flush=True)
while True:
    signal.pause()
