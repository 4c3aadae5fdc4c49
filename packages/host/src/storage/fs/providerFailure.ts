import { SessionFsFailure } from './sessionFs.js';

/** The code of failures because the file provider is gone. */
export const PROVIDER_GONE = 'UNAVAILABLE';

/** Bounds a provider's text, which reaches all clients that are refused because of it. */
const MAX_DETAIL = 500;

/** The client that keeps the sessions' files is gone, or failed to do what it was asked. The message says what to do. */
export class ProviderFailure extends SessionFsFailure {
  static gone(options?: ErrorOptions): ProviderFailure {
    const message =
      "the client that keeps the sessions' files has disconnected; restart the host and connect that client first";
    return new ProviderFailure(PROVIDER_GONE, message, options);
  }

  /** `detail`: the request and the answer. */
  static failed(code: string, detail: string, options?: ErrorOptions): ProviderFailure {
    const said = detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL)}…` : detail;
    const message = `the client that keeps the sessions' files failed (${said}); look at that client, then try again`;
    return new ProviderFailure(code, message, options);
  }

  /** The provider failure behind an error, however it was wrapped. */
  static behind(error: unknown): ProviderFailure | undefined {
    for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
      if (at instanceof ProviderFailure) return at;
    }
    return undefined;
  }

  private constructor(code: string, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'ProviderFailure';
  }

  get isGone(): boolean {
    return this.code === PROVIDER_GONE;
  }
}
