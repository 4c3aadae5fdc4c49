/** Who may import whom. ARCHITECTURE.md shows the same table; `imports.test.ts` holds both against the code. */
export const IMPORT_TABLE: Readonly<Record<string, ImportRule>> = {
  'packages/protocol': { may: ['zod'] },
  'packages/rpc': { may: [] },
};

export interface ImportRule {
  /** Packages of this repository and of npm. Type-only imports count too. */
  readonly may: readonly string[];
  /** Whether `node:` modules are allowed; packages without run in browsers as well. */
  readonly node?: boolean;
}
