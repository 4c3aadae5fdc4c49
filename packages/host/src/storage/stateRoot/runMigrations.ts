import { errorMessage } from '@agenthost/protocol/internal';
import type { Migration } from './migrations.js';
import { finishBackups, makeBackup } from './stateBackup.js';
import { FIRST_VERSION, VERSION_FILE, writeStateVersion } from './stateVersion.js';

const backupName = (version: number) => `version-${version}`;

/** A step failed: the version is still the one before it, and a copy of that exists. */
export class MigrationError extends Error {
  constructor(from: number, step: Migration, backup: string, cause: unknown) {
    const reason = errorMessage(cause);
    super(
      `it could not be brought from version ${from} to ${from + 1} (${step.what}): ${reason}; as it was it is in ${backup}`,
      { cause },
    );
    this.name = 'MigrationError';
  }
}

/** Migrates step by step to the newest version. The caller must hold the state root's lock. */
export async function runMigrations(
  stateRoot: string,
  from: number,
  migrations: readonly Migration[],
  tell: (message: string) => void = () => {},
): Promise<void> {
  const newest = FIRST_VERSION + migrations.length;
  for (const [n, step] of migrations.slice(from - FIRST_VERSION).entries()) {
    const version = from + n;
    const backup = await makeBackup(stateRoot, backupName(version), [VERSION_FILE, ...step.entries]);
    tell(`${stateRoot} is brought from version ${version} to ${version + 1}: ${step.what}`);
    try {
      await step.run(stateRoot);
    } catch (error) {
      throw new MigrationError(version, step, backup, error);
    }
    await writeStateVersion(stateRoot, version + 1);
  }
  const isDone = (name: string) => Number(name.slice(backupName(0).length - 1)) < newest;
  const kept = await finishBackups(stateRoot, isDone, new Date());
  for (const backup of kept) tell(`what it was before is kept in ${backup}`);
}
