/**
 * The person's vault (rules 2.1 `secrets`, 5) as the supervisor keeps it: names that the installed manifest asks for, values that go in and never
 * come out. Decision: docs/decisions/0075-the-vault.md
 */
import { mkdirSync } from 'node:fs';
import type { SecretsView, SecretView } from '../../schema/wire/http.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { isReservedName } from '../../schema/manifest/reserved-names.ts';
import type { SupervisorRequest } from '../../schema/supervisor-lines.ts';
import { errorCode } from '../../schema/system-error.ts';
import { isDiskFull } from '../disk-error.ts';
import type { Variables } from '../launch/env-file.ts';
import { findPackage, readManifest } from '../launch/package.ts';
import { LaunchRefused } from '../launch/refusal.ts';
import { readSecrets, tokenProblem, writeSecrets } from '../launch/secrets.ts';
import { wakeIfChanged } from './scan.ts';
import { isStale, observeSecrets } from './secrets.ts';
import { appOf, type App, type SecretDeclaration, type Supervisor } from './app-state.ts';

type RequestOf<Op extends SupervisorRequest['op']> = Extract<SupervisorRequest, { readonly op: Op }>;

/** Secrets by the manifest on disk, not by the last observation: a package may have been installed a moment ago. */
function declaredNow(supervisor: Supervisor, app: string): readonly SecretDeclaration[] {
  const folder = findPackage(supervisor.place, app);
  if (folder === null) throw new SvcError('NOT_FOUND', `app ${app} is not installed`);
  try {
    return readManifest(folder.dir, app).secrets ?? [];
  } catch (error) {
    if (error instanceof LaunchRefused) throw new SvcError('MANIFEST_INVALID', error.message);
    throw error;
  }
}

function stored(app: App): Variables {
  try {
    return readSecrets(app.paths.secrets);
  } catch (error) {
    if (error instanceof LaunchRefused) throw new SvcError('SECRETS_UNUSABLE', error.message);
    throw error;
  }
}

export function secretsView(supervisor: Supervisor, { app: id }: Pick<RequestOf<'secrets'>, 'app'>): SecretsView {
  const app = appOf(supervisor, id);
  const declared = declaredNow(supervisor, id);
  const vault = stored(app);
  const names = new Set(declared.map(({ name }) => name));
  const asked = declared.map(({ name, description, required }): SecretView => ({
    name,
    description: typeof description === 'string' ? description.slice(0, sharedLimits.secretDescriptionCharsMax) : '',
    required: required === true,
    declared: true,
    set: vault.has(name),
  }));
  const others = [...vault.keys()]
    .filter((name) => !names.has(name))
    .map((name): SecretView => ({ name, description: '', required: false, declared: false, set: true }));
  return { secrets: [...asked, ...others], restartNeeded: isStale(app, declared, vault) };
}

export function putSecret(supervisor: Supervisor, request: RequestOf<'secret-put'>): SecretsView {
  const { app: id, name, value } = request;
  const app = appOf(supervisor, id);
  if (isReservedName(name))
    throw new SvcError('SECRET_REFUSED', `${name} is how the system finds or addresses the app: no secret takes it`);
  const problem = tokenProblem(name, value);
  if (problem !== null) throw new SvcError('SECRET_REFUSED', `${name} ${problem}`);
  if (!declaredNow(supervisor, id).some((secret) => secret.name === name)) {
    throw new SvcError('SECRET_UNDECLARED', `the manifest of ${id} asks for no secret ${name}`);
  }
  const vault = new Map(stored(app));
  retire(app, vault.get(name));
  write(app, vault.set(name, value));
  supervisor.log('secret-set', { app: id, name });
  return changed(supervisor, app);
}

/** Also a name that the manifest no longer declares: nothing else would remove it. */
export function deleteSecret(supervisor: Supervisor, { app: id, name }: RequestOf<'secret-delete'>): SecretsView {
  const app = appOf(supervisor, id);
  const vault = new Map(stored(app));
  const old = vault.get(name);
  if (old === undefined) return secretsView(supervisor, { app: id });
  retire(app, old);
  vault.delete(name);
  write(app, vault);
  supervisor.log('secret-deleted', { app: id, name });
  return changed(supervisor, app);
}

function changed(supervisor: Supervisor, app: App): SecretsView {
  observeSecrets(supervisor, app);
  // A start that waited for a usable vault goes on at once.
  wakeIfChanged(supervisor, app);
  return secretsView(supervisor, { app: app.id });
}

function retire(app: App, value: string | undefined): void {
  if (value !== undefined) app.retiredSecrets = [value, ...app.retiredSecrets].slice(0, limits.secretsRetiredMax);
}

function write(app: App, secrets: Variables): void {
  try {
    mkdirSync(app.paths.dir, { recursive: true, mode: 0o700 });
    writeSecrets(app.paths.secrets, secrets);
  } catch (error) {
    if (error instanceof LaunchRefused) throw new SvcError('TOO_LARGE', error.message);
    if (isDiskFull(error)) throw new SvcError('DISK_FULL', `the vault can't be written: ${errorCode(error)}`);
    throw error;
  }
}
