-- Up to where declarations of a node were pruned: a host that was put back to one of those is no sign that records were lost.
create table pruned_declaration (
  mesh text not null,
  node text not null,
  epoch bigint not null,
  number bigint not null,
  primary key (mesh, node),
  foreign key (mesh, node) references node (mesh, name) on delete cascade
);
-- What was read from a file goes after a time, and is read again where it is wanted.
alter table blob_imports add column kept_at timestamptz not null default now();
