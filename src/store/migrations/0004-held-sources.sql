-- Since when a module is behind without a verdict: what starves is let to its end before newer commits are taken.
alter table module add column behind_since timestamptz;
-- A newer commit that was looked at and not taken yet, because what is built against it waits for its verdict.
alter table module add column held_commit text;
