-- What was sent to a node that was removed goes in time too, and up to where is kept: a node of that name may be added again,
-- and the host that it had may be enrolled for it with what it has.
alter table pruned_declaration
  drop constraint pruned_declaration_mesh_node_fkey,
  add foreign key (mesh) references mesh (name);
