-- What is asked again and again, of tables that only grow: without these each question reads all of a table.
-- The last that pushes made of a node: for every node, each time that anybody looks at the mesh.
create index told_node on told (mesh, node, at desc, round desc);
-- Pushes that have not ended, every few seconds; the newest ones, for people.
create index push_open on push (mesh, opened_at) where ended_at is null;
create index push_opened on push (mesh, opened_at desc, id);
-- Builds without a verdict that counts, at every look and every plan.
create index build_open on build (mesh, state) where state in ('building', 'outstanding');
-- The newest wave, and those that go on.
create index wave_started on wave (mesh, started_at desc);
create index wave_open on wave (mesh) where ended_at is null;
-- Deliveries that are old enough to be forgotten.
create index webhook_delivery_received on webhook_delivery (mesh, received_at);
