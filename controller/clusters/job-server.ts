/**
 * Acts on jobs of a server, by the scripts of kit/job over the standard input of `bash`: arguments travel there, too, and never are words
 * of a command line. The output of the scripts is checked against its shape: it comes from an account of a person.
 */
import { SvcError } from '../../schema/errors.ts';
import { asPlainLine } from '../../schema/plain-line.ts';
import type { HostRun, HostRunEnd } from '../hosts/host.ts';
import type { ClusterSeen } from './cluster.ts';
import { jobScriptText } from './job-files.ts';
import { limits } from './limits.ts';

/** Runs a program as an account of the cluster's server; null: as who administers it. */
export type RunThere = (account: string | null, run: HostRun) => Promise<HostRunEnd>;

export interface ScriptCall {
  readonly account: string | null;
  readonly words: readonly string[];
  readonly signal: AbortSignal;
  readonly msMax?: number;
}

export const jobNamePattern = /^[a-z0-9-]{1,63}$/;

export function checkJobName(name: string): void {
  if (!jobNamePattern.test(name)) throw new SvcError('BAD_REQUEST', `${JSON.stringify(name.slice(0, 80))} is no name of a job`);
}

/** Files of a job as words of a script. */
export const filePairs = (files: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(files).flatMap(([name, text]) => [name, escaped(text)]);

/** For `printf %b`, and safe between single quotes: octal for what is no plain ASCII, a quote or a backslash. */
function escaped(text: string): string {
  const octal = (byte: string): string => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\n\t -&(-[\]-~]/g, octal);
}

/** bash reads what comes through a pipe byte by byte, a call of the kernel for each: all behind this line it gets at once. */
const atOnce = 'eval "$(cat)"';

/** Exit code of the scripts: the cluster said no for good. */
const refused = 65;

/**
 * Returns the lines that the script printed. Rejects REFUSED, or CLUSTER_UNREACHABLE for every failure after which it is not known what
 * happened.
 */
export async function callScript(
  run: RunThere,
  scripts: readonly ('server.sh' | 'slurm.sh')[],
  call: ScriptCall,
): Promise<readonly string[]> {
  const words = call.words.map((word) => `'${escaped(word)}'`).join(' ');
  // A single group, so that nothing runs when the text was cut.
  const stdin = `${atOnce}\n{\n${scripts.map(jobScriptText).join('\n')}\nact ${words}\n}\n`;
  const lines: string[] = [];
  const end = await run(call.account, {
    argv: ['bash', '-s'],
    stdin,
    onLine: (line) => lines.push(line),
    signal: call.signal,
    msMax: call.msMax ?? limits.clusterAnswerMsMax,
  });
  if (end.code === 0) return lines;
  const own = /^svc-says (.*)$/m.exec(end.said)?.[1];
  // A login shell that ends before the script may do so with any code.
  const isRefused = end.code === refused && own !== undefined;
  throw new SvcError(isRefused ? 'REFUSED' : 'CLUSTER_UNREACHABLE', noteOf(own ?? `${end.signal ?? `exit code ${end.code}`} ${end.said}`));
}

/** Returns the text as a single plain line of bounded length. */
export const noteOf = (text: string): string => asPlainLine(text).slice(0, limits.clusterNoteCharsMax);

/** The files that a job left in its folder. */
export interface JobRecord {
  readonly name: string;
  readonly id: string;
  readonly claimed: boolean;
  readonly lives: boolean;
  readonly begunMs: number | null;
  readonly endedMs: number | null;
  readonly code: number | null;
  readonly reason: string;
  readonly cancelled: boolean;
}

const instant = (text: string | undefined): number | null => (text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : null);

/** Jobs of the lines, and names of those that are there and can't be read now. Any other line is one of a shell's start-up files, or made up. */
export function readRecords(lines: readonly string[]): { readonly records: readonly JobRecord[]; readonly unread: readonly string[] } {
  return { records: lines.flatMap((line) => readRecord(line) ?? []), unread: lines.flatMap((line) => readUnread(line) ?? []) };
}

/** Null for what is no record. */
function readRecord(line: string): JobRecord | null {
  const [word, name = '', id = '', claimed, lives, begun, ended, code = '', reason = '', cancelled, ...more] = line.split('\t');
  if (word !== 'record' || more.length !== 1 || !jobNamePattern.test(name)) return null;
  return {
    name,
    id: noteOf(id),
    claimed: claimed === 'yes',
    lives: lives === 'yes',
    begunMs: instant(begun),
    endedMs: instant(ended),
    code: /^\d{1,3}$/.test(code) ? Number(code) : null,
    reason: /^[a-z]{0,20}$/.test(reason) ? reason : '',
    cancelled: cancelled === 'yes',
  };
}

/** Name of a job that is there and can't be read now; null for any other line. */
function readUnread(line: string): string | null {
  const [word, name = '', ...more] = line.split('\t');
  return word === 'unread' && more.length === 0 && jobNamePattern.test(name) ? name : null;
}

/** It is neither absent nor over as long as what it left can't be read. */
export function unreadJob(name: string, why: string): ClusterSeen {
  const note = noteOf(`what it left can't be read: ${why}`);
  return { name, id: '', state: 'waiting', note, exitCode: null, startedAtMs: null, endedAtMs: null, place: null };
}

/** How a job ended that runs no more, by what it left. */
export function endOf(record: JobRecord, id: string): ClusterSeen {
  const { name, code, reason, cancelled } = record;
  const base = { name, id, exitCode: code, startedAtMs: record.begunMs, endedAtMs: record.endedMs, place: null };
  if (code === null) {
    return cancelled
      ? { ...base, state: 'cancelled', note: 'cancelled' }
      : { ...base, state: 'failed', note: 'it ended without an exit code: it was killed, or its machine went down' };
  }
  if (reason === 'cancelled' || (cancelled && reason !== '')) return { ...base, state: 'cancelled', note: 'cancelled' };
  const note = endingNote(reason);
  return note === null ? { ...base, state: 'ended', note: '' } : { ...base, state: 'failed', note };
}

/** Note for the wrapper's reason for an end; null: the command ended by itself. */
export const endingNote = (reason: string): string | null => endings.get(reason) ?? null;

const endings: ReadonlyMap<string, string> = new Map([
  ['limit', 'its time was over'],
  ['inputs', 'its inputs could not be fetched'],
  ['disk', 'the disk of its machine was full: its inputs could not be stored'],
  ['walls', 'the folders that its command may see could not be mounted: it did not begin'],
  ['ended', 'it was ended from outside'],
]);
