import type { CommandDefinition } from "../command.ts";
import { parseNames, parseSeconds } from "../arguments.ts";
import { expectApart, expectBeside } from "../expect-options.ts";

const help = `
What is built is found by comparing sources with artifacts, never by being asked for: this only has the controller look
now, and shows how the modules stand. Modules named limit what is shown and waited for.

--again builds the newest fit artifacts again from the inputs they had. One whose files are lost or damaged is put back where
the same comes out; one that is there stays as it is, and the files that come out otherwise are named. It waits.

Exit code: 0 all current, 1 pending (or not looked at yet), 2 unfit or broken (--again: differs), 3 cannot tell: a source
does not answer.

Examples:
  mesh build
  mesh build meshboard --wait
  mesh build meshboard --follow
  mesh build meshboard --again         its artifact is lost, or doubted
  mesh build --behind --dry-run        what may be rebuilt, and by which commit; a running controller answers sooner`;

export const buildCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("[modules...]", "only these; all when left out")
      .option("--behind", "only those whose source is ahead of their artifact")
      .option("--dry-run", "only say what would be built now and why; reads the sources, changes nothing")
      .option("--alone", "with --dry-run: work it out in this process, and ask no running controller")
      .option("--again", "build what is fit again from the same inputs: puts back what is lost, compares the rest")
      .option("--wait", "wait until each has a verdict")
      .option("--follow", "wait, and show what the builds print")
      .option("--timeout <seconds>", "how long --wait, --follow and --again wait", "600")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const names = parseNames("module", call.args[0]);
    expectApart(call, ["dryRun", ["again", "wait", "follow", "timeout"]], ["again", ["behind", "follow"]]);
    expectBeside(call, "alone", { dryRun: "--dry-run" });
    expectBeside(call, "timeout", { wait: "--wait", follow: "--follow", again: "--again" });
    const timeoutMs = parseSeconds("--timeout", call.options["timeout"], { min: 1, max: 86_400 });
    // The code of each is loaded where it is run: a dry run that the controller answers needs next to none.
    if (call.options["dryRun"] === true) return await (await import("../ask-or-work.ts")).askOrWork(call, names);
    return await (await import("../build-now.ts")).buildNow(call, { names, timeoutMs });
  },
};
