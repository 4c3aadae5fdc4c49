/** Our own, because the platform's `Symbol.dispose` isn't there in every browser that we run in. Idempotent. */
export interface Disposable {
  dispose(): void;
}
