import type { ClientSeqStore } from '@agenthost/client';

/** Remembers the last number of the client of our host. */
export function rememberingSeq(): ClientSeqStore & { readonly last: number } {
  let last = 0;
  return {
    load: () => last,
    save: (number) => {
      last = number;
    },
    get last() {
      return last;
    },
  };
}
