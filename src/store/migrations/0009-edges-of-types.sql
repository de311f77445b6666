-- An edge that every import makes for types alone: said where imports go round.
alter table module_edge add column types_only boolean not null default false;
