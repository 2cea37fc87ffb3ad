/**
 * The manifest `svc-app.json` as JSON Schema (draft-07), rules 2.1 to 2.5. Every object is closed and every pattern is anchored at both ends.
 * `title` is what a message says was expected. Rules that a schema can't express are in rules.ts; items of `contributes.contextMenu` are left open
 * here because an invalid one is omitted, not refused (menu.ts holds their schema).
 */
import { limits } from '../limits.ts';
import { resourcesSchema } from '../resources.ts';
import { fields, flag, list, oneOf, pattern, text } from '../static.ts';
import { patterns } from './patterns.ts';

const id = pattern(patterns.id, 'lowercase letters, digits and "-"');
const capability = pattern(patterns.capability, 'a capability as name/vN, for example texto/v1');
const script = pattern(patterns.script, 'the relative path of a .js file in the package');
const maker = fields({ name: { type: 'string', minLength: 1 }, url: { type: 'string', format: 'uri' } }, ['name']);

/** Spec 2.3. */
const motor = fields(
  {
    nome: pattern('^[a-z][a-z0-9-]{0,31}$', 'a lowercase name of at most 32 characters'),
    versao: pattern('^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$', 'a version of at most 64 characters'),
    url: pattern('^https?://[^\\s]+$', 'an http or https address'),
    sha256: pattern('^[0-9a-f]{64}$', '64 lowercase hexadecimal digits'),
    tamanho: { type: 'integer', minimum: limits.engineBytesMin },
    confere: pattern('^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$', 'a relative path'),
    quando: oneOf(['gpu']),
  },
  ['nome', 'versao', 'url', 'sha256', 'tamanho'],
);

/** Spec 2.5. */
const ownFileType = fields(
  {
    extensao: pattern('^\\.?[a-z0-9][a-z0-9+_-]{0,15}$', 'a lowercase extension of at most 16 characters'),
    nome: { type: 'string', minLength: 1, maxLength: limits.ownFileTypeNameCharsMax },
    cor: pattern('^#[0-9a-fA-F]{6}$', 'a color as #rrggbb'),
    icone: pattern('^[A-Za-z0-9][A-Za-z0-9/._-]*\\.(svg|png|jpe?g)$', 'the relative path of an svg, png or jpg file in the package'),
    selo: pattern('^[A-Z0-9]{1,5}$', '1 to 5 uppercase letters or digits'),
  },
  ['extensao', 'nome', 'cor'],
);

const windowFields = fields({
  title: text,
  width: { type: 'integer', minimum: limits.windowWidthMin, maximum: limits.windowSideMax },
  height: { type: 'integer', minimum: limits.windowHeightMin, maximum: limits.windowSideMax },
  richChrome: flag,
  multiplasJanelas: flag,
  cabecalho: oneOf(['ambiente', 'app']),
  minimos: fields({
    largura: { type: 'integer', minimum: limits.windowFloorWidth, maximum: limits.windowSideMax },
    altura: { type: 'integer', minimum: limits.windowFloorHeight, maximum: limits.windowSideMax },
  }),
  posicao: oneOf(['cascata', 'centrada']),
  cancelarArraste: list({ type: 'string', minLength: 1 }),
  icone: fields({ glifo: oneOf(['pasta', 'globo']), url: { type: 'string', minLength: 1 } }),
});

const opens = fields({
  extensions: list(pattern(patterns.extension, 'a file extension, with or without the dot')),
  mimeTypes: list(pattern(patterns.mediaType, 'a media type as type/subtype')),
  default: flag,
  proprios: { ...list(ownFileType), maxItems: limits.ownFileTypesMax },
  urls: list(
    pattern(
      '^(?:\\*\\.)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\\.)+[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$',
      'a host of at least two labels, or *. before one, without scheme, port or path',
    ),
  ),
});

const contributes = fields({
  settings: script,
  settingsOptIn: flag,
  contextMenu: { ...list({}), maxItems: limits.contextMenuItemsMax },
  browserExtension: fields({ id, razao: { type: 'string', minLength: 1, maxLength: limits.extensionReasonCharsMax } }, ['id']),
});

const backend = fields(
  {
    runtime: oneOf(['python3', 'node', 'binary']),
    entrypoint: { type: 'string', minLength: 1 },
    transport: oneOf(['socket']),
    aoFechar: pattern(patterns.aoFechar, `encerrar, manter or ocioso:<${limits.idleMinutesMin} to ${limits.idleMinutesMax}>m`),
    installCommand: text,
    healthcheckPath: text,
  },
  ['runtime', 'entrypoint'],
);

export const manifestSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:svc:schema:manifest:v1',
  title: 'a manifest',
  ...fields(
    {
      id,
      name: text,
      version: pattern('^[0-9A-Za-z][0-9A-Za-z.\\-+_]*$', 'a version such as 1.4.2'),
      type: oneOf(['app', 'engine']),
      kind: oneOf(['app', 'service']),
      escopo: oneOf(['pessoa', 'servidor']),
      engine: fields({ loader: script }),
      provides: list(capability),
      requires: list(capability),
      usa: list(capability),
      capacidades: {
        type: 'object',
        propertyNames: capability,
        additionalProperties: fields(
          {
            rota: pattern('^(/[A-Za-z0-9._~-]+)+$', 'a route as /part/part without a slash at the end'),
            rotulo: { type: 'string', minLength: 1, maxLength: limits.offerLabelCharsMax },
          },
          ['rota'],
        ),
      },
      minShellVersion: pattern('^[0-9]+(\\.[0-9]+){0,2}$', 'one to three numbers joined by "."'),
      contributes,
      requiredPackages: list(
        pattern('^[a-z0-9][a-z0-9+.-]*(\\|[a-z0-9][a-z0-9+.-]*)*$', 'one package name, or several joined by "|" without spaces'),
      ),
      motores: list(motor),
      instalacao: list(oneOf(['sistema', 'pessoa'])),
      resources: resourcesSchema,
      recursos: fields({
        gpu: fields({ modo: oneOf(['opcional', 'necessaria']) }, ['modo']),
        fila: flag,
        salas: flag,
        metricas: flag,
      }),
      gpu: flag,
      secrets: list(
        fields(
          { name: pattern(patterns.variable, 'an uppercase variable name of at most 64 characters'), description: text, required: flag },
          ['name'],
        ),
      ),
      icon: text,
      category: text,
      description: text,
      developer: maker,
      publisher: maker,
      homepage: { type: 'string', format: 'uri' },
      license: { type: 'string', minLength: 1 },
      handles: { enum: ['terminal', 'editor', 'fileBrowser', 'ide', 'vscode', 'browser', null] },
      opens,
      backend,
      window: windowFields,
    },
    ['id', 'version', 'backend'],
  ),
} as const;
