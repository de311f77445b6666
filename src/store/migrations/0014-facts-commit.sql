-- The commit of a branch that all its modules are known at, but for those with a newer one that waits: a commit that moves one
-- module of a thousand writes one row, and this. It counts where it is the compared commit too.
alter table source_head add column facts_commit text;
alter table source_head add column facts_commit_at timestamptz;
alter table source_head add column facts_subject text;
alter table source_head add column facts_at timestamptz;
