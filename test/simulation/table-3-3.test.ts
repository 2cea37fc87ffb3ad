/**
 * The table of rules 3.3 in simulated time, row by row. Numbers are literals of the rules, not the constants of the code. Below each row, with the app in
 * brackets, stands its scenario: at a time after the sign-in something happens (`deeds` in stage.ts), or the app is in a state for a reason.
 */
import { expect, it } from 'vitest';
import { createStage, play, scenariosOf } from './stage.ts';

const table = `
stopped | start request | starting  [setUpMs=5000]
  0.5s is stopped NeverStarted; 1s start request; 1.1s is starting SettingUp; 5.9s is starting SettingUp
starting | ready code within 15 attempts | running  [bootMs=5000]
  1s start request; 3s is starting Probing; 6.2s is running Healthy
starting | 15 attempts exhausted | starting with ready: false, then the verdict all the same  [bootMs=20000]
  1s start request; 15s is starting Probing; 16.5s is starting NeverBound; 21.3s is running Healthy
starting | 15 attempts exhausted | TCP instead of the socket is named  [behaviour=bindsTcp]
  1s start request; 16.5s is starting BoundTcp; 20m is starting BoundTcp
starting | 15 attempts exhausted | 500 is named  [behaviour=answersError]
  1s start request; 16.5s is starting AnswersError
starting | 15 attempts exhausted | 401 is named  [behaviour=refusesToken]
  1s start request; 16.5s is starting RefusesToken
running | process dies, env file exists | relaunched by the supervisor
  1s start request; 2s is running Healthy; 3s process dies; 3.9s is backoff Crashed; 5s is running Healthy
any | five consecutive failures | failed; 600 s of silence: another chance  [behaviour=exitsAtOnce]
  1s start request; 14s is backoff ExitedAtOnce; 18s is failed ExitedAtOnce; 20s app is well from now on; 10m is failed ExitedAtOnce;
    10m20s is running Healthy
failed | start request | starting: a manual start always resets  [behaviour=exitsAtOnce]
  1s start request; 18s is failed ExitedAtOnce; 20s app is well from now on; 21s start request; 22s is running Healthy
failed | other code installed | another try at once  [behaviour=exitsAtOnce]
  1s start request; 18s is failed ExitedAtOnce; 20s app is well from now on; 21s other code is installed; 22s is running Healthy
running | last window closes, encerrar, none opens within 2 minutes | stopped  [aoFechar=encerrar]
  1s window opens; 10s window closes; 2m9.9s is running Healthy; 2m11s is stopped LastWindowClosed; 60m is stopped LastWindowClosed
running | a window opens within the 2 minutes | stays running  [aoFechar=encerrar]
  1s window opens; 10s window closes; 2m9s window opens; 60m is running Healthy; 60m window closes; 61m59.9s is running Healthy;
    62m1s is stopped LastWindowClosed
running | the second of two windows stays | stays running  [aoFechar=encerrar]
  1s window opens; 2s window opens; 10s window closes; 10m is running Healthy
running | manter | stays running  [aoFechar=manter]
  1s window opens; 10s window closes; 600m is running Healthy
running | ocioso:5m, 5 minutes without a connection | stopped  [aoFechar=ocioso:5m]
  1s window opens; 10s window closes; 5m9.9s is running Healthy; 5m11s is stopped Idle
running | installed with --force | stopped by SIGTERM, comes back because it is wanted
  1s start request; 5s installed with --force; 7s is running Healthy
running | start request, installed hash differs | old process ends, current code runs
  1s start request; 5s other code is installed; 9s is running Healthy; 10s start request; 13s is running Healthy
rule 4: kind service resolves encerrar to manter, and starts with the session  [kind=service aoFechar=encerrar]
  3s is running Healthy; 4s window opens; 5s window closes; 60m is running Healthy; 61m stop request; 62m is stopped StoppedByPerson;
    120m is stopped StoppedByPerson
rule 4: kind service honours ocioso  [kind=service aoFechar=ocioso:1m]
  3s is running Healthy; 2m is stopped Idle
ligado: no window and no idleness stops it, a death does not either  [aoFechar=encerrar]
  1s document: ligado; 3s is running Healthy; 4s window opens; 5s window closes; 6s stop request; 60m is running Healthy;
    60m process dies; 60m2s is running Healthy
desligado: stops it, and no click starts it  [aoFechar=manter]
  1s start request; 5s document: desligado; 7s is stopped PinnedStopped; 8s start request; 10s is stopped PinnedStopped;
    11s document goes; 12s start request; 14s is running Healthy
the portal dies: no app is stopped, and it is recognised again  [aoFechar=manter]
  1s start request; 5s portal dies; 20s is running Healthy
the server is unreachable: unknown, never stopped; afterwards as before  [aoFechar=manter]
  1s start request; 5s server unreachable; 11s is unknown ServerUnreachable; 1m is unknown ServerUnreachable; 1m1s server back;
    1m7s is running Healthy
the supervisor dies: it comes back and the app never stopped  [aoFechar=manter]
  1s start request; 5s supervisor dies; 5.01s is unknown SupervisorStarting; 6s is running Healthy
the person signs out: what is to be kept lives on, and comes back after a death  [aoFechar=manter]
  1s start request; 5s signs out; 60m is running Healthy; 61m process dies; 61m2s is running Healthy
a restart request: it comes back  [aoFechar=manter]
  1s start request; 5s restart request; 9s is running Healthy
stop is legal while it is being set up  [setUpMs=60000]
  1s start request; 2s is starting SettingUp; 3s stop request; 4s is stopped StoppedByPerson
stop is legal in backoff  [behaviour=exitsAtOnce]
  1s start request; 13s is backoff ExitedAtOnce; 13.1s stop request; 13.5s is stopped StoppedByPerson; 60m is stopped StoppedByPerson
`;

it.for(scenariosOf(table))('rules 3.3: %s', ([, app, lines]) => {
  const stage = createStage(app);
  const { seen, expected } = play(stage, lines);
  expect(seen).toEqual(expected);
  expect(expected.length).toBeGreaterThan(0);
  expect(stage.world.tally.violations).toEqual([]);
});
