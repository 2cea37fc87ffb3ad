/** `v1/assinaturas.json`: the signatures of all versions in one file, made from those beside the records, which say it. */
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../../../schema/limits.ts';

export interface SignedVersion {
  readonly id: string;
  readonly version: string;
  /** Text of the `.minisig`. */
  readonly assinatura: string;
}

/** By `id version`. Throws REPOSITORY_INVALID or TOO_LARGE. */
export function readSignatures(bytes: Uint8Array): ReadonlyMap<string, string> {
  if (bytes.length > limits.catalogueBytesMax)
    throw new SvcError('TOO_LARGE', `assinaturas.json is larger than ${limits.catalogueBytesMax} bytes`);
  const { formato, assinaturas } = parsed(bytes);
  if (formato !== 1 || !Array.isArray(assinaturas)) refuse('expected formato 1 and a list "assinaturas"');
  const found = new Map<string, string>();
  for (const one of assinaturas as readonly unknown[]) {
    const { id, version, assinatura } = fieldsOf(one);
    if (typeof id !== 'string' || typeof version !== 'string' || typeof assinatura !== 'string')
      return refuse('expected id, version and assinatura as texts');
    found.set(`${id} ${version}`, assinatura);
  }
  return found;
}

export function signaturesText(signed: readonly SignedVersion[]): string {
  const sorted = signed.toSorted((a, b) => (`${a.id} ${a.version}` < `${b.id} ${b.version}` ? -1 : 1));
  return `${JSON.stringify({ formato: 1, assinaturas: sorted }, null, 1)}\n`;
}

function parsed(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    if (error instanceof SvcError) throw error;
    return refuse('not JSON');
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : refuse('expected objects');

function refuse(why: string): never {
  throw new SvcError('REPOSITORY_INVALID', `assinaturas.json: ${why}`);
}
