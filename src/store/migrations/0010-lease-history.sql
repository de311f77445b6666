-- How each grant ended and who took it, and who waits for the lease. Grants from before say nothing of it.
alter table epoch_grant add column role text not null default 'controller' check (role in ('controller', 'shell'));
alter table epoch_grant add column ended text check (ended in ('given-back', 'taken-over'));
alter table epoch_grant add column ended_at timestamptz;
alter table epoch_grant add column last_renewed_at timestamptz; -- of one that was taken over: as its successor saw it

create table standby (
  mesh text not null references mesh (name),
  holder text not null,
  since timestamptz not null,
  last_seen timestamptz not null,     -- who died is known by the age of this
  primary key (mesh, holder)
);
