-- When the provider's host first read it back, and since when what it reads lacks it again. Both null: it never said that it was made.
alter table provision add column made_at timestamptz;
alter table provision add column missed_since timestamptz;
-- What hosts say now. What a report of the moment leaves out (a host that has just started) is known with the next one.
update provision p set made_at = a.received_at
  from account a, jsonb_array_elements(a.report -> 'resources') r,
       jsonb_to_recordset(coalesce(r -> 'provisions', '[]')) as g(provision text, version integer)
 where p.state = 'issued' and a.mesh = p.mesh and a.node = p.provider_node and a.incarnation = p.provider_incarnation
   and g.provision = p.id and g.version = p.version;
