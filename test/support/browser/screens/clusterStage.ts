import { MockAgent } from '@agenthost/host';
import type { Page } from 'playwright-core';
import { TestPostgres } from '../../storage/postgres.ts';
import { enter, newFolder, type Stage, type StageHost, sessionWith, startStageHost } from './stage.ts';

/** Two hosts with one database: a session of one that is looked at on the other, which may go away, as may the database. */
export async function clusterStage(): Promise<Stage> {
  const server = await TestPostgres.start();
  const database = await server.newDatabase();
  const roots = { north: await newFolder(), south: await newFolder() };
  const start = (place: 'north' | 'south') =>
    startStageHost(roots[place], {
      agents: [new MockAgent()],
      env: { ...process.env, HOME: roots[place] },
      database,
      place,
      leaseMs: 1_000,
    });
  const south = await start('south');
  let north: StageHost | undefined = await start('north');
  const { uri } = await sessionWith(north.mira, 'mock', 'Terraform plan for the new region', ['hello']);
  const allUp = async () => {
    await server.run();
    north ??= await start('north');
  };
  /** The session on a machine that is there; a phone shows no place then. */
  const open = async (page: Page) => {
    await allUp();
    await enter(page, south, uri);
    await page.locator('.thread .turn').first().waitFor();
    const place = page.locator('header.head').getByText(/^north, (?!away)/);
    await place.waitFor({ state: 'attached' });
  };
  return {
    screens: [
      { name: 'place', open },
      {
        name: 'place-away',
        open: async (page) => {
          await open(page);
          north?.mira.close();
          await north?.host.close();
          north = undefined;
          await page.getByRole('note').getByText('Its machine north is away').waitFor();
        },
      },
      {
        name: 'database-away',
        open: async (page) => {
          await open(page);
          await server.stop('SIGQUIT');
          await page.getByText("The database isn't answering.").waitFor();
        },
      },
    ],
    async dispose() {
      await server.run();
      await Promise.all([south.dispose(), north?.dispose()]);
      await server.dispose();
    },
  };
}
