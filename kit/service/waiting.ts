/** Reasons for which a start of a server-scope app waits, and which ends the unit does not retry. */
import { SvcError } from '../../schema/errors.ts';
import type { GpuDecision, GpuVerdict } from '../launch/gpu-verdict.ts';
import { LaunchRefused } from '../launch/refusal.ts';
import { limits } from '../limits.ts';

interface Asking {
  /** Takes a card if one is free. */
  readonly decide: () => GpuDecision;
  /** Called with the first answer, and with the last one when that is another. */
  readonly note: (verdict: GpuVerdict) => void;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** An app that can't be without waits for a card that others have; after a while it answers that it is busy, and the unit starts it anew. */
export async function cardFor({ decide, note, nowMs, sleep }: Asking): Promise<GpuDecision> {
  const untilMs = nowMs() + limits.gpuServiceWaitMsMax;
  const waits = ({ verdict, busy }: GpuDecision): boolean => verdict.modo === 'necessaria' && busy;
  let asked = decide();
  note(asked.verdict);
  if (!waits(asked)) return asked;
  while (waits(asked) && nowMs() < untilMs) {
    await sleep(limits.gpuServiceAskMs);
    asked = decide();
  }
  if (!waits(asked)) note(asked.verdict);
  return asked;
}

/** Until somebody does something. A card that others have is freed without anybody: that start is tried again. */
export function isForGood(error: unknown): boolean {
  if (!(error instanceof LaunchRefused)) return error instanceof SvcError;
  return error.refusal.retry === 'terminal' && error.refusal.reason !== 'GpuBusy';
}
