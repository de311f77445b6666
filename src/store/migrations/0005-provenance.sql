-- How each artifact was built: the digest of a signed statement in the artifact store. Several builds can give one artifact.
create table provenance (
  mesh text not null references mesh (name),
  module text not null,
  inputs text not null,
  artifact text not null,
  commit text not null,              -- that was built: other commits can have the same inputs
  statement text not null,           -- digest of the envelope's bytes
  referrer text not null,            -- digest of the OCI manifest whose subject is the artifact's
  kept_at timestamptz not null default now(),
  primary key (mesh, module, inputs, artifact, statement)
);
create index provenance_artifact on provenance (mesh, module, artifact);

-- The second build of what came out fit: compared, never delivered. `due` is what is still to be done.
create table build_check (
  mesh text not null references mesh (name),
  module text not null,
  inputs text not null,
  artifact text not null,            -- of the first build
  why text not null,                 -- why these inputs are built twice
  state text not null default 'due' check (state in ('due', 'same', 'differs')),
  second text,                       -- digest of what the second build gave
  files jsonb not null default '[]', -- which differ, and how
  attempts integer not null default 0,
  next_try_at timestamptz not null default now(),
  failure text,                      -- why the second build could not run, the last time
  varied jsonb not null default '[]',
  added_at timestamptz not null default now(),
  checked_at timestamptz,
  primary key (mesh, module, inputs)
);
create index build_check_due on build_check (mesh, next_try_at) where state = 'due';

-- Collecting: what was packed again lately is in use; what was collected must be built again when it is wanted.
alter table artifact add column packed_at timestamptz not null default now();
alter table artifact add column collected_at timestamptz;
