-- Which module a newer commit waits for, so that a person can be told.
alter table module add column held_for text;
