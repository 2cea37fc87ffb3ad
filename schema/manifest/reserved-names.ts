/**
 * Variable names that no secret takes: `SVC_APP_ID` and `SVC_APP_SOCKET` mark the process in /proc (rules 3.1 step 7) and address it,
 * `SVC_APP_INSTALLED_HASH` says which version it runs (rules 2.6). The launcher sets them, and none stands in the env file. Every other name of the pattern
 * is the person's, also `PATH`, `SVC_PORTAL_URL` or `SVC_APP_TOKEN`: on a name clash their value wins (rules 3.1 step 2). It permits nothing new, since
 * the process runs in their own account, and it reaches the app alone (kit/launch/secrets.ts). Publishing reports RESERVED_NAME, storing SECRET_REFUSED.
 * Such a name written into secrets.json by hand is left out with a line in run.log: a name never refuses a start.
 */
const names: ReadonlySet<string> = new Set(['SVC_APP_ID', 'SVC_APP_SOCKET', 'SVC_APP_INSTALLED_HASH']);

export function isReservedName(name: string): boolean {
  return names.has(name);
}
