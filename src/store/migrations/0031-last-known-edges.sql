-- An edge that the module's newest source does not show, because not all of it could be read: as it was last known.
alter table module_edge add column last_known boolean not null default false;
