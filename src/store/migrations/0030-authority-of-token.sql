-- A host believes the authority that was in its token, whenever it used that: when that authority ends is kept with the token, and from
-- then on with the node. Null: the token was made before this, or by a command line that is older.
alter table enrolment_token add column authority_ends_at timestamptz;
alter table node add column authority_ends_at timestamptz;
