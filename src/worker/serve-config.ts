import type { Registries } from "../build/builders/builder.ts";
import type { UnsafeRule } from "../build/open-sandbox.ts";
import type { LeftoverBounds } from "../decide/plan-leftovers.ts";
import type { HostCredentials } from "../source/remote-credentials.ts";
import type { CertificateFiles } from "../link/gateway-certificate.ts";
import type { SandboxLimits } from "../build/sandbox.ts";
import type { LoginRole } from "../store/writers/login.ts";
import type { AskPlace } from "./watch-asks.ts";
import type { TemporalServer } from "./temporal/temporal-server.ts";

/** The addresses of a controller's own logins, one for each side of it. They hold passwords. */
export type DatabaseLogins = Readonly<Record<LoginRole, string>>;

/** By which address one side of the controller connects. */
export function databaseAddress(config: Pick<ServeConfig, "databaseUrl" | "databaseLogins">, role: LoginRole): string {
  return config.databaseLogins?.[role] ?? config.databaseUrl;
}

/** Everything `mesh serve` needs to know: plain values, no secrets but by path or by connection URL. */
export interface ServeConfig {
  readonly mesh: string;
  /** Names this process in the lease and in logs. */
  readonly holder: string;
  /** As the owner of the tables; where there are `databaseLogins`, the controller's. */
  readonly databaseUrl: string;
  /** Null and left out: all three go in as the owner, and take their role. */
  readonly databaseLogins?: DatabaseLogins | null;
  readonly temporal: TemporalServer;
  /** Made by `up` or by the operator, and renewed by the controller where it has the authority's key. */
  readonly gateway: { readonly host: string; readonly port: number } & CertificateFiles;
  readonly keys: {
    readonly declarationKeyFile: string;
    /** Signs how artifacts were built, and nothing else. */
    readonly provenanceKeyFile: string;
    readonly rootFile: string;
  };
  readonly folders: {
    readonly artifacts: string;
    readonly repositories: string;
    /** Scratch space of builds; emptied when they end. */
    readonly builds: string;
    readonly cache: string;
  };
  /** Where commands of this machine ask it. */
  readonly asks: AskPlace;
  /** Folders of this machine whose disks are watched for room. */
  readonly watchedFolders: readonly string[];
  /** Webhook source → secrets that verify it (several while one is being rotated). */
  readonly webhooks: Readonly<
    Record<
      string,
      {
        readonly forge: "github" | "gitlab" | "gitea";
        readonly repository: string;
        readonly secrets: readonly string[];
      }
    >
  >;
  /** Tokens for private repositories, by the exact host of their address. */
  readonly credentials: HostCredentials;
  readonly workflowBundleFile: string;
  readonly pollIntervalMs: number;
  /** How long a declaration counts as fresh (R30). */
  readonly staleAfterMs: number;
  /** A node that reported nothing for this long is *silent*. */
  readonly silentAfterMs: number;
  /** Builds at a time on this machine. */
  readonly buildSlots: number;
  /** A build that nobody reported on for this long is lost. */
  readonly lostAfterMs: number;
  /** Of `ControlDependencies`. */
  readonly starvedAfterMs: number;
  /** The largest clone of one repository, where that is not the default. */
  readonly cloneBytes?: number | undefined;
  /** Whose modules are built without a sandbox where there is none: repositories by name, or all. Shown in `status`. */
  readonly unsafeWithoutSandbox: UnsafeRule;
  /** Where third-party packages come from, where that is not each language's own public registry. */
  readonly registries?: Partial<Registries> | undefined;
  /** What one step of a build may use, where that is not the default. */
  readonly buildLimits?: Partial<SandboxLimits> | undefined;
  /** Instead of the default bounds. */
  readonly leftovers?: Partial<LeftoverBounds> | undefined;
  /** For how long history is kept, where that is not the default. */
  readonly history?: { readonly days?: number; readonly last?: number } | undefined;
  /** Starts every generated password, so that a search can prove that none of them leaks. */
  readonly passwordPrefix: string;
  readonly logLevel: "debug" | "info" | "warn" | "error";
}
