/** How a version gets in: what serving (api/repository) asks of publishing. */
import type { EngineRecord, PackageRecord } from './records.ts';

/** The sender's description of the bytes before they come. */
export interface Announced {
  readonly novidades: string;
  /** Hex; null when it was not said. */
  readonly sha256: string | null;
  /** Text of its `.minisig`; null: it is not signed. */
  readonly signature: string | null;
}

/** `unchanged`: this version was there with the same bytes; its record stays as it was. */
export interface PublishOutcome<Record> {
  readonly outcome: 'published' | 'unchanged';
  readonly record: Record;
}

type Bytes = AsyncIterable<Uint8Array>;

/** Takes the bytes in with back-pressure; rejects with coded errors and leaves nothing then. */
export interface RepositoryWriter {
  putPackage(id: string, version: string, body: Bytes, announced: Announced): Promise<PublishOutcome<PackageRecord>>;
  putEngine(nome: string, versao: string, body: Bytes, announced: Announced): Promise<PublishOutcome<EngineRecord>>;
}
