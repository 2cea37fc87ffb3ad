# How the portal's process is started: read by bin/svc, and by what starts one in its place (portal-process.ts). The only place that says it.
#
# The portal lives long and moves many short-lived bytes: V8 would let its young generation grow to 2 x 32 MB and its copies. With 8 MB the
# peak PSS under 64 x 1 MB is about 80 MB instead of 150, for a few per cent of the requests per second. Without the compile cache, which
# bin/svc sets for all commands, the stripper of types stays loaded: 20 MB. Under the first load, when much survives, V8 would decide to make
# some objects of a request old from the start; they keep the rest of it, and a quarter of each request was then collected with the old.
portal_flags='--max-semi-space-size=8 --no-allocation-site-pretenuring --disable-warning=ExperimentalWarning'
# Unless they are set: what is freed goes back to the system, instead of staying with the allocator for good. Pieces of 16 KiB and more are mapped, each by itself: smaller
# ones that stay would hold the large free ones before them. docs/decisions/0142, docs/decisions/0373.
portal_env='MALLOC_MMAP_THRESHOLD_=16384 MALLOC_ARENA_MAX=2'
