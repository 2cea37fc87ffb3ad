/** How much one socket may send: a bucket of frames and one of bytes. Times in monotonic milliseconds. */
import { limits } from '../limits.ts';

export interface Allowance {
  frames: number;
  bytes: number;
  atMs: number;
}

export const fullAllowance = (nowMs: number): Allowance => ({
  frames: limits.roomFramesBurstMax,
  bytes: limits.roomBytesBurstMax,
  atMs: nowMs,
});

/** Set now and then, so that the hot path needs no clock. */
export function refill(allowance: Allowance, nowMs: number): void {
  const seconds = (nowMs - allowance.atMs) / 1_000;
  allowance.frames = Math.min(limits.roomFramesBurstMax, allowance.frames + seconds * limits.roomFramesPerSecondMax);
  allowance.bytes = Math.min(limits.roomBytesBurstMax, allowance.bytes + seconds * limits.roomBytesPerSecondMax);
  allowance.atMs = nowMs;
}

/** False when it sent more than that. */
export function spend(allowance: Allowance, bytes: number): boolean {
  allowance.frames -= 1;
  allowance.bytes -= bytes;
  return allowance.frames >= 0 && allowance.bytes >= 0;
}
