-- The host went back: it reports, later than the report that is kept, that it is where it was before. Null: it did not.
alter table account add column reverted jsonb;
