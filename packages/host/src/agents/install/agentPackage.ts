/** An npm package that an agent comes in, at the version that this host was tried with. */
export interface AgentPackage {
  readonly name: string;
  readonly version: string;
  /** Bytes on disk, about. */
  readonly sizeHint?: number;
  /** The packages whose install scripts are run. All other install scripts are skipped. */
  readonly scripts?: readonly string[];
}
