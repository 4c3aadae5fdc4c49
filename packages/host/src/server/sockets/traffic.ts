/** Why a connection was not let in. */
export type ConnectionRefusal = 'token' | 'tooMany' | 'address';

/** What went over all sockets of a host, for those who watch it: one addition for each write and each frame. */
export class Traffic {
  sentBytes = 0;
  receivedBytes = 0;
  receivedFrames = 0;
  /** Clients that did not read what they were sent. */
  cutOff = 0;
  readonly refused = new Map<ConnectionRefusal, number>();

  refuse(why: ConnectionRefusal): void {
    this.refused.set(why, (this.refused.get(why) ?? 0) + 1);
  }
}
