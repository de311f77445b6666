-- What a module's facts were read from: while that is the same nothing is read again, by no process.
alter table module add column known jsonb;
