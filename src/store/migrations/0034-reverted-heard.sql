-- When the host that went back last said so: its account, which stays, is as old as what it had before. Null: not known.
alter table account add column reverted_heard_at timestamptz;
