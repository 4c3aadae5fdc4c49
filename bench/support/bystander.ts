import { fork } from 'node:child_process';
import { join } from 'node:path';
import { childMessage } from './childMessage.ts';
import type { DisturbanceTask } from './disturbance.ts';
import { RequestClient, type ServerAddress } from './requestClient.ts';

const SESSION = 'mock:/others';
const WARM_UP = 1_000;

/** A client that has nothing to do with the load. */
export class Bystander {
  readonly #client: RequestClient;
  #sent = 0;

  static async open(address: ServerAddress): Promise<Bystander> {
    const client = await RequestClient.open(address);
    await client.request('createSession', { session: SESSION });
    await client.request('subscribe', { resource: SESSION });
    const bystander = new Bystander(client);
    for (let n = 0; n < WARM_UP; n++) await bystander.#echo();
    return bystander;
  }

  private constructor(client: RequestClient) {
    this.#client = client;
  }

  /** How long each echo took, first without and then beside the disturbance. */
  async beside(task: DisturbanceTask): Promise<readonly [calm: readonly number[], beside: readonly number[]]> {
    const child = fork(join(import.meta.dirname, 'disturbance.ts'));
    try {
      child.send(task);
      const phases = [];
      for (let phase = 0; phase < 2; phase++) {
        await childMessage(child, 'prepared');
        let isOver = false;
        const done = childMessage(child, 'done').finally(() => {
          isOver = true;
        });
        child.send('go');
        const times: number[] = [];
        while (!isOver) times.push(await this.#echo());
        await done;
        phases.push(times);
      }
      return [phases[0] ?? [], phases[1] ?? []];
    } finally {
      child.kill();
    }
  }

  close(): void {
    this.#client.close();
  }

  #echo(): Promise<number> {
    const title = `a title of some length that changes every time, number ${++this.#sent}`;
    const action = { type: 'session/titleChanged', session: SESSION, at: 1, title };
    return this.#client.echo({ clientSeq: this.#sent, action });
  }
}
