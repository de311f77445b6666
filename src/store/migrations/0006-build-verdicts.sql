-- The same environment failure again and again is a condition (R33): since when, and how often.
alter table build add column class_since timestamptz;
alter table build add column class_count integer not null default 0;

-- A worker says that it still builds; one that says nothing for long is lost.
alter table build add column seen_at timestamptz;

-- The whole log of the newest attempt, in the artifact store.
alter table build add column log_blob text;
alter table build add column log_bytes bigint;

-- What a build printed lately, for who follows it: bounded per build, swept when it is old.
create table build_log (
  mesh text not null references mesh (name),
  module text not null,
  inputs text not null,
  attempt integer not null,
  part integer not null,
  text text not null,
  at timestamptz not null default now(),
  primary key (mesh, module, inputs, attempt, part)
);
create index build_log_at on build_log (mesh, at);
