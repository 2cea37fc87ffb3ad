import { setFlagsFromString } from 'node:v8';

/** `svc up DIR`: the portal and the controller in this process until it is ended. The wiring is in bin/up/. */
export async function runUp(
  dir: string,
  {
    listen,
    join,
    ...options
  }: {
    readonly listen?: string;
    readonly join?: string;
    readonly fresh?: boolean;
    readonly link: boolean;
    readonly state: string;
  },
): Promise<void> {
  collectYoungBuffersEarly();
  const { up } = await import('../up/main.ts');
  await up({ dir, listen: listen ?? null, joins: join ?? null, ...options });
}

/**
 * Data from ssh is decrypted into buffers that live for a millisecond. Node 24 lets 128 MB of them gather before its cheap collection, and
 * V8 begins the costly one at 64 (nodejs/node#63863): with this one it is 16 MB, and only the cheap one runs. Other measures:
 * controller/hosts/ssh/packets.ts.
 */
function collectYoungBuffersEarly(): void {
  if (process.versions.node.startsWith('24.')) setFlagsFromString('--scavenger-max-new-space-capacity-mb=4');
}
