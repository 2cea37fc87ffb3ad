/** Whether a page's app may use a part of the system, by the manifest that is installed for the person: the queue and the metrics answer the same. */
import type { AppsView } from '../../schema/gateway.ts';
import { SvcError, type ErrorCode } from '../../schema/errors.ts';

export interface NotDeclared {
  readonly codigo: 'SEM_ESCOPO' | 'SEM_APP' | 'NAO_LIDO';
  /** For the app, Portuguese. */
  readonly motivo: string;
}

/** Null when it is declared. A manifest that was not read yet is not called absent. */
export function notDeclared(
  apps: Pick<AppsView, 'manifest' | 'packagesRead'>,
  person: string,
  app: string,
  recurso: 'fila' | 'metricas',
): NotDeclared | null {
  const manifest = apps.manifest(person, app);
  if (manifest?.recursos?.[recurso] === true) return null;
  if (manifest !== null) return { codigo: 'SEM_ESCOPO', motivo: `o manifesto de ${app} não declara recursos.${recurso}` };
  if (apps.packagesRead(person)) return { codigo: 'SEM_APP', motivo: `o aplicativo ${app} não está instalado para você` };
  return { codigo: 'NAO_LIDO', motivo: `ainda não se sabe o que o manifesto de ${app} declara: tente de novo daqui a pouco` };
}

/** A manifest that was not read yet may be asked for again. */
export const notDeclaredErrors: Readonly<Record<NotDeclared['codigo'], ErrorCode>> = {
  SEM_ESCOPO: 'FORBIDDEN',
  SEM_APP: 'NOT_FOUND',
  NAO_LIDO: 'SERVER_UNREACHABLE',
};

export const refusalOf = ({ codigo, motivo }: NotDeclared): SvcError => new SvcError(notDeclaredErrors[codigo], motivo);
