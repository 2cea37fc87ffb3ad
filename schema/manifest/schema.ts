/**
 * The manifest `svc-app.json` as JSON Schema (draft-07), rules 2.1 to 2.5. Every object is closed and every pattern is anchored at both ends.
 * `title` is what a message says was expected. A row has all that is known of a field (row.ts): the published schema, docs/manifest.md and what a server
 * checks (derived.ts) are made from it. Rules that a schema can't express are in rules.ts. Decision: docs/decisions/0337-one-row-a-fact.md
 */
import { limits } from '../limits.ts';
import { fields, flag, list, oneOf, pattern, text } from '../static.ts';
import { patterns } from './patterns.ts';
import { backend, motor, recursos, resources, secret } from './process-rows.ts';
import { says, schemaOf } from './row.ts';
import { contributes, opens, windowFields } from './surface-rows.ts';

const capability = pattern(patterns.capability, 'a capability as name/vN, for example texto/v1');
const capabilities = list(says(capability, 'name/vN, as texto/v1; a changed contract is name/v2, and both may be offered.'));
const maker = (whose: string) =>
  fields(
    { name: says({ type: 'string', minLength: 1 }, 'Name as the shop shows it.'), url: says({ type: 'string', format: 'uri' }, whose) },
    ['name'],
  );

const offer = fields(
  {
    rota: says(
      pattern('^(/[A-Za-z0-9._~-]+)+$', 'a route as /part/part without a slash at the end'),
      'Prefix of its routes from the root of the backend, as /api/texto; a request reaches only what is below it.',
    ),
    rotulo: says(
      { type: 'string', minLength: 1, maxLength: limits.offerLabelCharsMax },
      'How the offer is named in a menu where several apps offer it. Left out: the name of the app.',
    ),
  },
  ['rota'],
);

const identity = {
  id: says(
    pattern(patterns.id, 'lowercase letters, digits and "-"'),
    'Names the app everywhere: in paths, the socket and the address. It never changes; another id is another app.',
    { server: true },
  ),
  name: says(text, 'How people see the app. Left out: the id.', { server: true }),
  version: says(
    pattern('^[0-9A-Za-z][0-9A-Za-z.\\-+_]*$', 'a version such as 1.4.2'),
    'Semantic version. Installing does nothing for a version that is there, so every release has a new one.',
    { server: true },
  ),
  type: says(oneOf(['app', 'engine']), '"engine" has a backend only: no window and no icon in the launcher.', {
    default: 'app',
    server: true,
  }),
  kind: says(oneOf(['app', 'service']), '"service" starts by itself and is started again when it ends.', { default: 'app', server: true }),
  escopo: says(
    oneOf(['pessoa', 'servidor']),
    '"pessoa": one backend for each account. "servidor": one for all, started by the service manager.',
    { default: 'pessoa', server: true },
  ),
} as const;

const offers = {
  engine: says(
    fields({
      loader: says(
        pattern(patterns.script, 'the relative path of a .js file in the package'),
        'Script that the environment loads once the backend answers: the file frontend/<loader> or <loader> of the package, which the backend serves; with "escopo": "servidor" the backend alone may have it.',
        { server: true },
      ),
    }),
    'Only for "type": "engine".',
    { server: true },
  ),
  provides: says(capabilities, 'Capabilities that this app offers to other apps.', { server: 'type' }),
  requires: says(capabilities, 'Capabilities without which the app can not be installed.', { server: 'type' }),
  usa: says(capabilities, 'Capabilities that the app uses when somebody offers them; installing does not ask for them.', {
    server: 'type',
  }),
  capacidades: says(
    { type: 'object', propertyNames: capability, additionalProperties: says(offer, 'One capability of "provides".') },
    'Under which route each offered capability is answered.',
    { server: true },
  ),
  minShellVersion: says(
    pattern('^[0-9]+(\\.[0-9]+){0,2}$', 'one to three numbers joined by "."'),
    'Oldest version of svc that the app works with; checked when it is installed.',
  ),
  contributes: says(contributes, 'Additions outside of its own window; served while its backend is stopped, too.', {
    server: true,
  }),
  requiredPackages: says(
    list(
      says(
        pattern('^[a-z0-9][a-z0-9+.-]*(\\|[a-z0-9][a-z0-9+.-]*)*$', 'one package name, or several joined by "|" without spaces'),
        'A package name, or several joined by "|" of which any one is enough; the first is suggested.',
      ),
    ),
    'Linux packages that the server must have; installing refuses without them.',
    { server: 'type' },
  ),
  motores: says(
    list(says(motor, 'One of them, as publicar-motor prints it.', { server: true })),
    'Large parts of the app that servers download once, apart from the package. They make the app one for the system scope.',
    { server: true },
  ),
  instalacao: says(
    list(says(oneOf(['sistema', 'pessoa']), '"pessoa": the app runs from the home of the person, and its installCommand needs no root.')),
    'Where it may be installed: "sistema" by an administrator for everybody, "pessoa" by a person for themself.',
    { default: ['sistema'], server: 'type' },
  ),
} as const;

const shopWords = {
  icon: says(text, 'Path in the package.', { server: true }),
  category: says(text, 'Section of the launcher, by the names of desktop menus: Development, Office, Graphics, Utility, System.', {
    default: 'Other',
    server: true,
  }),
  description: says(text, 'Its purpose in a sentence or two, for the shop.', { server: true }),
  developer: says(maker('Address of who made it.'), 'Maker of the software.'),
  publisher: says(maker('Address of who packaged it.'), 'Packager, when that is somebody else.'),
  homepage: says({ type: 'string', format: 'uri' }, 'Address of the page about the app.'),
  license: says({ type: 'string', minLength: 1 }, 'SPDX identifier, as Apache-2.0; other text passes.'),
} as const;

/** With sentences, defaults and what a server checks. */
export const manifestRow = {
  ...fields(
    {
      ...identity,
      ...offers,
      resources: says(resources, 'Ceilings of the processes of the app, its children included. Left out, those of the environment hold.'),
      recursos: says(recursos, 'Requests to the system. svc.*.disponivel() tells the app whether it got each, and why not.', {
        server: true,
      }),
      gpu: says(flag, 'Old spelling of recursos.gpu.modo "opcional".', { default: false, server: true }),
      secrets: says(
        list(says(secret, 'One variable.', { server: true })),
        'Values that the person stores in Settings and the backend gets as variables. They are never in the manifest.',
        { server: true },
      ),
      ...shopWords,
      handles: says(
        { enum: ['terminal', 'editor', 'fileBrowser', 'ide', 'vscode', 'browser', null] },
        'Offers the app as one of the built-in launchers; the person chooses in Settings. "vscode" is the old name of "ide".',
      ),
      opens: says(opens, 'Files and links that the app opens.', { server: true }),
      backend: says(backend, 'The process of the app.', { server: true }),
      window: says(windowFields, 'The window of the app; ignored for an engine.', { server: true }),
    },
    ['id', 'version', 'backend'],
  ),
  server: true,
} as const;

export const manifestSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:svc:schema:manifest:v1',
  title: 'a manifest',
  ...schemaOf(manifestRow),
} as const;
