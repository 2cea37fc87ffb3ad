/** A backend that runs as a job of a cluster: what is launched here submits and follows it (kit/job/session.sh). Decision: docs/decisions/0437-backends-on-a-cluster.md */
import { clusterVariable, type ClusterOrder } from '../../schema/supervisor-protocol.ts';
import type { Variables } from './env-file.ts';
import { LaunchRefused } from './refusal.ts';

type Argv = readonly [string, ...string[]];

/** Null: it runs on this machine. Throws LaunchRefused EnvFileDamaged, on which the portal writes the file anew. */
export function clusterOrderOf(wish: Variables): ClusterOrder | null {
  const text = wish.get(clusterVariable);
  if (text === undefined) return null;
  try {
    const { bin, conf, ssh, seconds, options } = JSON.parse(text) as Partial<ClusterOrder>;
    const texts = [bin, conf, ssh, ...(options ?? [])];
    if (!texts.every((word) => typeof word === 'string') || !Number.isSafeInteger(seconds)) throw new TypeError('no order');
    return { bin: bin ?? '', conf: conf ?? '', ssh: ssh ?? '', seconds: seconds ?? 0, options: options ?? [] };
  } catch {
    throw new LaunchRefused('EnvFileDamaged', `the env file can't be used: ${clusterVariable} holds no order for a cluster`);
  }
}

export function jobArgv(kitRoot: string, { bin, conf, ssh, seconds, options }: ClusterOrder, command: Argv): Argv {
  const words = [bin, conf, ssh, String(seconds), String(options.length), ...options];
  return ['/bin/bash', `${kitRoot}/kit/job/session.sh`, ...words, ...command];
}
