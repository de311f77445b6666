-- Whom each round of a push is to tell, and why: histories hold counts, rows hold names.
create table push_target (
  mesh text not null,
  push text not null,
  round integer not null,
  position integer not null,
  node text not null,
  why text not null,
  primary key (mesh, push, round, node),
  foreign key (mesh, push) references push (mesh, id) on delete cascade
);
create unique index push_target_position on push_target (mesh, push, round, position);

-- Why a module's source cannot be built as it is: a manifest refused, an import that nobody publishes.
alter table module add column problem text;
