-- Whether anybody changed a module is asked at every look, by its row alone. What a module's files were found to say is
-- wide, and is kept beside the row, so that a look goes through little.
alter table module set (toast_tuple_target = 256);
