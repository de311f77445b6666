-- Digest of the third-party packages that a module's lock file resolves: part of its closure.
alter table module add column third_parties text;

-- The first commit that was compared with this source, {id, subject, at}: a reason names it. The commit compared last may
-- touch other paths only. `moves`: how often comparisons saw another source; the difference is how far behind a build is.
alter table module add column moved jsonb;
alter table module add column moves bigint not null default 0;
alter table build add column moved jsonb;
alter table build add column moves bigint;

-- What the builder noticed, beside its verdict.
alter table build add column findings jsonb not null default '[]';

-- Which build an artifact came from is asked for every dependency that moved.
create index build_artifact on build (mesh, module, artifact) where artifact is not null;

-- What the controller builds with: who explains a plan elsewhere must use the same, not what its own machine has.
create table build_surroundings (
  mesh text primary key references mesh (name),
  toolchains jsonb not null,
  builders jsonb not null,
  settings jsonb not null,           -- by repository: settings of the mesh that reach its builds
  recorded_at timestamptz not null default now()
);
