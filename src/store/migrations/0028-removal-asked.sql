-- Written first by whoever takes a node away, who may write nothing else of a mesh: it waits for the pushes at the gate.
alter table mesh add column removal_asked_at timestamptz;
