-- Every root document of a mesh by its version: a host walks from the one that it has to the newest. Rows are only added.
create table root_document (
  mesh text not null references mesh (name),
  version bigint not null check (version > 0),
  envelope bytea not null,           -- the exact bytes that were signed: what makes it good is in them
  published_at timestamptz not null default now(),
  primary key (mesh, version)
);
