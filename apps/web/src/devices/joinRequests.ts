import type { Role } from '@agenthost/protocol';

/** What a code offers. */
export interface Offer {
  readonly machine: string;
  readonly words: string;
  readonly role: Role;
  readonly validMs: number;
}

export type JoinFailure = 'used' | 'expired' | 'unreachable' | 'refused';

/** The host gives nothing for the code. */
export class JoinError extends Error {
  readonly failure: JoinFailure;

  constructor(failure: JoinFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

export function lookAtCode(code: string, device: string): Promise<Offer> {
  return ask<Offer>('GET', code, { 'agenthost-device': encodeURIComponent(device) });
}

/** Uses the code up. */
export async function redeemCode(code: string, device: string, user: string): Promise<string> {
  const names = {
    'agenthost-device': encodeURIComponent(device),
    ...(user && { 'agenthost-user': encodeURIComponent(user) }),
  };
  return (await ask<{ token: string }>('POST', code, names)).token;
}

async function ask<T>(method: 'GET' | 'POST', code: string, headers: Record<string, string>): Promise<T> {
  const response = await fetch('/pair', {
    method,
    headers: { authorization: `Pair ${code}`, ...headers },
    cache: 'no-store',
    credentials: 'omit',
  }).catch(() => undefined);
  const answer = (await response?.json().catch(() => undefined)) as { error?: string; message?: string } | undefined;
  if (response?.ok && answer) return answer as T;
  if (!response || response.status >= 500) {
    throw new JoinError('unreachable', `${location.hostname} isn't answering. Same network?`);
  }
  if (answer?.message !== undefined) throw new JoinError('refused', answer.message);
  if (answer?.error === 'used') throw new JoinError('used', 'This code was used already');
  throw new JoinError('expired', 'This code has expired');
}
