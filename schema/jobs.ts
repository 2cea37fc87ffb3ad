/**
 * Words for the life of a job of the queue, shared by store, controller, api and pages. Source: rules 2.1 (`recursos.fila`).
 * Decision: docs/decisions/0211-the-queue.md
 */
import type { Reason } from './backend.ts';
import { isPlainOrBlank } from './plain-line.ts';

/**
 * `em-espera`: the portal holds it back. `a-submeter`: it is being handed to the cluster. `na-fila`: the cluster has it and has not begun. `a-recolher`:
 * its command ended and its outputs come in. `desconhecido`: the cluster can't be read, which is never shown as failed.
 */
export const jobStates = [
  'em-espera',
  'a-submeter',
  'na-fila',
  'a-correr',
  'a-recolher',
  'desconhecido',
  'terminado',
  'falhou',
  'cancelado',
] as const;
export type JobState = (typeof jobStates)[number];
export const endStates = ['terminado', 'falhou', 'cancelado'] as const;
export type EndState = (typeof endStates)[number];

/** Lower case: it is part of the job's name on the cluster. */
export const jobIdPattern = /^j[0-9a-z]{20}$/;
export const shaPattern = /^[0-9a-f]{64}$/;

/** States that the wrapper on the cluster reports. */
export const reportStates = ['iniciado', 'a-correr', 'a-enviar', 'terminado'] as const;
export type ReportState = (typeof reportStates)[number];

export interface JobLimits {
  readonly cpus: number;
  readonly memoriaMb: number;
  readonly segundos: number;
  readonly gpus: number;
}

/** The whole submission. */
export interface JobRequest {
  readonly imagem: string | null;
  readonly comando: readonly string[];
  readonly ambiente: Readonly<Record<string, string>>;
  readonly limites: JobLimits;
}

/** How it ended: written once, never changed. */
export interface JobOutcome {
  readonly estado: EndState;
  readonly reason: Reason;
  readonly message: string;
  /** Exit code of the command; null when it did not run to its end or the cluster does not report it. */
  readonly codigo: number | null;
  readonly iniciadoEm: number | null;
  readonly terminadoEm: number;
}

/** Why nothing can be submitted; `codigo` for programs, the text for people. */
export interface QueueOff {
  readonly codigo: 'DESLIGADA' | 'SEM_CLUSTER' | 'INALCANCAVEL' | 'SEM_ESCOPO' | 'SEM_APP' | 'NAO_LIDO';
  readonly motivo: string;
}

/**
 * A path of an input or an output below the work folder: relative, no `.` or `..`, no backslash, and only characters that a plain line
 * has (plain-line.ts). The wrapper and the portal hold paths to the same rule.
 */
export function isJobPath(path: string): boolean {
  if (path === '' || Buffer.byteLength(path) > 1_024 || path.startsWith('/') || path.includes('\\') || !isPlainOrBlank(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= 255);
}
