-- `provision#version` of all that this declaration lists as granted. Null: sent before this was recorded.
alter table declaration add column granted text[];
