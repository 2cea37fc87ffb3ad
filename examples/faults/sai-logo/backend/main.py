"""Ends at once with code 1, saying why on stderr: the probes end with the dead pid and run.log holds the reason."""

import sys

print('sai-logo: faltou a configuração que não existe', file=sys.stderr, flush=True)
sys.exit(1)
