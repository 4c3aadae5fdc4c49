import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWalPages } from '../../src/sessionIndex/walPages.js';

const PAGE_SIZE = 4_096;
const HEADER = 32;
const FRAME = 24 + PAGE_SIZE;

describe('the write-ahead log of SQLite', () => {
  let folder: string;
  let wal: Buffer;
  const path = () => join(folder, 'damaged-wal');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agenthost-wal-'));
    const database = new DatabaseSync(join(folder, 'some.sqlite'));
    database.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      CREATE TABLE texts (text TEXT)`);
    const insert = database.prepare('INSERT INTO texts VALUES (?)');
    for (let n = 0; n < 100; n++) insert.run(`${n} `.repeat(1_000));
    wal = readFileSync(join(folder, 'some.sqlite-wal'));
    database.close();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const frames = () => (wal.length - HEADER) / FRAME;
  const read = () => {
    writeFileSync(path(), wal);
    return readWalPages(path(), PAGE_SIZE);
  };

  it('has the newest checksum of each page', () => {
    const newest = new Map<number, number>();
    for (let at = HEADER; at < wal.length; at += FRAME) {
      newest.set(wal.readUInt32BE(at), crc32(wal.subarray(at + 24, at + FRAME)));
    }
    // It is read in several pieces.
    expect(frames()).toBeGreaterThan(128);
    expect(read()).toEqual({ sums: newest, pageCount: Math.max(...newest.keys()) });
  });

  it('ends before a frame that is not as it was written', () => {
    const middle = HEADER + Math.floor(frames() / 2) * FRAME;
    const whole = read()?.sums.size ?? 0;
    wal[middle + 1_000] = (wal[middle + 1_000] ?? 0) ^ 1;
    expect(read()?.sums.size).toBeLessThan(whole);
  });

  it('makes the database no larger than SQLite said', () => {
    const { pageCount = 0 } = read() ?? {};
    const last = HEADER + (frames() - 1) * FRAME;
    wal.writeUInt32BE(0xffff_fff0, last + 4);
    expect(read()?.pageCount).toBeLessThanOrEqual(pageCount);
  });

  it('is nothing when its header is damaged, or it is shorter', () => {
    wal[20] = (wal[20] ?? 0) ^ 1;
    expect(read()).toBeUndefined();
    wal = wal.subarray(0, 20);
    expect(read()).toBeUndefined();
    wal = wal.subarray(0, 0);
    expect(read()).toBeUndefined();
  });
});
