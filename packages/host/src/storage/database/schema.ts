/** One step from a version of the schema to the next. Expand first, contract one release later: two versions run side by side. */
export interface SchemaStep {
  readonly sql: string;
  /** The oldest version of the host that may run on it. */
  readonly minHost: number;
}

/** The first one makes version 1. A step that was released is never changed. */
export const SCHEMA_STEPS: readonly SchemaStep[] = [
  {
    minHost: 1,
    sql: `
create table session (
  id text primary key,
  epoch bigint not null default 0,
  claim bigint not null default 0,
  owner uuid,
  log_gen bigint,
  log_size bigint not null default 0,
  log_mtime float8 not null default 0,
  log_birthtime float8 not null default 0
) with (fillfactor = 60);
create index session_owner on session (owner) where owner is not null;
create table file (
  session text not null references session (id) on delete cascade,
  path text not null,
  type "char" not null,
  gen bigint,
  size bigint not null,
  mtime float8 not null,
  birthtime float8 not null,
  primary key (session, path)
);
create sequence gen cache 1;
create table chunk (
  gen bigint not null,
  start bigint not null,
  bytes bytea not null,
  primary key (gen, start)
) partition by hash (gen);
${Array.from(
  { length: 16 },
  (_, n) => `create table chunk_${n} partition of chunk for values with (modulus 16, remainder ${n});
alter table chunk_${n} alter column bytes set storage external;`,
).join('\n')}
`,
  },
];
