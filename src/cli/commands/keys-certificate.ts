import { existsSync } from "node:fs";
import { formerAuthorityFileOf, putOffAuthorityEnd, readAuthority } from "../../link/authority-end.ts";
import { lifeOf, subjectsOf } from "../../link/certificate-authority.ts";
import { makeGatewayCertificate, subjectsOfGateway } from "../../link/gateway-certificate.ts";
import type { CommandDefinition } from "../command.ts";
import { findPaths, pathOption } from "../keys/root-files.ts";
import { certificateFilesOf, readMeshSetup } from "../mesh-setup.ts";

const help = `
Where the gateway is: makes its certificate and key anew, signed by the mesh's certificate authority. A controller that runs uses
it within half a minute, without a restart. A controller that has the authority's key does that by itself, a month before the end;
this is for one that has not. No database and no network are needed.

--renew-authority puts off the end of the authority itself: the same key gets a certificate for ten more years. Hosts that
have enrolled go on by the one that they know until that ends: each enrols again before, in its own folder, with a new token.

Examples:
  mesh keys certificate --authority-key /media/stick/authority-key.pem
  mesh keys certificate --renew-authority`;

export const keysCertificateCommand: CommandDefinition = {
  configure: (command) => {
    command
      .option("--authority-key <file>", "the authority's key (else secrets/authority-key.pem of the state folder)")
      .option("--renew-authority", "put off the end of the authority, too")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const paths = findPaths(call);
    const given = pathOption(call, "authorityKey");
    const files = { ...certificateFilesOf(paths), ...(given === null ? {} : { authorityKeyFile: given }) };
    const { gateway } = await readMeshSetup(paths.root);
    const nowMs = call.context.now().getTime();
    const renews = call.options["renewAuthority"] === true;
    const authority = renews ? await putOffAuthorityEnd(files, nowMs) : await readAuthority(files);
    const made = await makeGatewayCertificate({ ...files, ...subjectsOfGateway(gateway.host), nowMs }, authority);
    const subjects = subjectsOf(made.certPem);
    const until = new Date(lifeOf(made.certPem).endsMs).toISOString();
    const authorityUntil = new Date(lifeOf(authority.certPem).endsMs).toISOString();
    const former = existsSync(formerAuthorityFileOf(files)) ? formerAuthorityFileOf(files) : null;
    return {
      code: 0,
      document: { certificate: files.certificateFile, until, ...subjects, authorityUntil, authorityBefore: former },
      text: [
        `a new certificate of the gateway is in ${files.certificateFile}: until ${until}, for ${[...subjects.names, ...subjects.addresses].join(", ")}`,
        "a controller that runs uses it within half a minute",
        ...(renews
          ? [
              `the authority ends at ${authorityUntil}; its certificate before is in ${String(former)}`,
              "  next: where controllers or shells have folders of their own, copy both files into their keys/; then, before the one before ends,",
              "        for each host: mesh host token NODE, and mesh host enrol in its folder (docs/keys.md)",
            ]
          : ["  next: mesh conditions"]),
      ].join("\n"),
    };
  },
};
