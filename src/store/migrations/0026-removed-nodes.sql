-- Names that were nodes of the mesh: a host that still calls by one is told that it was removed, and people are told of it.
-- Numbers are the mesh's (mesh.number), so that a node of that name is never sent a lower one when it is added again.
create table removed_node (
  mesh text not null references mesh (name),
  name text not null,
  incarnation text,                  -- of the host that it had; null: none enrolled
  removed_at timestamptz not null default now(),
  removed_by text not null,
  primary key (mesh, name)
);
