-- Why a module's source could not be read when it had to be: how the module stands cannot be told. Null: it was read.
-- Its standing is kept as 'outstanding', which code of before knows.
alter table module add column unread text;
