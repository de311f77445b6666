-- When the tip of a branch was seen first: one that is not compared for long says that how its modules stand cannot be told.
alter table source_head add column commit_seen_at timestamptz;
