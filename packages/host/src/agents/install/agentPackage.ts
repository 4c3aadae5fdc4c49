/** An agent's npm package, in the version that this host was tested with. */
export interface AgentPackage {
  readonly name: string;
  readonly version: string;
  /** Approximate bytes on disk. */
  readonly sizeHint?: number;
  /** The packages whose install scripts are run. All other install scripts are skipped. */
  readonly scripts?: readonly string[];
}
