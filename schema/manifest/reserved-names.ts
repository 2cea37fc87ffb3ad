/**
 * Variable names that no secret takes. Everything else that spec 2.1 allows is the person's: on a name clash with the env file their value
 * wins (spec 3.1 step 2), also for `SVC_PORTAL_URL` or `SVC_APP_BASE_PATH`. A secret goes to a process of the person's own account, so a
 * name permits nothing new. These few identify the process, or are obeyed by the programs between the launcher and the app, so another
 * value would break the start. Refused alternative: whole prefixes (`NODE_`, `PYTHON`, `SVC_`) and all that some program obeys;
 * `NODE_AUTH_TOKEN`, `BROWSER` and `ENV` could not be stored then. Publishing reports RESERVED_NAME, storing SECRET_REFUSED. Such a name
 * written into secrets.json by hand is left out with a line in run.log: a name never refuses a start.
 */
const names: ReadonlySet<string> = new Set([
  // By which the process is recognised, reached and shut against others. Source: spec 2.6, 3.1 step 7, 5.1.
  'SVC_APP_ID',
  'SVC_APP_SOCKET',
  'SVC_APP_TOKEN',
  'SVC_APP_INSTALLED_HASH',
  'SVC_APP_DATA_DIR',
  // Words between the portal and the supervisor, which reach no app (docs/server.md).
  'SVC_APP_PINNED',
  'SVC_APP_REQUEST_ID',
  // Set by the launcher. Source: spec 2.6, 3.1 step 6; docs/decisions/0021-environment-of-a-backend.md, 0077-gpu-inventory.md
  'HOME',
  'PATH',
  'NODE_PATH',
  'PYTHONPATH',
  'CUDA_VISIBLE_DEVICES',
  'CUDA_DEVICE_ORDER',
  'HIP_VISIBLE_DEVICES',
  'ROCR_VISIBLE_DEVICES',
  'ZE_AFFINITY_MASK',
  // Where the scope of step 7 is asked for: with another one the app would run without its ceilings.
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  // Obeyed before the app's first line, also by the shell, `env` and `systemd-run` that start it: a wrong value would end the start.
  'LD_AUDIT',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
  'NODE_OPTIONS',
]);
/** `SVC_MOTOR_<NOME>`, the engines. Source: spec 2.3. */
const engines = 'SVC_MOTOR_';

export function isReservedName(name: string): boolean {
  return names.has(name) || name.startsWith(engines);
}
