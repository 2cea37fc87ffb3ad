/** The engine artefacts of a manifest as variables (rules 2.3). */
import { statSync } from 'node:fs';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { LaunchRefused } from './refusal.ts';

/** SVC_MOTOR_<NOME> of each engine on disk. Throws EngineMissing, with what to ask for, when one without `quando` is not there. */
export function engineVariables(place: ServerPlace, manifest: Manifest): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const motor of manifest.motores ?? []) {
    const path = enginePath(place, manifest.id, motor.nome, motor.versao);
    if (isFolder(path)) variables.set(`SVC_MOTOR_${motor.nome.toUpperCase().replaceAll('-', '_')}`, path);
    else if (motor.quando === undefined) {
      throw new LaunchRefused(
        'EngineMissing',
        `the engine ${motor.nome} ${motor.versao} of ${manifest.id} is not on this server: ask the administrator to run "svc-app-install ${manifest.id}", which downloads it to ${path}`,
      );
    }
  }
  return variables;
}

export function enginePath(place: ServerPlace, app: string, nome: string, versao: string): string {
  return `${accountPaths(place).engines}/${app}/${nome}/${versao}`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
