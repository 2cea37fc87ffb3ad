/**
 * The table of rules 3.3 in simulated time, row by row. Numbers are literals of the rules, not the constants of the code. Every line of a
 * scenario is [ms after the sign-in, event] or [ms, 'is', state, reason].
 */
import { expect, it } from 'vitest';
import { createStage, play, type Line, type StageOptions } from './stage.ts';

const minute = 60_000;
const rows: readonly (readonly [row: string, app: StageOptions, lines: readonly Line[]])[] = [
  [
    'stopped | start request | starting',
    { setUpMs: 5_000 },
    [
      [500, 'is', 'stopped', 'NeverStarted'],
      [1_000, 'start request'],
      [1_100, 'is', 'starting', 'SettingUp'],
      [5_900, 'is', 'starting', 'SettingUp'],
    ],
  ],
  [
    'starting | ready code within 15 attempts | running',
    { bootMs: 5_000 },
    [
      [1_000, 'start request'],
      [3_000, 'is', 'starting', 'Probing'],
      [6_200, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'starting | 15 attempts exhausted | starting with ready: false, then the verdict all the same',
    { bootMs: 20_000 },
    [
      [1_000, 'start request'],
      [15_000, 'is', 'starting', 'Probing'],
      [16_500, 'is', 'starting', 'NeverBound'],
      [21_300, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'starting | 15 attempts exhausted | TCP instead of the socket is named',
    { behaviour: 'bindsTcp' },
    [
      [1_000, 'start request'],
      [16_500, 'is', 'starting', 'BoundTcp'],
      [20 * minute, 'is', 'starting', 'BoundTcp'],
    ],
  ],
  [
    'starting | 15 attempts exhausted | 500 is named',
    { behaviour: 'answersError' },
    [
      [1_000, 'start request'],
      [16_500, 'is', 'starting', 'AnswersError'],
    ],
  ],
  [
    'starting | 15 attempts exhausted | 401 is named',
    { behaviour: 'refusesToken' },
    [
      [1_000, 'start request'],
      [16_500, 'is', 'starting', 'RefusesToken'],
    ],
  ],
  [
    'running | process dies, env file exists | relaunched by the supervisor',
    {},
    [
      [1_000, 'start request'],
      [2_000, 'is', 'running', 'Healthy'],
      [3_000, 'process dies'],
      [3_900, 'is', 'backoff', 'Crashed'],
      [5_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'any | five consecutive failures | failed; 600 s of silence: another chance',
    { behaviour: 'exitsAtOnce' },
    [
      [1_000, 'start request'],
      [14_000, 'is', 'backoff', 'ExitedAtOnce'],
      [18_000, 'is', 'failed', 'ExitedAtOnce'],
      [20_000, 'app is well from now on'],
      [10 * minute, 'is', 'failed', 'ExitedAtOnce'],
      [10 * minute + 20_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'failed | start request | starting: a manual start always resets',
    { behaviour: 'exitsAtOnce' },
    [
      [1_000, 'start request'],
      [18_000, 'is', 'failed', 'ExitedAtOnce'],
      [20_000, 'app is well from now on'],
      [21_000, 'start request'],
      [22_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'failed | other code installed | another try at once',
    { behaviour: 'exitsAtOnce' },
    [
      [1_000, 'start request'],
      [18_000, 'is', 'failed', 'ExitedAtOnce'],
      [20_000, 'app is well from now on'],
      [21_000, 'other code is installed'],
      [22_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'running | last window closes, encerrar, none opens within 2 minutes | stopped',
    { aoFechar: 'encerrar' },
    [
      [1_000, 'window opens'],
      [10_000, 'window closes'],
      [129_900, 'is', 'running', 'Healthy'],
      [131_000, 'is', 'stopped', 'LastWindowClosed'],
      [60 * minute, 'is', 'stopped', 'LastWindowClosed'],
    ],
  ],
  [
    'running | a window opens within the 2 minutes | stays running',
    { aoFechar: 'encerrar' },
    [
      [1_000, 'window opens'],
      [10_000, 'window closes'],
      [129_000, 'window opens'],
      [60 * minute, 'is', 'running', 'Healthy'],
      [60 * minute, 'window closes'],
      [62 * minute - 100, 'is', 'running', 'Healthy'],
      [62 * minute + 1_000, 'is', 'stopped', 'LastWindowClosed'],
    ],
  ],
  [
    'running | the second of two windows stays | stays running',
    { aoFechar: 'encerrar' },
    [
      [1_000, 'window opens'],
      [2_000, 'window opens'],
      [10_000, 'window closes'],
      [10 * minute, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'running | manter | stays running',
    { aoFechar: 'manter' },
    [
      [1_000, 'window opens'],
      [10_000, 'window closes'],
      [600 * minute, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'running | ocioso:5m, 5 minutes without a connection | stopped',
    { aoFechar: 'ocioso:5m' },
    [
      [1_000, 'window opens'],
      [10_000, 'window closes'],
      [309_900, 'is', 'running', 'Healthy'],
      [311_000, 'is', 'stopped', 'Idle'],
    ],
  ],
  [
    'running | installed with --force | stopped by SIGTERM, comes back because it is wanted',
    {},
    [
      [1_000, 'start request'],
      [5_000, 'installed with --force'],
      [7_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'running | start request, installed hash differs | old process ends, current code runs',
    {},
    [
      [1_000, 'start request'],
      [5_000, 'other code is installed'],
      [9_000, 'is', 'running', 'Healthy'],
      [10_000, 'start request'],
      [13_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'rule 4: kind service resolves encerrar to manter, and starts with the session',
    { kind: 'service', aoFechar: 'encerrar' },
    [
      [3_000, 'is', 'running', 'Healthy'],
      [4_000, 'window opens'],
      [5_000, 'window closes'],
      [60 * minute, 'is', 'running', 'Healthy'],
      [61 * minute, 'stop request'],
      [62 * minute, 'is', 'stopped', 'StoppedByPerson'],
      [120 * minute, 'is', 'stopped', 'StoppedByPerson'],
    ],
  ],
  [
    'rule 4: kind service honours ocioso',
    { kind: 'service', aoFechar: 'ocioso:1m' },
    [
      [3_000, 'is', 'running', 'Healthy'],
      [2 * minute, 'is', 'stopped', 'Idle'],
    ],
  ],
  [
    'ligado: no window and no idleness stops it, a death does not either',
    { aoFechar: 'encerrar' },
    [
      [1_000, 'document: ligado'],
      [3_000, 'is', 'running', 'Healthy'],
      [4_000, 'window opens'],
      [5_000, 'window closes'],
      [6_000, 'stop request'],
      [60 * minute, 'is', 'running', 'Healthy'],
      [60 * minute, 'process dies'],
      [60 * minute + 2_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'desligado: stops it, and no click starts it',
    { aoFechar: 'manter' },
    [
      [1_000, 'start request'],
      [5_000, 'document: desligado'],
      [7_000, 'is', 'stopped', 'PinnedStopped'],
      [8_000, 'start request'],
      [10_000, 'is', 'stopped', 'PinnedStopped'],
      [11_000, 'document goes'],
      [12_000, 'start request'],
      [14_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'the portal dies: no app is stopped, and it is recognised again',
    { aoFechar: 'manter' },
    [
      [1_000, 'start request'],
      [5_000, 'portal dies'],
      [20_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'the server is unreachable: unknown, never stopped; afterwards as before',
    { aoFechar: 'manter' },
    [
      [1_000, 'start request'],
      [5_000, 'server unreachable'],
      [11_000, 'is', 'unknown', 'ServerUnreachable'],
      [60_000, 'is', 'unknown', 'ServerUnreachable'],
      [61_000, 'server back'],
      [67_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'the supervisor dies: it comes back and the app never stopped',
    { aoFechar: 'manter' },
    [
      [1_000, 'start request'],
      [5_000, 'supervisor dies'],
      [5_010, 'is', 'unknown', 'SupervisorStarting'],
      [6_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'the person signs out: what is to be kept lives on, and comes back after a death',
    { aoFechar: 'manter' },
    [
      [1_000, 'start request'],
      [5_000, 'signs out'],
      [60 * minute, 'is', 'running', 'Healthy'],
      [61 * minute, 'process dies'],
      [61 * minute + 2_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'a restart request: it comes back',
    { aoFechar: 'manter' },
    [
      [1_000, 'start request'],
      [5_000, 'restart request'],
      [9_000, 'is', 'running', 'Healthy'],
    ],
  ],
  [
    'stop is legal while it is being set up',
    { setUpMs: 60_000 },
    [
      [1_000, 'start request'],
      [2_000, 'is', 'starting', 'SettingUp'],
      [3_000, 'stop request'],
      [4_000, 'is', 'stopped', 'StoppedByPerson'],
    ],
  ],
  [
    'stop is legal in backoff',
    { behaviour: 'exitsAtOnce' },
    [
      [1_000, 'start request'],
      [13_000, 'is', 'backoff', 'ExitedAtOnce'],
      [13_100, 'stop request'],
      [13_500, 'is', 'stopped', 'StoppedByPerson'],
      [60 * minute, 'is', 'stopped', 'StoppedByPerson'],
    ],
  ],
];

it.for(rows)('rules 3.3: %s', ([, app, lines]) => {
  const stage = createStage(app);
  const { seen, expected } = play(stage, lines);
  expect(seen).toEqual(expected);
  expect(expected.length).toBeGreaterThan(0);
  expect(stage.world.tally.violations).toEqual([]);
});
