/**
 * `/api/configuracoes`, and the scripts of apps that the shell runs: a section of Settings from the package on the disk, whether the app runs or
 * not. Source: rules 2.1, 5. Decision: docs/decisions/0204-scripts-in-the-shell.md
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppCommands, AppsView, PeopleView, ShopView } from '../../schema/gateway.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { Passkeys } from '../auth/passkeys.ts';
import type { Consents } from '../capabilities/capabilities.ts';
import { isKnown } from '../../schema/wire/etag.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { limits } from '../limits.ts';
import type { PreferencesOf } from '../preferences/preferences.ts';
import { readLoader } from '../settings/loader.ts';
import { loaderOf, mayRunInShell, settingsOf, settingsScriptOf, type ShellScripts } from '../settings/settings.ts';
import { sessionOf } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';
import { contentTypeOf } from '../http/static-files.ts';
import { addConsentRoutes } from './consents.ts';
import { etagOf } from './icons.ts';
import { addPreferenceRoutes } from './preferences.ts';

export interface SettingsDeps {
  readonly apps: AppsView;
  readonly people: Pick<PeopleView, 'find'>;
  readonly shop: Pick<ShopView, 'extensions'>;
  readonly preferences: PreferencesOf;
  readonly consents: Consents;
  readonly passkeys: Pick<Passkeys, 'isOffered'>;
  readonly shellScripts: ShellScripts;
  readonly commands: Pick<AppCommands, 'route' | 'note'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
}

/** All that a person chooses, and what Settings shows. */
export function addSettingsRoutes(app: FastifyInstance, deps: SettingsDeps): void {
  const { apps, people, shellScripts } = deps;
  addPreferenceRoutes(app, deps.preferences);
  addConsentRoutes(app, deps.consents);
  serve(app, 'GET /api/configuracoes', async (request) => {
    const { person } = sessionOf(request);
    const extensions = await deps.shop.extensions();
    const shown = settingsOf(person, { apps, servidor: people.find(person)?.servidor ?? null, shellScripts, extensions });
    return { ...shown, passkeys: deps.passkeys.isOffered() };
  });
  serve(app, 'GET /api/apps/:id/secao.js', async (request, reply) => {
    const { person, manifest } = trusted(deps, request);
    const file = settingsScriptOf(manifest);
    const bytes = file === null ? null : await apps.file(person, manifest.id, file);
    if (bytes === null) throw new SvcError('NOT_FOUND', 'the package has no script for Settings');
    return sendScript(request, reply, bytes);
  });
  addLoaderRoutes(app, deps);
}

function addLoaderRoutes(app: FastifyInstance, deps: SettingsDeps): void {
  const { apps, commands, log } = deps;
  serve(app, 'GET /api/apps/:id/loader.js', async (request, reply) => {
    const { person, manifest } = trusted(deps, request);
    const file = loaderOf(manifest);
    const route = commands.route(person, manifest.id);
    if (file !== null && (route === null || apps.find(person, manifest.id)?.ready !== true))
      throw new SvcError('APP_NOT_RUNNING', `the backend of ${manifest.id} does not answer`);
    const bytes = file === null || route === null ? null : await readLoader({ ...deps, person, manifest, file, route });
    if (bytes === null) throw new SvcError('NOT_FOUND', `${manifest.id} has no loader`);
    return sendScript(request, reply, bytes);
  });
  serve(app, 'POST /api/apps/:id/loader', async (request) => {
    const { person, manifest } = trusted(deps, request);
    if (loaderOf(manifest) === null) throw new SvcError('NOT_FOUND', `${manifest.id} has no loader`);
    const { falha } = request.body;
    log.warn({ person, app: manifest.id, falha }, 'the loader of an engine failed');
    // A supervisor of an older kit does not know how; an app of server scope has no log of ours.
    await commands
      .note(person, manifest.id, `the loader failed in the shell: ${falha}`.slice(0, sharedLimits.logNoteCharsMax))
      .catch(() => {});
  });
}

/** Throws unless a script of this app may run in the shell. */
function trusted({ apps, shellScripts }: SettingsDeps, request: FastifyRequest): { readonly person: string; readonly manifest: Manifest } {
  const { person } = sessionOf(request);
  const { id } = request.params as { readonly id: string };
  const manifest = apps.manifest(person, id);
  if (manifest === null) throw new SvcError('NOT_FOUND', `app ${id} is not installed`);
  if (!mayRunInShell(apps.scope(person, id), shellScripts))
    throw new SvcError(
      'FORBIDDEN',
      `scripts of ${id} do not run in the shell: it is installed for one person, in a folder that their apps can write to (Portal.spec.shellScripts)`,
    );
  return { person, manifest };
}

function sendScript(request: FastifyRequest, reply: FastifyReply, bytes: Uint8Array): FastifyReply {
  if (bytes.byteLength > limits.shellScriptBytesMax)
    throw new SvcError('TOO_LARGE', `a script for the shell has at most ${limits.shellScriptBytesMax} bytes`);
  const etag = etagOf(bytes);
  reply.headers({ etag, 'cache-control': 'private, no-cache', 'content-type': contentTypeOf('x.js') });
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
