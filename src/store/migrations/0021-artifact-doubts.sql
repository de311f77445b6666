-- Artifacts that somebody asked about, and those whose files were found lost. `inputs`: of the builds that are run again
-- for it.
create table artifact_doubt (
  mesh text not null references mesh (name),
  module text not null,
  artifact text not null,
  asked_by text not null check (asked_by in ('person', 'build', 'look')),
  asked_at timestamptz not null default now(),
  state text not null default 'asked' check (state in ('asked', 'lost', 'sound')),
  found text not null default '',
  inputs text[] not null default '{}',
  looked_at timestamptz,
  primary key (mesh, module, artifact)
);
