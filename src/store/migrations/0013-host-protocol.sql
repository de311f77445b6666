-- What the node's host speaks: 2 keeps order, 1 does not (R37). Every host from before this column speaks 2.
alter table node add column protocol integer not null default 2 check (protocol > 0);
