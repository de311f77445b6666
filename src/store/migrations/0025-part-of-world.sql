-- A batch under the gate reads what its nodes are composed of, and who may provide for them: never all of a mesh.
create index provision_consumer on provision (mesh, consumer_node);
create index assignment_module on assignment (mesh, module, node);
create index declaration_offering on declaration (mesh, node) where offers <> '[]';
create index artifact_providing on artifact (mesh, module, digest) where manifest @> '{"provides": [{}]}';
