/**
 * Machines of a test that reach each other over a router, each a network namespace; between any two of them packets can really be dropped, without
 * a word to either. Nothing of it is seen outside, and all of it goes with the test. Needs root, `ip` and `tc`.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { until } from './portal.ts';

const call = promisify(execFile);

export interface NetworkHost {
  readonly address: string;
  /** Words before a command that is to run there. */
  readonly within: readonly string[];
}

export interface Network {
  /** Reaches all of them, and is cut off from none by `cut`. */
  readonly router: Pick<NetworkHost, 'within'>;
  readonly hosts: readonly NetworkHost[];
  /** Drops the packets between these two. */
  cut(one: number, other: number): Promise<void>;
  mend(one: number, other: number): Promise<void>;
  /** Drops all packets to it and from it. */
  alone(host: number): Promise<void>;
  found(host: number): Promise<void>;
  close(): Promise<void>;
}

interface Place {
  readonly child: ChildProcess;
  readonly within: readonly string[];
}

/** Addresses for documentation (RFC 5737): nobody else has them. */
const addressOf = (host: number, end: 1 | 2): string => `198.51.100.${4 * host + end}`;

export async function openNetwork(hostCount: number): Promise<Network> {
  const router = await openPlace();
  const places = await Promise.all(Array.from({ length: hostCount }, openPlace));
  await inside(router, 'ip link set lo up; echo 1 >/proc/sys/net/ipv4/ip_forward');
  for (const [n, place] of places.entries()) {
    await call('ip', ['link', 'add', `h${n}`, 'netns', pidOf(router), 'type', 'veth', 'peer', 'name', 'net', 'netns', pidOf(place)]);
    await inside(router, `ip addr add ${addressOf(n, 1)}/30 dev h${n}; ip link set h${n} up`);
    await inside(
      place,
      `ip link set lo up; ip addr add ${addressOf(n, 2)}/30 dev net; ip link set net up; ip route add default via ${addressOf(n, 1)}`,
    );
  }
  // A blackhole of the router answers nothing.
  const rules = async (act: 'add' | 'del', one: number, other: number): Promise<void> =>
    await inside(
      router,
      [
        [one, other],
        [other, one],
      ]
        .map(([from, to]) => `ip rule ${act} from ${addressOf(from!, 2)} to ${addressOf(to!, 2)} blackhole`)
        .join('; '),
    );
  const queues = async (host: number, act: string): Promise<void> => {
    await inside(router, `tc qdisc ${act.replace('DEV', `h${host}`)}`);
    await inside(places[host]!, `tc qdisc ${act.replace('DEV', 'net')}`);
  };
  return {
    router,
    hosts: places.map(({ within }, n) => ({ address: addressOf(n, 2), within })),
    cut: (one, other) => rules('add', one, other),
    mend: (one, other) => rules('del', one, other),
    alone: (host) => queues(host, 'replace dev DEV root pfifo limit 0'),
    found: (host) => queues(host, 'del dev DEV root'),
    close: async () => {
      for (const { child } of [router, ...places]) {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
    },
  };
}

/** It lives as long as something in it does, and what holds it ends with whoever opened it. */
async function openPlace(): Promise<Place> {
  const child = spawn('unshare', ['--net', 'sh', '-c', 'echo open; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until('a network namespace', () => {
    if (child.exitCode !== null) throw new Error(`unshare --net ended with ${child.exitCode}: this test needs root`);
    return said !== '';
  });
  return { child, within: ['nsenter', `--target=${child.pid}`, '--net', '--'] };
}

const pidOf = ({ child }: Place): string => String(child.pid);

async function inside({ within: [program = '', ...words] }: Place, script: string): Promise<void> {
  await call(program, [...words, 'sh', '-ec', script]);
}
