-- When a source was last asked and did not answer: only that says whether it was asked since somebody wanted to know.
alter table source_head add column failed_at timestamptz;
