import { startDemoHost } from '../demoHost.ts';
import { QUIET_SCREENS } from '../pageScreens.ts';
import { awayStage } from './awayStage.ts';
import { clusterStage } from './clusterStage.ts';
import { deviceStage } from './deviceStage.ts';
import { filesStage } from './filesStage.ts';
import { reviewStage } from './reviewStage.ts';
import type { Stage } from './stage.ts';
import { turnStage } from './turnStage.ts';
import { workStage } from './workStage.ts';

async function demoStage(root?: string): Promise<Stage> {
  const demo = await startDemoHost(root === undefined ? {} : { root });
  const session = demo.sessions.get('After a reconnect');
  await session?.queue('Then add a line to CHANGELOG.md under Fixed');
  await session?.queue('Commit with scope `client`, one commit for the test and one for the fix');
  return {
    screens: QUIET_SCREENS.map(({ name, open }) => ({ name, open: (page) => open(page, demo) })),
    dispose: () => demo.dispose(),
  };
}

/** Every screen of the page, by the hosts that it needs. */
export const STAGES: Readonly<Record<string, () => Promise<Stage>>> = {
  demo: demoStage,
  work: workStage,
  turns: turnStage,
  review: reviewStage,
  files: filesStage,
  devices: deviceStage,
  away: awayStage,
  cluster: clusterStage,
};
