/**
 * The desired-state documents as JSON Schema (design 4), one per kind so that a message names the right field. Objects are
 * closed and patterns anchored, as in the manifest. What documents say together is checked in cross-checks.ts.
 */
import { appIdPattern, appIdRule } from '../app-id.ts';
import { limits } from '../limits.ts';
import type { DesiredKind } from './documents.ts';

type Json = Readonly<Record<string, unknown>>;

const closed = (properties: Json, required: readonly string[] = [], extra: Json = {}): Json => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length > 0 ? { required } : {}),
  ...extra,
});
const pattern = (source: string, title: string): Json => ({ type: 'string', pattern: source, title });
const exactlyOne: Json = { minProperties: 1, maxProperties: 1 };

const name = pattern(
  `^[a-z0-9]([a-z0-9._-]{0,${limits.objectNameCharsMax - 2}}[a-z0-9])?$`,
  `a name of at most ${limits.objectNameCharsMax} lowercase letters, digits, ".", "_" or "-", with a letter or digit first and last`,
);
const app = pattern(appIdPattern, appIdRule);
/** A text for people: no control characters, no space first. */
const line = (title: string): Json => pattern('^[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]{0,199}$', title);
const group = pattern('^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$', 'the name of a group');
const role = ['dona', 'editar', 'comentar', 'ver'] as const;

/** `writeOnly`: a value found here is never repeated in a message. */
const credential = closed(
  {
    env: pattern('^[A-Za-z_][A-Za-z0-9_]{0,127}$', 'the name of a variable'),
    file: pattern('^[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]{0,4095}$', 'the path of a file'),
  },
  [],
  { ...exactlyOne, writeOnly: true },
);

const sshKey = closed(
  {
    ...(credential['properties'] as Json),
    agent: pattern('^[A-Za-z_][A-Za-z0-9_]{0,127}$', 'the name of the variable with the path of the agent, for example SSH_AUTH_SOCK'),
  },
  [],
  { ...exactlyOne, writeOnly: true },
);
/** It becomes a word of a command on the server: see controller/hosts/ssh/remote-command.ts. */
const remoteFolder = pattern('^(?:/[A-Za-z0-9_.@%+,=-]{1,64}){1,8}$', 'an absolute folder on the server, of plain characters');

/** IPv4, a bracketed IPv6 or a name: never "-" first, which a command would take for an option. */
const hostSource = '(?:\\[[0-9a-fA-F:.]{2,45}\\]|[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}))';
const portSource = '(?:[0-9]|[1-9][0-9]{1,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

const byte = '(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})';
/** cross-checks.ts reports what matches the pattern and is no IPv6 address. */
const network = pattern(
  `^(?:${byte}(?:\\.${byte}){3}(?:/(?:3[0-2]|[12]?[0-9]))?|[0-9a-fA-F]{0,4}:[0-9a-fA-F:.]{1,40}(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`,
  'the address of a proxy or a network, for example 10.0.0.5 or 10.1.0.0/16',
);

const oidc = closed(
  {
    issuer: pattern(
      `^(?:https://${hostSource}|http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\]))(?::${portSource})?(?:/[\\x21-\\x22\\x24-\\x3e\\x40-\\x7e]{0,512})?$`,
      'the https address of the provider, as its own metadata spells it (http on this machine only)',
    ),
    clientId: pattern('^[\\x21-\\x7e]{1,256}$', 'the id that the provider gave the portal'),
    clientSecret: credential,
    claim: pattern('^[\\x21-\\x7e]{1,128}$', 'the name of a claim'),
    scopes: { type: 'array', items: pattern('^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,64}$', 'the name of a scope'), uniqueItems: true },
    label: line('a name of 1 to 200 characters'),
  },
  ['issuer', 'clientId', 'clientSecret'],
);

const specs: Readonly<Record<DesiredKind, Json>> = {
  Portal: closed({
    listen: pattern(`^${hostSource}:${portSource}$`, 'host:port, for example 127.0.0.1:8787'),
    url: pattern(`^(?:https?://)?${hostSource}(?::${portSource})?/?$`, 'a host name or an http(s) address without a path'),
    origins: { type: 'string', enum: ['subdomain', 'path'] },
    trustedProxies: { type: 'array', items: network, uniqueItems: true, maxItems: limits.trustedProxiesMax },
    store: pattern('^sqlite:[^\\u0000-\\u001f\\u007f]{1,4096}$', 'sqlite:PATH'),
    repository: line('a folder'),
    signIn: closed({ local: closed({ person: name }), ssh: closed({}), oidc }),
  }),
  Server: closed(
    {
      local: closed({ prefix: line('a folder'), trusted: { type: 'boolean' } }),
      ssh: closed(
        {
          host: pattern(`^(?:${hostSource}|[0-9a-fA-F:.]{2,45})$`, 'a host name or an address'),
          port: { type: 'integer', minimum: 1, maximum: 65_535 },
          hostKey: pattern('^SHA256:[A-Za-z0-9+/]{43}=?$', 'the fingerprint of the host key as SHA256:… (ssh-keygen -lf)'),
          admin: pattern('^[a-z_][a-z0-9_-]{0,31}$', 'the name of a Linux account'),
          key: sshKey,
          kit: remoteFolder,
          prefix: remoteFolder,
        },
        ['host', 'hostKey'],
      ),
    },
    [],
    exactlyOne,
  ),
  Person: closed(
    {
      nome: line('a name of 1 to 200 characters'),
      login: pattern('^[A-Za-z0-9_][A-Za-z0-9._@-]{0,127}$', 'a login without spaces'),
      server: name,
      account: pattern('^[a-z_][a-z0-9_-]{0,31}$', 'the name of a Linux account'),
      grupos: { type: 'array', items: group, uniqueItems: true },
    },
    ['nome', 'login', 'server'],
  ),
  Package: closed(
    {
      app,
      versao: pattern('^[0-9A-Za-z][0-9A-Za-z.\\-+_]*$', 'a version such as 1.4.2'),
      server: name,
      instalacao: { type: 'string', enum: ['sistema', 'pessoa'] },
      pessoa: name,
      paused: { type: 'boolean' },
    },
    ['app', 'versao', 'server'],
  ),
  Grant: closed(
    {
      app,
      sala: line('the name of a room'),
      dona: name,
      pessoas: { type: 'array', items: closed({ usuario: name, papel: { type: 'string', enum: role } }, ['usuario', 'papel']) },
      grupos: { type: 'array', items: closed({ grupo: group, papel: { type: 'string', enum: role.slice(1) } }, ['grupo', 'papel']) },
    },
    ['app', 'sala', 'dona'],
  ),
  Backend: closed({ app, pessoa: name, estado: { type: 'string', enum: ['ligado', 'desligado'] } }, ['app', 'pessoa', 'estado']),
};

export const desiredKinds = Object.keys(specs) as DesiredKind[];

export function desiredSchema(kind: DesiredKind): Json {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `urn:svc:schema:desired:${kind.toLowerCase()}:v1`,
    ...closed(
      {
        apiVersion: { type: 'string', const: 'svc/v1' },
        kind: { type: 'string', const: kind },
        metadata: closed({ name }, ['name']),
        spec: specs[kind],
      },
      ['apiVersion', 'kind', 'metadata', 'spec'],
    ),
  };
}
