/** Exit codes of `svc-app-run`, in docs/server.md for people. 75 and 78 are sysexits' EX_TEMPFAIL and EX_CONFIG, 71 its EX_OSERR. */
export const exitCodes = { up: 0, usage: 2, busy: 75, refused: 78, leaseLost: 71 } as const;
