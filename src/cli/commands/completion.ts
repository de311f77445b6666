import { Argument } from "commander";
import type { CommandDefinition } from "../command.ts";
import { completionScript } from "../complete.ts";

const help = `
Examples:
  bash   mesh completion bash > ~/.local/share/bash-completion/completions/mesh
  zsh    mesh completion zsh > ~/.zsh/completions/_mesh      (a folder in $fpath)
  fish   mesh completion fish > ~/.config/fish/completions/mesh.fish`;

export const completionCommand: CommandDefinition = {
  configure: (command) => {
    command
      .addArgument(new Argument("<shell>", "which shell").choices(["bash", "zsh", "fish"]))
      .addHelpText("after", help);
  },
  run: async ({ context, args }) => {
    const shell = String(args[0]);
    const script = await completionScript(shell, context);
    return { code: 0, document: { shell, script }, text: script.replace(/\n$/, "") };
  },
};
