import { kept } from "~/core/kept.server";
import { LocalEngine } from "./local-engine.server";

const holder = () => kept("workflow engine", (): { engine?: LocalEngine | undefined } => ({}));

export function engine(): LocalEngine {
  const here = holder();
  here.engine ??= new LocalEngine();
  return here.engine;
}

export function dropEngine(): void {
  holder().engine = undefined;
}
