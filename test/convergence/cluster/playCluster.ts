import { setTimeout as delay } from 'node:timers/promises';
import { playClient } from '../play.js';
import type { ClusterStep, LinkStep } from './clusterSteps.js';
import type { ClusterWorld } from './clusterWorld.js';

/** How long a client waits for an answer that may not come before the hosts are mended. */
const SETTLE_MS = 30;

/** Does one step of a world with several hosts. */
export async function playCluster(world: ClusterWorld, step: ClusterStep): Promise<void> {
  switch (step.do) {
    case 'goTo':
    case 'freeze':
    case 'wake':
    case 'takeForDead':
    case 'killMember':
    case 'drainMember':
    case 'look':
      world.journal.note(JSON.stringify(step));
      break;
    case 'holdLink':
    case 'deliverLink':
    case 'doubleLink':
    case 'repeatLink':
    case 'releaseLinks':
    case 'cutLink':
      world.journal.note(JSON.stringify(step));
      return playOnLink(world, step);
    case 'settle':
      // It may be at a host that is frozen, or that waits for another one.
      return Promise.race([playClient(world, step), delay(SETTLE_MS)]);
    default:
      return playClient(world, step);
  }
  switch (step.do) {
    case 'goTo': {
      const client = world.clients[step.client % world.clients.length];
      if (!client) return;
      world.setHome(client, step.host);
      if (step.now) client.wire?.cut();
      return;
    }
    case 'freeze':
      return world.freeze(step.host);
    case 'wake':
      return world.wake(step.host);
    case 'takeForDead':
      return world.takeForDead(step.host);
    case 'killMember':
      return world.kill(step.host, step.lastFramesArrive, step.isKnown);
    case 'drainMember':
      return world.drain(step.host, step.ms);
    case 'look': {
      const member = world.member(step.host);
      // A frozen one gets no answer.
      if (!member?.isFrozen) await member?.look();
      return;
    }
  }
}

function playOnLink(world: ClusterWorld, step: LinkStep): void {
  if (step.do === 'releaseLinks') {
    for (const link of world.links) if (!world.isFrozen(link)) link.release();
    return;
  }
  const link = world.links[step.link % Math.max(world.links.length, 1)];
  if (!link) return;
  if (step.do === 'holdLink') link.lane(step.lane).hold();
  else if (step.do === 'deliverLink') link.lane(step.lane).deliver(step.count);
  else if (step.do === 'doubleLink') link.lane(step.lane).duplicate(step.late);
  else if (step.do === 'repeatLink') link.lane(step.lane).repeat();
  else if (step.noticedBy === 'both') link.cut();
  else if (step.noticedBy === 'follower') link.cutForFollower();
  else link.cutForOwner();
}
