-- Whether who asked for a push agreed that a node may lose most of what it runs: kept, so that a push that Temporal lost
-- is begun again as it was asked for.
alter table push add column confirm_removal boolean not null default false;
