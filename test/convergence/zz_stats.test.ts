import * as fc from 'fast-check';
import { it, vi } from 'vitest';
import { ReplayBuffer } from '../../packages/host/src/state/replayBuffer.js';
import { SessionHub } from '../../packages/host/src/sessions/sessionHub.js';
import { Session } from '../../packages/host/src/sessions/session.js';
import { Journal } from './journal.js';
import { converges, temporaryRoot } from './property.js';
it('stats', { timeout: 600000 }, async () => {
  const root = temporaryRoot();
  const all: Journal[] = [];
  const add = Journal.prototype.add;
  vi.spyOn(Journal.prototype, 'add').mockImplementation(function (this: Journal, a, b) { if (!all.includes(this)) all.push(this); return add.call(this, a, b); });
  const counts: Record<string, number> = {};
  const bump = (k: string) => { counts[k] = (counts[k] ?? 0) + 1; };
  const since = ReplayBuffer.prototype.since;
  vi.spyOn(ReplayBuffer.prototype, 'since').mockImplementation(function (this: ReplayBuffer, a, b) { const r = since.call(this, a, b); bump(r ? (r.length ? 'replay' : 'empty replay') : 'snapshot (too far)'); return r; });
  const rec = Session.prototype.recover; vi.spyOn(Session.prototype, 'recover').mockImplementation(function (this: Session) { bump(this.state.activeTurn ? 'recovered turn' : 'loaded'); rec.call(this); });
  await fc.assert(converges(root.path), { seed: 5, numRuns: 400 });
  const out: Record<string, Record<string, number>> = {};
  const reasons: Record<string, number> = {};
  for (const j of all) for (const o of j.operations) { const k = out[o.kind] ??= {}; k[o.outcome.state] = (k[o.outcome.state] ?? 0) + 1; if (o.outcome.state === 'refused') reasons[o.outcome.reason] = (reasons[o.outcome.reason] ?? 0) + 1; if (o.outcome.state === 'unknown') reasons[o.outcome.error.name] = (reasons[o.outcome.error.name] ?? 0) + 1; }
  console.table(out); console.log(reasons, counts);
  root.dispose();
});
