import type { ServerResponse } from 'node:http';
import { dropOldest } from '@agenthost/protocol/internal';
import { Problem } from './problem.js';

/** Of one token: requests in a second, on average and after a pause; requests and streams at the same time. */
const PER_SECOND = 200;
const BURST = 1_000;
const MAX_RUNNING = 64;
const MAX_STREAMS = 256;
const MAX_TOKENS = 10_000;

interface Token {
  left: number;
  at: number;
  running: number;
  streams: number;
}

/** Bounds what one token can ask for at once. */
export class RequestRate {
  readonly #tokens = new Map<string, Token>();

  /**
   * Throws a `Problem` when it is too much; else it counts until the answer has ended. With the result it goes on as a stream, where
   * only the request itself says that it is one.
   */
  begin(id: string, response: Pick<ServerResponse, 'once'>, isStream: boolean): () => void {
    const token = this.#tokenOf(id);
    const now = performance.now();
    token.left = Math.min(BURST, token.left + ((now - token.at) * PER_SECOND) / 1_000);
    token.at = now;
    if (token.left < 1) throw tooMany('This token sends too many requests.');
    token.left--;
    let kind: 'streams' | 'running' | undefined;
    const count = (as: 'streams' | 'running') => {
      if (token[as] >= (as === 'streams' ? MAX_STREAMS : MAX_RUNNING)) throw tooMany(TOO_MANY[as]);
      if (kind) token[kind]--;
      token[as]++;
      kind = as;
    };
    count(isStream ? 'streams' : 'running');
    response.once('close', () => {
      if (kind) token[kind]--;
      kind = undefined;
    });
    return () => kind && count('streams');
  }

  #tokenOf(id: string): Token {
    const known = this.#tokens.get(id);
    const token = known ?? { left: BURST, at: performance.now(), running: 0, streams: 0 };
    this.#tokens.delete(id);
    this.#tokens.set(id, token);
    dropOldest(this.#tokens, MAX_TOKENS);
    return token;
  }
}

const TOO_MANY = {
  streams: 'This token has too many streams.',
  running: 'Too many requests of this token are being answered.',
} as const;

function tooMany(detail: string): Problem {
  return new Problem(429, 'tooManyRequests', detail, {
    whatToDo: 'Wait for a second, and for answers, before you send more.',
    headers: { 'retry-after': '1' },
  });
}
