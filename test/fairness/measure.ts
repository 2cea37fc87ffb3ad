/** Measures an attack, and its effect on the portal and on somebody who works meanwhile. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/portal.ts';
import type { AttackerOrder } from './attack.ts';
import { percentile, type Victim } from './victim.ts';
import type { FairnessWorld } from './world.ts';

export interface Figures {
  readonly acts: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Work of the portal's loop during one act. */
  readonly loopP99Ms: number;
  readonly errors: readonly string[];
  /** Most of the portal's memory while it went on, over what it was before. */
  readonly grownMb: number;
  /** Lines in the portal's log that are not of the victim. */
  readonly logLines: number;
  /** CPU of the portal during the attack: 1 is one processor. */
  readonly cpu: number;
}

/** The kernel's own count of pages and ticks. */
const ticksASecond = 100;

export function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksASecond;
}

function attackerOf({ attacker, portal, host, appHost }: FairnessWorld, attack: string, seconds: number): AttackerOrder {
  const { browser, name, home, room } = attacker;
  const [cookie = '', appCookie = ''] = [browser.cookies.get(host), browser.cookies.get(appHost)];
  return { attack, seconds, port: portal.port, host, cookie, appHost, appCookie, person: name, home, room };
}

/** `attack`: null is the same work with nobody else there. */
export async function measure(world: FairnessWorld, victim: Victim, attack: string | null, seconds: number): Promise<Figures> {
  const { portal } = world;
  const [rssBefore, cpuBefore, logBefore, beganMs] = [
    residentMb(portal.pid),
    cpuSeconds(portal.pid),
    portal.output().length,
    performance.now(),
  ];
  let most = rssBefore;
  const watch = setInterval(() => {
    most = Math.max(most, residentMb(portal.pid));
  }, 100);
  // The attacker has a machine of their own: here it only gets what the portal leaves.
  const words = ['-n', '15', join(repository, 'node_modules/.bin/node'), join(import.meta.dirname, 'attacker-main.ts')];
  const child =
    attack === null
      ? null
      : spawn('nice', [...words, JSON.stringify(attackerOf(world, attack, seconds))], { stdio: ['ignore', 'inherit', 'inherit'] });
  const exit = child === null ? null : once(child, 'exit');
  const { ms, loopMs, errors } = await victim.workFor(seconds * 1_000 + (child === null ? 0 : 500));
  clearInterval(watch);
  const cpu = (cpuSeconds(portal.pid) - cpuBefore) / ((performance.now() - beganMs) / 1_000);
  await exit;
  const lines = portal.output().slice(logBefore).split('\n');
  const isVictims = (line: string): boolean => line.includes(`"person":"${world.victim.name}"`);
  return {
    acts: ms.length,
    p50Ms: percentile(ms, 0.5),
    p99Ms: percentile(ms, 0.99),
    loopP99Ms: percentile(loopMs, 0.99),
    errors,
    grownMb: most - rssBefore,
    logLines: lines.filter((line) => line !== '' && !isVictims(line)).length,
    cpu,
  };
}
