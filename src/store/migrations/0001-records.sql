-- The mesh's records. One row of `mesh` is the gate of the one transaction: see store/README.md.
create table mesh (
  name text primary key,
  number bigint not null default 0 check (number >= 0),
  epoch bigint not null default 0 check (epoch >= 0),
  epoch_floor bigint not null default 0,
  created_at timestamptz not null default now()
);

create table epoch_grant (
  mesh text not null references mesh (name),
  epoch bigint not null,
  holder text not null,
  granted_at timestamptz not null default now(),
  primary key (mesh, epoch)
);

create table lease (
  mesh text primary key references mesh (name),
  holder text,                       -- null: given back
  epoch bigint not null,
  age_ms integer not null,
  beat bigint not null default 0,    -- rises with every renewal; a candidate watches it, never a clock
  taken_at timestamptz not null,
  renewed_at timestamptz not null
);

create table repository (
  mesh text not null references mesh (name),
  name text not null,
  url text not null,
  registered_at timestamptz not null default now(),
  primary key (mesh, name)
);

-- The tip of each branch that some module follows. `looked_at`: how old our knowledge is.
create table source_head (
  mesh text not null,
  repository text not null,
  branch text not null,
  commit text,
  looked_at timestamptz,
  compared_commit text,              -- the tip the last whole comparison saw
  failing_since timestamptz,
  failure text,
  primary key (mesh, repository, branch),
  foreign key (mesh, repository) references repository (mesh, name)
);

create table module (
  mesh text not null references mesh (name),
  name text not null,
  repository text not null,
  branch text not null,
  path text not null,
  registered_at timestamptz not null default now(),
  -- as the last comparison saw it
  source_commit text,
  source_commit_at timestamptz,
  source_subject text,
  tree text,
  manifest jsonb,
  findings jsonb not null default '[]',
  wanted_inputs text,                -- null: cannot be known yet (a dependency is not fit), or not compared
  standing text not null default 'new',  -- current | out-of-date | waiting | unfit | outstanding | building | new | broken
  standing_why text not null default '',
  fit_inputs text,
  fit_artifact text,
  compared_at timestamptz,
  primary key (mesh, name),
  foreign key (mesh, repository) references repository (mesh, name)
);

create table module_edge (
  mesh text not null,
  module text not null,
  dependency text not null,
  kind text not null check (kind in ('build', 'test')),
  file text not null,
  line integer not null,
  primary key (mesh, module, dependency, kind),
  foreign key (mesh, module) references module (mesh, name) on delete cascade
);

-- Imports by blob id and reader version: parsing is the whole cost of a comparison.
create table blob_imports (
  blob text not null,
  reader text not null,
  imports jsonb not null,
  primary key (blob, reader)
);

create table artifact (
  mesh text not null references mesh (name),
  module text not null,
  digest text not null,
  blob text not null,
  blob_bytes bigint not null,
  files integer not null,
  manifest jsonb not null,
  built_at timestamptz not null default now(),
  primary key (mesh, module, digest)
);

create table build (
  mesh text not null references mesh (name),
  module text not null,
  inputs text not null,
  closure jsonb not null,
  commit text not null,
  state text not null check (state in ('building', 'fit', 'unfit', 'outstanding')),
  claimant text not null,            -- who builds it now, e.g. a workflow id
  artifact text,
  stage text,
  class text,
  message text not null default '',
  log_tail text not null default '',
  attempts integer not null default 0,
  next_try_at timestamptz,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (mesh, module, inputs)
);

-- One comparison that found work: what was announced is what is accounted for (R9).
create table wave (
  mesh text not null references mesh (name),
  id text not null,
  reason text not null,
  announced jsonb not null,
  accounted jsonb not null default '{}',
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (mesh, id)
);

create table node (
  mesh text not null references mesh (name),
  name text not null,
  address text not null,
  incarnation text,
  sign_key text,
  seal_key text,
  registered_at timestamptz not null default now(),
  enrolled_at timestamptz,
  last_contact_at timestamptz,
  refused_reports integer not null default 0,  -- here and not in account: the first report can be refused too
  primary key (mesh, name)
);

create table enrolment_token (
  hash text primary key,             -- sha256 of the secret: the token itself is shown once and kept nowhere
  mesh text not null,
  node text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (mesh, node) references node (mesh, name) on delete cascade
);

