/** Rows of the manifest for the processes of an app: what runs, what it may use, and what it needs on the server. */
import { limits } from '../limits.ts';
import { resourcesSchema } from '../resources.ts';
import { fields, flag, oneOf, pattern, text } from '../static.ts';
import { patterns } from './patterns.ts';
import { says } from './row.ts';

/** Spec 2.3. */
export const motor = fields(
  {
    nome: says(
      pattern('^[a-z][a-z0-9-]{0,31}$', 'a lowercase name of at most 32 characters'),
      'Names the variable SVC_MOTOR_<NOME>, which holds its path.',
      { server: true },
    ),
    // "." and ".." are no versions: the first character is a letter or a digit.
    versao: says(
      pattern('^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$', 'a version of at most 64 characters'),
      'The same version is not downloaded again.',
      { server: true },
    ),
    url: says(
      pattern('^https?://[^\\s]+$', 'an http or https address'),
      'Where its tarball is, without a token: /v1/motor/<nome>/<versao> of a repository.',
      { server: true },
    ),
    sha256: says(pattern('^[0-9a-f]{64}$', '64 lowercase hexadecimal digits'), 'Digest of the tarball; checked before it is extracted.', {
      server: true,
    }),
    tamanho: says(
      { type: 'integer', minimum: limits.engineBytesMin },
      'Bytes of the tarball; the server looks for that much space first.',
      { server: true },
    ),
    confere: says(pattern('^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$', 'a relative path'), 'A path that must be there once it is extracted.', {
      server: { pattern: patterns.innerPath },
    }),
    quando: says(oneOf(['gpu']), '"gpu": only on servers with a physical GPU.', { server: true }),
  },
  ['nome', 'versao', 'url', 'sha256', 'tamanho'],
);

const ceilings = resourcesSchema.properties;

export const resources = fields({
  memoryHigh: says(ceilings.memoryHigh, 'From here on memory is taken back, nothing is ended: 512M, 25%, none.'),
  memoryMax: says(ceilings.memoryMax, 'Above it the app is ended: 1G, 50%, none.'),
  cpuQuota: says(ceilings.cpuQuota, '100% is one core.', { default: 'none' }),
  tasksMax: says(ceilings.tasksMax, 'Processes and threads.'),
});

export const recursos = fields({
  gpu: says(
    fields(
      {
        modo: says(oneOf(['opcional', 'necessaria']), '"opcional": starts with or without one. "necessaria": does not start without one.', {
          server: true,
        }),
      },
      ['modo'],
    ),
    'Without it the app sees no GPU.',
    { server: true },
  ),
  fila: says(flag, 'The processing queue: svc.fila in the backend and the page.', { default: false, server: true }),
  salas: says(flag, 'The backend uses shared rooms: svc.salas. Pages need no declaration.', { default: false, server: true }),
  metricas: says(flag, 'Counters and durations on /metrics, errors to the log: svc.metricas.', { default: false, server: true }),
});

export const secret = fields(
  {
    // A reserved one is no reason not to start: it can't be stored (reserved-names.ts).
    name: says(pattern(patterns.variable, 'an uppercase variable name of at most 64 characters'), 'Name of the variable, as API_KEY.', {
      server: true,
    }),
    description: says(text, 'Its use and where to get it, for the person.'),
    required: says(flag, 'Shown to the person; the app starts without it all the same.', { default: false }),
  },
  ['name'],
);

export const backend = fields(
  {
    runtime: says(oneOf(['python3', 'node', 'binary']), 'Runs the entrypoint. The SDK is there for python3 and node.', {
      server: true,
    }),
    entrypoint: says({ type: 'string', minLength: 1 }, 'Path in the package. It must listen on the unix socket in SVC_APP_SOCKET.', {
      server: { pattern: patterns.packagePath, title: 'a path inside the package' },
    }),
    transport: says(oneOf(['socket']), 'Only the unix socket; a TCP port is not proxied.', {
      default: 'socket',
      server: { title: '"socket": the app must bind the unix socket named by SVC_APP_SOCKET' },
    }),
    aoFechar: says(
      pattern(patterns.aoFechar, `encerrar, manter or ocioso:<${limits.idleMinutesMin} to ${limits.idleMinutesMax}>m`),
      'When its last window closed: "encerrar" stops it two minutes later, "manter" keeps it, "ocioso:30m" stops it after that long without use.',
      { default: 'encerrar', server: true },
    ),
    installCommand: says(text, 'Runs once as root at installation and once for each person: it must change nothing the second time.', {
      server: { pattern: '^[^\\u0000]*$', title: 'a command' },
    }),
    healthcheckPath: says(text, 'Asked until it answers; then the app is ready.', {
      default: '/',
      server: { pattern: patterns.healthcheckPath, title: 'a path of the backend, without a host and without spaces' },
    }),
  },
  ['runtime', 'entrypoint'],
);
