-- Hosts have what these records never sent, or the records were restored: nothing is numbered until a person recovers
-- (R35). In the gate's own row, because the UPDATE that takes a number tests it.
alter table mesh add column stopped_at timestamptz;
alter table mesh add column stopped_for text check (stopped_for in ('hosts-ahead', 'restored'));

-- What an enrolled host says that it has, and these records never sent to it: one row for each host.
create table host_claim (
  mesh text not null,
  node text not null,
  incarnation text not null,
  epoch bigint not null,
  number bigint not null,
  digest text,                       -- null: it asked for what is newer, and named no content
  kind text not null check (kind in ('ahead', 'fork')),
  since timestamptz not null default now(),
  heard_at timestamptz not null default now(),
  count integer not null default 1,
  left_out_at timestamptz,           -- a person does not believe it: it stops nothing until the node enrols again
  left_out_by text,
  primary key (mesh, node),
  foreign key (mesh, node) references node (mesh, name) on delete cascade
);

-- Each time that a person went on above what hosts have: who, why, over which words of hosts.
create table recovery (
  mesh text not null references mesh (name),
  epoch bigint not null,             -- above everything that was seen; what is issued later is above it
  number bigint not null,
  recovered_at timestamptz not null default now(),
  recovered_by text not null,
  why text not null,
  stopped_at timestamptz not null,
  stopped_for text not null,
  found jsonb not null,              -- what each host had, as it was shown
  gone_on_without jsonb not null,    -- nodes that were not heard, or not believed
  primary key (mesh, epoch)
);

-- Each time that these records were read in from a backup.
create table restore (
  mesh text not null references mesh (name),
  restored_at timestamptz not null default now(),
  taken_at timestamptz not null,     -- when the backup was made, by the clock of the records it was made of
  restored_by text not null,
  sha256 text not null,              -- of the file
  primary key (mesh, restored_at)
);
