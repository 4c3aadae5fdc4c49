/** One step from a version of the schema to the next. Expand first, contract one release later: two versions run side by side. */
export interface SchemaStep {
  readonly sql: string;
  /** The oldest version of the host that may run on it. */
  readonly minHost: number;
}

/** From this version on sessions have spaces. */
export const SCHEMA_WITH_SPACES = 2;

/** Counts sessions by kind, so that a total takes no counting. In order: two hosts must not wait for each other. */
function countKinds(name: string, event: 'insert' | 'update' | 'delete'): string {
  const rows = {
    insert: 'select *, 1 as d from added',
    update: 'select *, 1 as d from added union all select *, -1 from gone',
    delete: 'select *, -1 as d from gone',
  }[event];
  const tables = {
    insert: 'new table as added',
    update: 'old table as gone new table as added',
    delete: 'old table as gone',
  }[event];
  return `
create function ${name}() returns trigger language plpgsql set search_path to agenthost as $$
begin
  insert into kind_count as k
    select provider, status, is_read, is_archived, workspace, sum(d) from (${rows}) as changed
    group by 1, 2, 3, 4, 5 having sum(d) <> 0 order by 1, 2, 3, 4, 5
    on conflict (provider, status, is_read, is_archived, workspace) do update set n = k.n + excluded.n;
  return null;
end $$;
create trigger ${name} after ${event} on summary referencing ${tables} for each statement execute function ${name}();`;
}

const INDEX = `
create table summary (
  session text primary key references session (id) on delete cascade,
  resource text not null unique,
  provider text not null,
  title text not null,
  modified_at float8 not null,
  status text not null,
  is_read boolean not null,
  is_archived boolean not null,
  -- Empty for none.
  workspace text not null,
  summary text not null
) with (fillfactor = 80);
create index summary_by_time on summary (modified_at desc, resource collate "C" desc);
create index summary_by_workspace on summary (workspace, modified_at desc, resource collate "C" desc);
create index summary_at_work on summary (status) where status in ('inProgress', 'inputNeeded');
create table kind_count (
  provider text not null,
  status text not null,
  is_read boolean not null,
  is_archived boolean not null,
  workspace text not null,
  n bigint not null,
  primary key (provider, status, is_read, is_archived, workspace)
);
-- The texts of a session: its title under an empty name, and its turns. words has their words, folded and with spaces around each.
create table turn_text (
  session text not null references session (id) on delete cascade,
  turn text not null,
  body text not null,
  words text not null,
  lexemes tsvector not null,
  primary key (session, turn)
);
create index turn_text_lexemes on turn_text using gin (lexemes);
${(['insert', 'update', 'delete'] as const).map((event) => countKinds(`count_${event}`, event)).join('\n')}
`;

function countKindsOfSpaces(event: 'insert' | 'update' | 'delete'): string {
  const rows = {
    insert: 'select *, 1 as d from added',
    update: 'select *, 1 as d from added union all select *, -1 from gone',
    delete: 'select *, -1 as d from gone',
  }[event];
  return `
create or replace function count_${event}() returns trigger language plpgsql set search_path to agenthost as $$
begin
  insert into kind_count_all as k (space, provider, status, is_read, is_archived, workspace, n)
    select space, provider, status, is_read, is_archived, workspace, sum(d) from (${rows}) as changed
    group by 1, 2, 3, 4, 5, 6 having sum(d) <> 0 order by 1, 2, 3, 4, 5, 6
    on conflict (space, provider, status, is_read, is_archived, workspace) do update set n = k.n + excluded.n;
  return null;
end $$;`;
}

/**
 * Hosts that know no spaces read and write under the old names, and see and make only what is in `default`: whatever they list, open
 * or let in. So they may run beside hosts that do.
 */
