/** A file as the editor opens it: text, or why it is none. Decision: docs/decisions/0217-the-text-editor.md */
import type { FileItem } from '../../schema/wire/files.ts';
import type { Content } from '../session/content-api.ts';
import { decode, detect, type Decoded, type Encoding } from '../opening/encoding.ts';
import { limits } from './limits.ts';

export interface OpenText extends Decoded {
  readonly kind: 'text';
  readonly etag: string;
  /** Nobody may write it, or what is written back would be other bytes. */
  readonly readOnly: 'mode' | 'lossy' | null;
}

export type Opened =
  | OpenText
  | { readonly kind: 'large'; readonly bytes: number }
  | { readonly kind: 'binary'; readonly bytes: number }
  | { readonly kind: 'no-file' };

export interface FileReader {
  readonly facts: (caminho: string) => Promise<Pick<FileItem, 'tipo' | 'bytes' | 'modo'>>;
  readonly content: (caminho: string) => Promise<Content>;
}

/** `as`: whatever is in it. */
export async function openText({ facts, content }: FileReader, caminho: string, as: Encoding | null): Promise<Opened> {
  const { tipo, bytes, modo } = await facts(caminho);
  if (tipo !== 'arquivo') return { kind: 'no-file' };
  if (bytes > limits.editorBytesMax) return { kind: 'large', bytes };
  const read = await content(caminho);
  const found = as === null ? detect(read.bytes) : { encoding: as, mark: false };
  if (found === null) return { kind: 'binary', bytes };
  const decoded = decode(read.bytes, found);
  return { kind: 'text', ...decoded, etag: read.etag, readOnly: decoded.isLossy ? 'lossy' : (modo & 0o222) === 0 ? 'mode' : null };
}

/** `nota.txt` → `nota (2).txt`: names for a copy, in the exact form of paths. */
export function copyPath(caminho: string, n: number): string {
  const from = caminho.lastIndexOf('/') + 1;
  const dot = caminho.lastIndexOf('.');
  const end = dot > from ? dot : caminho.length;
  return `${caminho.slice(0, end)} (${n})${caminho.slice(end)}`;
}
