-- What every node should have been before a push is asked for until the push has ended, and goes with that from now on.
delete from push_baseline b using push p where p.mesh = b.mesh and p.id = b.push and p.ended_at is not null;