const SPACES = `
lock table host, session, summary, kind_count, token in access exclusive mode;
alter table host add column knows_spaces boolean not null default false;
alter table session rename to session_all;
alter table session_all add column space text not null default 'default';
alter table summary rename to summary_all;
alter table summary_all add column space text not null default 'default';
drop index summary_by_time;
create index summary_by_time on summary_all (space, modified_at desc, resource collate "C" desc);
drop index summary_by_workspace;
create index summary_by_workspace on summary_all (space, workspace, modified_at desc, resource collate "C" desc);
alter table kind_count rename to kind_count_all;
alter table kind_count_all add column space text not null default 'default';
alter table kind_count_all drop constraint kind_count_pkey;
alter table kind_count_all add primary key (space, provider, status, is_read, is_archived, workspace);
alter table token rename to token_all;
alter table token_all add column space text not null default 'default';
${(['insert', 'update', 'delete'] as const).map(countKindsOfSpaces).join('\n')}
-- A host without spaces would look for a session that it can't see again and again.
create function refuse_taken() returns trigger language plpgsql set search_path to agenthost as $$
begin
  if exists (select 1 from session_all where id = new.id and space <> new.space) then
    raise unique_violation using message = 'a session of another space has this id';
  end if;
  return new;
end $$;
create trigger refuse_taken before insert on session_all for each row execute function refuse_taken();
create view session as
  select id, place, epoch, claim, owner, log_gen, log_size, log_mtime, log_birthtime, indexed_size
  from session_all where space = 'default';
create view summary as
  select session, resource, provider, title, modified_at, status, is_read, is_archived, workspace, summary
  from summary_all where space = 'default';
create view kind_count as
  select provider, status, is_read, is_archived, workspace, n from kind_count_all where space = 'default';
create view token as
  select id, name, role, sha256, created_at, used_at from token_all where space = 'default';
`;

/** The first one makes version 1. A step that was released is never changed. */
export const SCHEMA_STEPS: readonly SchemaStep[] = [
  {
    minHost: 1,
    sql: `
create table host (
  id text primary key,
  place text not null,
  machine text not null,
  state_dir text not null,
  version text not null,
  url text,
  link_key text not null,
  draining boolean not null default false,
  beat bigint not null default 0,
  started_at timestamptz not null default now()
) with (fillfactor = 50);
create table session (
  id text primary key,
  -- The machines that have its folder; empty where that is not known.
  place text not null default '',
  epoch bigint not null default 0,
  claim bigint not null default 0,
  owner text,
  log_gen bigint,
  log_size bigint not null default 0,
  log_mtime float8 not null default 0,
  log_birthtime float8 not null default 0,
  -- How far the index has read the log; less than nothing where it has to be read again.
  indexed_size bigint not null default -1
) with (fillfactor = 60);
create index session_owner on session (owner) where owner is not null;
create index session_unsettled on session (id) where indexed_size <> log_size;
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
create sequence server_seq increment by 100000;
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
${INDEX}
create table token (
  id text primary key,
  name text not null unique,
  role text not null,
  sha256 text not null,
  created_at float8 not null,
  used_at float8
);
create table secret (name text primary key, value text not null);
create table trust (
  place text not null,
  folder text not null,
  at timestamptz not null default now(),
  primary key (place, folder)
);
`,
  },
  { minHost: 1, sql: SPACES },
  {
    minHost: 1,
    sql: `
create table push_device (
  id text primary key,
  token_id text not null,
  token_mark text not null,
  endpoint text not null,
  p256dh text not null,
  auth text not null,
  notify text not null,
  created_at float8 not null
);
`,
  },
  {
    minHost: 1,
    sql: `
-- Who uses the device of a token.
alter table token_all add column person text;
-- Codes that pair devices, by their hash.
create table one_time_code (
  key text primary key,
  record text not null,
  expires_at float8 not null
);
`,
  },
  {
    minHost: 1,
    sql: `
-- Read-only links. A table of their own: a host that knows none would let their holders see everything.
create table link_token (
  id text primary key,
  name text not null,
  role text not null,
  space text not null,
  sha256 text not null,
  created_at float8 not null,
  used_at float8,
  person text,
  session text not null,
  ends_at float8 not null
);
`,
  },
  {
    minHost: 1,
    sql: `
-- Who did what, of all hosts. The oldest rows go when there are too many.
create table audit (
  id bigint generated always as identity primary key,
  space text not null,
  session text,
  entry text not null
);
create index audit_by_space on audit (space, id);
`,
  },
  {
    minHost: 1,
    sql: `
-- The keys of requests to the API, by their hash.
create table api_key (
  id text primary key,
  record text not null,
  at float8 not null
);
create index api_key_by_time on api_key (at);
`,
  },
  {
    minHost: 1,
    sql: `
-- Webhooks, how far each was told of each session, and which host delivers.
create table webhook (
  id text primary key,
  record text not null,
  created_at float8 not null
);
create table webhook_place (
  webhook text not null,
  session text not null references session_all (id) on delete cascade,
  cursor text,
  -- The log up to there was told, or is not to be told.
  bytes bigint not null,
  primary key (webhook, session)
);
create index webhook_place_by_session on webhook_place (session);
create table webhook_lease (
  id int primary key,
  host text not null,
  ends_at timestamptz not null
);
`,
  },
];