create table assignment (
  mesh text not null,
  node text not null,
  module text not null,
  config jsonb not null default '{}',
  providers jsonb not null default '{}',
  assigned_at timestamptz not null default now(),
  primary key (mesh, node, module),
  foreign key (mesh, node) references node (mesh, name),
  foreign key (mesh, module) references module (mesh, name)
);

create table provision (
  mesh text not null references mesh (name),
  id text not null,
  version integer not null check (version > 0),
  kind text not null,
  consumer_node text not null,
  consumer_module text not null,
  requirement text not null,
  provider_node text not null,
  provider_module text not null,
  provider_incarnation text not null,
  name text not null,
  state text not null check (state in ('issued', 'owed', 'withdrawn')),
  minted_by text not null,           -- push id
  minted_at timestamptz not null default now(),
  withdrawn_by text,
  withdrawn_at timestamptz,
  told_epoch bigint,                 -- the first declaration to the provider's node that no longer lists it
  told_number bigint,
  confirmed_at timestamptz,          -- the provider read back that it is gone, at that declaration or later
  primary key (mesh, id, version)
);
create unique index provision_live on provision (mesh, id) where state = 'issued';
create index provision_provider on provision (mesh, provider_node) where state <> 'withdrawn';

-- Credentials, sealed to one host's key: no clear secret is ever in a table (R46).
create table sealed_box (
  mesh text not null,
  provision text not null,
  version integer not null,
  node text not null,
  incarnation text not null,
  box text not null,
  primary key (mesh, provision, version, node, incarnation),
  foreign key (mesh, provision, version) references provision (mesh, id, version)
);

create table push (
  mesh text not null references mesh (name),
  id text not null,
  kind text not null check (kind in ('named', 'behind', 'all', 'auto', 'declare')),
  named jsonb not null,
  requested_by text not null,
  why text not null default '',
  opened_at timestamptz not null default now(),
  baseline_at timestamptz,           -- set once: a retry after the named compose must not move the baseline
  ended_at timestamptz,
  result jsonb,
  primary key (mesh, id)
);

-- Digest of what each node should have been, before the named compose (R18). Null: not worked out.
create table push_baseline (
  mesh text not null,
  push text not null,
  node text not null,
  digest text,
  primary key (mesh, push, node),
  foreign key (mesh, push) references push (mesh, id) on delete cascade
);

-- The mailbox and the record of a send: one row, one commit (R28).
create table declaration (
  mesh text not null references mesh (name),
  node text not null,
  epoch bigint not null,
  number bigint not null,
  digest text not null,
  incarnation text not null,
  envelope bytea not null,
  builds jsonb,                      -- null only for sends recorded before builds were
  offers jsonb not null default '[]',
  push text not null,
  round integer not null,
  why text not null,
  issued_at timestamptz not null,
  stale_after timestamptz not null,
  primary key (mesh, node, epoch, number)
);
create unique index declaration_order on declaration (mesh, epoch, number);

create table told (
  mesh text not null,
  push text not null,
  round integer not null,
  node text not null,
  outcome text not null check (outcome in ('sent', 'already-current', 'held', 'not-worked-out', 'needs-confirmation')),
  why text not null,
  epoch bigint,
  number bigint,
  digest text,
  at timestamptz not null default now(),
  primary key (mesh, push, round, node),
  foreign key (mesh, push) references push (mesh, id) on delete cascade
);

-- The latest report kept from each node, and what repeats in it (R32, R38).
create table account (
  mesh text not null,
  node text not null,
  incarnation text not null,
  epoch bigint not null,
  number bigint not null,
  boot bigint not null,
  sequence bigint not null,
  digest text,
  outcome text not null,
  report jsonb not null,
  received_at timestamptz not null,
  failing jsonb not null default '[]',  -- sorted ids of the resources that fail
  failing_since timestamptz,
  failing_count integer not null default 0,
  no_success_count integer not null default 0,
  no_success_since timestamptz,
  primary key (mesh, node),
  foreign key (mesh, node) references node (mesh, name) on delete cascade
);

create table condition (
  mesh text not null references mesh (name),
  code text not null,
  subject text not null,
  message text not null,
  remedy text not null,
  urgent boolean not null default false,
  since timestamptz not null,
  last_seen timestamptz not null,
  count integer not null default 1,
  primary key (mesh, code, subject)
);

create table webhook_delivery (
  mesh text not null,
  source text not null,
  delivery text not null,
  received_at timestamptz not null default now(),
  primary key (mesh, source, delivery)
);
