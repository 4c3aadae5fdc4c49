/** An npm package that an agent comes in, at the version that this host was tried with. */
export interface AgentPackage {
  readonly name: string;
  readonly version: string;
  /** Bytes on disk, about. */
  readonly sizeHint?: number;
  /** Packages among those installed whose install scripts are run. Those of all others are not. */
  readonly scripts?: readonly string[];
}
