-- Since when each report about the declaration says that it is applied. Null: the last one does not, or from before this was kept.
alter table account add column applied_since timestamptz;
