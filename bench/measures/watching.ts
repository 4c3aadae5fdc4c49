// What figures and telemetry cost at 100 subscribers: a host that is read at /metrics and sends to a collector every second, beside
// one that does neither, in the same run.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BenchProcess } from '../support/benchProcess.ts';
import { atMost } from '../support/figure.ts';
import { figureOf } from '../support/figures.ts';
import { measure } from '../support/measure.ts';
import { type UnderLoad, underLoad } from '../support/underLoad.ts';

const SUBSCRIBERS = 100;
const EVERY_MS = 1_000;

await measure(async ({ quick }) => {
  const rounds = quick ? 3 : 11;
  const load = { subscribers: SUBSCRIBERS, envelopes: quick ? 2_000 : 10_000, inFlight: 256 };
  const collector = createServer((request, response) => request.resume().on('end', () => response.end()));
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const off = await BenchProcess.startHost();
  const on = await BenchProcess.startHost(undefined, [], {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_METRIC_EXPORT_INTERVAL: String(EVERY_MS),
    OTEL_METRIC_EXPORT_TIMEOUT: String(EVERY_MS),
  });
  const metrics = new URL('/metrics', on.address.url.replace(/^ws/, 'http'));
  const headers = { authorization: `Bearer ${on.address.token}` };
  const reading = setInterval(() => {
    fetch(metrics, { headers }).then((answer) => answer.text(), console.error);
  }, EVERY_MS);
  try {
    const run = (host: BenchProcess, envelopes = load.envelopes) =>
      underLoad({ host, raw: host }, 'host', { ...load, envelopes });
    for (const host of [off, on]) await run(host, 2_000);
    const measured: Record<'on' | 'off', UnderLoad[]> = { on: [], off: [] };
    for (let round = 0; round < rounds; round++) {
      // Who comes first has a colder machine.
      const order = round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const);
      for (const which of order) measured[which].push(await run(which === 'on' ? on : off));
    }
    const about = { measure: 'watching', baseline: 'without', unit: 'µs', better: 'lower' } as const;
    const name = `CPU of one delivery, ${SUBSCRIBERS} subscribers, with figures and telemetry`;
    const cpu = (of: readonly UnderLoad[]) => of.map((one) => one.cpu);
    return { figures: [figureOf({ ...about, name, limit: atMost(1.05) }, cpu(measured.on), cpu(measured.off))] };
  } finally {
    clearInterval(reading);
    off.kill();
    on.kill();
    collector.closeAllConnections();
    collector.close();
  }
});
