import { type CloseReason, type Frame, frameToText, Inbox, type Transport } from '@agenthost/rpc';
import { type Entry, Lane, LOST } from '../wire.js';
import type { LinkLane } from './clusterSteps.js';

export interface LinkWireOptions {
  /** The ids of the hosts. */
  readonly from: string;
  readonly to: string;
  /** The real connection, at the end of the one that made it. */
  readonly socket: Transport;
  readonly isHeld: boolean;
  /** A second copy of this frame to the owner is under way. */
  readonly onDuplicated: (text: string) => void;
}

/**
 * The network below one link: frames wait, come in bursts, come twice, and are lost with the connection. They never overtake each
 * other, as on TCP.
 */
export class LinkWire {
  readonly from: string;
  readonly to: string;
  readonly transport: Transport;
  readonly toOwner: Lane;
  readonly toFollower: Lane;
  readonly #socket: Transport;
  readonly #inbox: Inbox;

  constructor({ from, to, socket, isHeld, onDuplicated }: LinkWireOptions) {
    this.from = from;
    this.to = to;
    this.#socket = socket;
    this.#inbox = new Inbox((reason) => this.transport.close(reason));
    this.toOwner = new Lane(isHeld, (entry) => this.#arriveAtOwner(entry), onDuplicated, mayComeTwice);
    this.toFollower = new Lane(isHeld, (entry) => this.#arriveAtFollower(entry), undefined, mayComeTwice);
    socket.onMessage((text) => this.toFollower.send({ kind: 'frame', text }));
    socket.onClose((reason) => this.toFollower.send({ kind: 'close', reason }));
    this.transport = {
      send: (frame: Frame) => {
        if (!this.#inbox.ended) this.toOwner.send({ kind: 'frame', text: frameToText(frame) });
      },
      onMessage: (listener) => this.#inbox.onMessage(listener),
      onClose: (listener) => this.#inbox.onClose(listener),
      close: (reason: CloseReason = { message: 'closed by this side' }) => {
        this.toOwner.send({ kind: 'close', reason });
        this.toOwner.seal();
        this.#inbox.close(reason);
      },
    };
  }

  get isOpen(): boolean {
    return !this.#inbox.ended;
  }

  lane(name: LinkLane): Lane {
    return this[name];
  }

  release(): void {
    this.toOwner.release();
    this.toFollower.release();
  }

  hold(): void {
    this.toOwner.hold();
    this.toFollower.hold();
  }

  /** Lost for both, with all that was in flight. */
  cut(): void {
    this.toOwner.lose();
    this.toFollower.lose();
    this.#socket.close(LOST);
    this.#inbox.end(LOST);
  }

  /** Lost for the follower; what it sent is still under way, and the owner learns of the loss behind it. */
  cutForFollower(): void {
    this.toOwner.send({ kind: 'close', reason: LOST });
    this.toOwner.seal();
    this.toFollower.lose();
    this.#inbox.end(LOST);
  }

  /** Lost for the owner; what it told is still under way, and the follower learns of the loss behind it. */
  cutForOwner(): void {
    this.toFollower.send({ kind: 'close', reason: LOST });
    this.toFollower.seal();
    this.toOwner.lose();
    this.#socket.close(LOST);
  }

  #arriveAtOwner(entry: Entry): void {
    if (entry.kind === 'frame') this.#socket.send(entry.text);
    else this.#socket.close(entry.reason);
  }

  #arriveAtFollower(entry: Entry): void {
    if (entry.kind === 'frame') this.#inbox.receive(entry.text);
    else this.#inbox.end(entry.reason);
  }
}

/** Not commands: nobody sends one again whose outcome he does not know. */
function mayComeTwice(text: string): boolean {
  return text.includes('"method":') && !text.includes('"method":"link.command"');
}
