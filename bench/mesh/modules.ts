/** A resource that costs nothing to apply: one small file whose text comes from the assignment. */
export const notesModule = {
  "notes/mesh.yaml": `module: notes
language: files
files:
  - path: notes.txt
    text: "\${config.text}"
config:
  text: first
`,
};

/** A provider of databases on a server that runs already, and a consumer of one: no services, so no starts in the times. */
export const databaseModules = {
  "databases/mesh.yaml": `module: databases
language: files
provides:
  - kind: postgresql
    port: "\${config.port}"
    admin: "127.0.0.1:\${config.port}"
    adminUser: "\${config.adminUser}"
    adminPasswordFile: "\${config.passwordFile}"
`,
  "consumer/mesh.yaml": `module: consumer
language: files
requires:
  - name: database
    kind: postgresql
`,
};
