import { describe, expect, it } from 'vitest';
import { altered } from '../faults/support/alteredHost.js';
import { LONG_MS } from '../faults/support/amount.js';
import { median, type Sample, slopePerMinute } from './hostProbe.js';
import { soak } from './soak.js';

/** `npm run soak -- --minutes 60` for an hour. */
const MINUTES = Number(process.env['AGENTHOST_SOAK_MINUTES'] ?? 10);
/** More turns than the host keeps in memory, for a run that is long enough to have a slope. */
const TURNS_BEFORE = MINUTES >= 5 ? 260 : 0;
/** Before that, the compiler is at work, and buffers of connections fill. */
const WARM_UP = 0.3;
/** What memory may grow by: nearly nothing, or in a short run what is kept of the newest turns and envelopes. */
const SLACK_MIB = TURNS_BEFORE > 0 ? 4 : 30;

interface PublisherModule {
  readonly Publisher: { readonly prototype: { publish: (...args: unknown[]) => unknown } };
}

function figuresOf(samples: readonly Sample[]) {
  const steady = samples.slice(Math.floor(samples.length * WARM_UP));
  const part = Math.ceil(steady.length / 5);
  const [first, last] = [steady.slice(0, part), steady.slice(-part)];
  const grown = (value: (sample: Sample) => number) => median(last.map(value)) - median(first.map(value));
  return {
    heapMiB: median(steady.map(({ heapMiB }) => heapMiB)),
    rssMiB: median(steady.map(({ rssMiB }) => rssMiB)),
    files: median(steady.map(({ files }) => files)),
    slope: slopePerMinute(steady, ({ heapMiB }) => heapMiB),
    fileSlope: slopePerMinute(steady, ({ files }) => files),
    heapGrown: grown(({ heapMiB }) => heapMiB),
    filesGrown: grown(({ files }) => files),
  };
}

/** From the first fifth of the steady part to its last one. */
function checkFlat({ heapGrown, files, filesGrown }: ReturnType<typeof figuresOf>): void {
  expect(heapGrown, 'MiB that memory has grown by').toBeLessThan(SLACK_MIB);
  expect(filesGrown, 'files that are open in addition').toBeLessThan(Math.max(15, 0.2 * files));
}

// 2026-11-15: what the host has open is read from /proc.
describe.runIf(process.platform === 'linux')('a soak', { timeout: LONG_MS }, () => {
  it('fifty clients, twenty sessions, a network that drops: no state diverges, nothing is lost, nothing grows', async () => {
    const { samples, accepted, refused, drops, turns, compared } = await soak(MINUTES, { turns: TURNS_BEFORE });
    const figures = figuresOf(samples);
    const { heapMiB, rssMiB, slope, files, fileSlope } = figures;
    console.info(
      `${MINUTES} minutes, ${drops} times drops, ${accepted} messages accepted, ${refused} refused, ${turns} turns: ` +
        `0 lost, 0 doubled; ${compared} states compared, 0 differ; ` +
        `heap ${heapMiB.toFixed(1)} MiB (${slope.toFixed(2)} a minute, ${figures.heapGrown.toFixed(1)} in all), RSS ${rssMiB.toFixed(0)} MiB, ` +
        `${files} files (${fileSlope.toFixed(2)} a minute)`,
    );
    checkFlat(figures);
    expect(compared).toBeGreaterThan(50);
  });

  it('finds a host that keeps what it has sent', async () => {
    const leaks = altered('state/publisher.js', ({ Publisher }: PublisherModule) => {
      const { publish } = Publisher.prototype;
      const kept: unknown[] = [];
      Publisher.prototype.publish = function (...args) {
        kept.push(Buffer.alloc(64 * 1024, 1));
        return publish.apply(this, args);
      };
    });
    const { samples } = await soak(0.5, { env: leaks });
    expect(() => checkFlat(figuresOf(samples))).toThrow(/memory has grown/);
  });
});
