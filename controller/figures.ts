/** Counts the controller's own work. Source: anchors on metrics; read by api/site/metrics.ts through schema/figures.ts. */
import { probeVerdict } from '../machines/probe-verdict.ts';
import {
  figureBoundsS,
  noSite,
  type ControllerFigures,
  type ReconcileFigures,
  type SeenStep,
  type SiteFigures,
} from '../schema/figures.ts';
import { kindOf } from '../schema/keys.ts';
import { emptyDistribution, observe, type Distribution } from '../schema/wire/distribution.ts';
import { limits } from './limits.ts';

export interface Figures {
  readonly seen: ControllerFigures;
  /** Runs the work of a key and counts it, unless there was nothing to do. */
  worked(key: string, work: () => Promise<void> | undefined): Promise<void> | undefined;
  failed(key: string): void;
  probed(answer: { readonly code: number; readonly byGate: boolean }): void;
  /** How long a step of a start took; a negative one (the clock was set back) counts as 0. */
  step(app: string, step: SeenStep, ms: number): void;
}

export function createFigures(queued: () => number, monotonicMs: () => number, site: () => SiteFigures = () => noSite): Figures {
  const reconciled = new Map<string, ReconcileFigures>();
  const probes = new Map<string, number>();
  const starts = new Map<string, Map<SeenStep, Distribution>>();
  const ofKind = (key: string): ReconcileFigures => {
    const kind = kindOf(key);
    const found = reconciled.get(kind) ?? { durations: emptyDistribution(figureBoundsS), failed: 0 };
    reconciled.set(kind, found);
    return found;
  };
  const stepsOf = (app: string): Map<SeenStep, Distribution> => {
    const name = starts.has(app) || starts.size < limits.figureAppsMax ? app : 'other';
    const found = starts.get(name) ?? new Map<SeenStep, Distribution>();
    starts.set(name, found);
    return found;
  };
  return {
    seen: { reconciled, probes, starts, queued, site },
    worked: (key, work) => {
      const fromMs = monotonicMs();
      const counted = (): void => observe(figureBoundsS, ofKind(key).durations, (monotonicMs() - fromMs) / 1_000);
      const working = work();
      if (working === undefined) counted();
      else working.then(counted, counted);
      return working;
    },
    failed: (key) => void (ofKind(key).failed += 1),
    probed: ({ code, byGate }) => {
      const { reason } = probeVerdict(code, byGate);
      probes.set(reason, (probes.get(reason) ?? 0) + 1);
    },
    step: (app, step, ms) => {
      const steps = stepsOf(app);
      const durations = steps.get(step) ?? emptyDistribution(figureBoundsS);
      steps.set(step, durations);
      observe(figureBoundsS, durations, Math.max(0, ms) / 1_000);
    },
  };
}
